import type { Meter } from '@opentelemetry/api';
import type { QuotaState } from '../client/client.ts';
import type { EventListener } from '../events.ts';
import type { WindowView } from '../quota/view.ts';
import { type Attributes, outcomeFacts, reasonFacts, requestFacts } from './attributes.ts';

/** Bucket bounds that the conventions advise for the duration of a request, in seconds. */
const REQUEST_BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** Bucket bounds for waits and calls, which may last for minutes, in seconds. */
const WAIT_BOUNDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3_600];

const COST_BOUNDS = [0, 1, 2, 5, 10, 20, 50, 100, 200, 500];

/** The instruments that events are recorded with. */
function instrumentsOf(meter: Meter) {
  const histogram = (name: string, unit: string, description: string, bounds: number[]) =>
    meter.createHistogram(name, { unit, description, advice: { explicitBucketBoundaries: bounds } });
  const what = 'Duration of HTTP client requests.';
  return {
    request: histogram('http.client.request.duration', 's', what, REQUEST_BOUNDS),
    wait: histogram('stacks_quota.wait.duration', 's', 'Time waited before a request.', WAIT_BOUNDS),
    call: histogram('stacks_quota.call.duration', 's', 'Time from a call to its end.', WAIT_BOUNDS),
    cost: histogram('stacks_quota.cost', '{unit}', 'Cost of a request as stated by the service.', COST_BOUNDS),
    limited: meter.createCounter('stacks_quota.limited', {
      unit: '{answer}',
      description: 'Answers that refused a request because of a limit.',
    }),
    drift: meter.createGauge('stacks_quota.drift', {
      unit: '{unit}',
      description:
        "Difference between the last response and the client's estimate: more than 0 where the service counted more.",
    }),
    unexplained: meter.createCounter('stacks_quota.unexplained', {
      unit: '{unit}',
      description: 'Units that the service counted and this client cannot have used.',
    }),
  };
}

/**
 * Records metrics from events.
 *
 * @param withRequests - whether the duration of requests is among them.
 */
export function measure(meter: Meter, withRequests: boolean): EventListener {
  const { request, wait, call, cost, limited, drift, unexplained } = instrumentsOf(meter);
  /** Attributes of the request in flight, by call. */
  const underWay = new Map<number, Attributes>();

  return (event) => {
    if (!('call' in event)) return;
    const endpoint = { 'stacks_quota.endpoint': event.endpoint };
    switch (event.type) {
      case 'sent':
        wait.record(event.waitedMs / 1_000, { ...endpoint, ...reasonFacts(event.waitedFor) });
        if (withRequests) underWay.set(event.call, requestFacts(event));
        return;
      case 'answered':
      case 'lost': {
        const facts = underWay.get(event.call);
        // A body that is lost after its response belongs to the same request.
        underWay.delete(event.call);
        if (facts) request.record(event.tookMs / 1_000, { ...facts, ...outcomeFacts(event) });
        if (event.type === 'lost') return;
        if (event.quota.stacks.cost !== undefined) cost.record(event.quota.stacks.cost, endpoint);
        for (const [window, units] of Object.entries(event.drift)) {
          drift.record(units, { 'stacks_quota.window': window });
          if (units > 0) unexplained.add(units, { 'stacks_quota.window': window });
        }
        return;
      }
      case 'limited':
        limited.add(1, { ...endpoint, 'http.response.status_code': event.status });
        return;
      case 'done':
      case 'failed':
        underWay.delete(event.call);
        call.record(event.tookMs / 1_000, {
          ...endpoint,
          ...(event.type === 'failed' && { 'error.type': event.error }),
        });
    }
  };
}

/**
 * Observes the quota whenever metrics are collected.
 *
 * @returns a function that ends it.
 */
export function gauge(meter: Meter, quota: () => QuotaState): () => void {
  const units = (name: string, description: string) =>
    meter.createObservableGauge(name, { unit: '{unit}', description });
  const gauges = {
    limit: units('stacks_quota.limit', 'Units that the window holds in all.'),
    remaining: units('stacks_quota.remaining', "Units remaining in the window by the service's last headers."),
    headroom: units('stacks_quota.headroom', "Units that may be sent now, by the client's own estimate."),
  };
  const waiting = meter.createObservableUpDownCounter('stacks_quota.calls.waiting', {
    unit: '{call}',
    description: 'Calls that wait to be sent.',
  });
  const inFlight = meter.createObservableUpDownCounter('stacks_quota.requests.in_flight', {
    unit: '{request}',
    description: 'Requests in flight.',
  });
  const all = [...Object.values(gauges), waiting, inFlight];
  const observe: Parameters<Meter['addBatchObservableCallback']>[0] = (result) => {
    const state = quota();
    for (const [window, view] of tightest(state.windows)) {
      for (const name of ['limit', 'remaining', 'headroom'] as const) {
        result.observe(gauges[name], view[name], { 'stacks_quota.window': window });
      }
    }
    result.observe(waiting, state.waiting);
    result.observe(inFlight, state.inFlight);
  };
  meter.addBatchObservableCallback(observe, all);
  return () => meter.removeBatchObservableCallback(observe, all);
}

/** One window per name: of several endpoint windows, the one with the least headroom. */
function tightest(windows: readonly WindowView[]): Map<string, WindowView> {
  const found = new Map<string, WindowView>();
  for (const view of windows) {
    const known = found.get(view.window);
    if (!known || view.headroom < known.headroom) found.set(view.window, view);
  }
  return found;
}
