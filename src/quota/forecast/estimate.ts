import type { Costs } from '../limits/costs.ts';
import type { ResetWindow } from '../limits/reset-window.ts';
import type { ShareLimit } from '../share-limit.ts';
import { endOf, periodMsOf } from '../time/periods.ts';
import type { ServerClock } from '../time/server-clock.ts';
import type { NamedWindow } from '../window/named-window.ts';
import { type ForecastWindow, forecast } from './forecast.ts';
import type { Throughput } from './throughput.ts';

/** Requests of one kind that are to be made. */
export interface Plan {
  /** Omitted: any endpoint; the plan then counts against every endpoint-specific limit. */
  readonly endpoint?: string | undefined;
  readonly count: number;
  /** Units that each will cost, where the caller knows better than experience. */
  readonly cost?: number | undefined;
}

/** The estimate for a list of plans. Instants are monotonic milliseconds. */
export interface PlanEstimate {
  /** When the last request will be answered; Infinity: never. */
  readonly at: number;
  /** When the last request will be sent; Infinity: never. */
  readonly sentAt: number;
  /** The longest window that has to be waited out, `cooldown`, or `concurrency`; undefined if nothing is waited for but answers. */
  readonly window: string | undefined;
}

/** Inputs of an estimate. */
export interface EstimateInputs {
  readonly windows: Iterable<NamedWindow>;
  readonly endpointWindows: Iterable<ResetWindow>;
  readonly clock: ServerClock;
  /** The pause that nothing may be sent in. */
  readonly pause: { readonly until: number };
  readonly costs: Costs;
  readonly throughput: Throughput;
  readonly concurrency: number;
  readonly shareLimit: Pick<ShareLimit, 'likely'>;
}

/**
 * When the last of these requests will be answered, one plan after the other, at the costs and round trips seen so far and without
 * other consumers. All windows are treated as calendar-aligned; where they slide, it may take up to one window longer.
 *
 * @returns undefined while no limit is known.
 */
export function estimate(plans: readonly Plan[], known: EstimateInputs, now: number): PlanEstimate | undefined {
  const { clock, pause, costs, throughput, concurrency } = known;
  const windows = [...namedWindowsOf(known, now), ...endpointWindowsOf(known, now)];
  const { roundTripMs } = throughput;
  if (roundTripMs === undefined) return undefined;
  const work = plans.map(({ endpoint, count, cost }) => ({ endpoint, count, cost: cost ?? costs.mean(endpoint) }));
  const begin = Math.max(now, pause.until);
  const origin = originOf(clock, now);
  const { at, window } = forecast(work, windows, origin + begin - now, { roundTripMs, concurrency });
  const sentAt = now + at - origin;
  return { at: sentAt + roundTripMs, sentAt, window: window ?? (begin > now ? 'cooldown' : undefined) };
}

/** Now, by the service's clock. Without one, all windows are treated as beginning now: the latest that they can end. */
function originOf(clock: ServerClock, now: number): number {
  return clock.known ? clock.least(now) : 0;
}

function* namedWindowsOf({ windows, shareLimit }: EstimateInputs, now: number): Generator<ForecastWindow> {
  for (const window of windows) {
    const { period } = window;
    const limit = shareLimit.likely(period, window.limit, now);
    yield {
      window: period,
      limit,
      left: window.headroom(now) * (limit / window.limit || 0),
      periodMs: periodMsOf(period),
      endOf: (at) => endOf(period, at),
    };
  }
}

function* endpointWindowsOf({ endpointWindows, clock }: EstimateInputs, now: number): Generator<ForecastWindow> {
  for (const window of endpointWindows) {
    const { limit, periodMs } = window;
    const end = clock.known ? window.resetAt : window.endsAt - now;
    yield {
      window: 'endpoint',
      limit,
      left: end > originOf(clock, now) ? window.headroom() : limit,
      periodMs,
      endOf: (at) => end + Math.max(0, Math.floor((at - end) / periodMs) + 1) * periodMs,
      covers: (endpoint) => endpoint === undefined || window.covers(endpoint),
    };
  }
}
