import { type MeterProvider, metrics, type TracerProvider, trace } from '@opentelemetry/api';
import type { Client } from '../client/client.ts';
import { gauge, measure } from './metrics.ts';
import { traceCalls } from './spans.ts';

const NAME = 'stacks-quota';

/** Options of {@link instrument}. */
export interface InstrumentOptions {
  /** Where spans go. Default: the global provider. */
  readonly tracerProvider?: TracerProvider | undefined;
  /** Where metrics go. Default: the global provider. */
  readonly meterProvider?: MeterProvider | undefined;
  /**
   * Whether each request gets a span of its own, by the conventions for HTTP clients, and is counted in
   * `http.client.request.duration`. `false` where the `fetch` beneath is instrumented by itself. Default: true.
   */
  readonly requests?: boolean | undefined;
}

/**
 * Makes spans and metrics of what a client does. A call is a span under the one that is active where the call is made,
 * its waits are events of it, and each request is a client span beneath it. What is measured:
 *
 * - `http.client.request.duration` (s), by the conventions;
 * - `stacks_quota.limit`, `.remaining` and `.headroom` (units), by window, as they are when they are collected;
 * - `stacks_quota.calls.waiting` and `stacks_quota.requests.in_flight`;
 * - `stacks_quota.wait.duration` (s): time that a call stood in line before a request, by reason and window;
 * - `stacks_quota.call.duration` (s), and `error.type` where it failed;
 * - `stacks_quota.cost` (units), by endpoint;
 * - `stacks_quota.limited`: answers that refused a request because of a limit;
 * - `stacks_quota.drift` (units), by window: how far the service's word last was from our reckoning; and
 *   `stacks_quota.unexplained` (units): all that it counted and we cannot have spent.
 *
 * No key and no label is in an attribute of a metric; a call's label is in its span.
 *
 * @returns a function that ends it. Calls under way keep their spans.
 */
export function instrument(
  client: Pick<Client, 'subscribe' | 'quota'>,
  { tracerProvider, meterProvider, requests = true }: InstrumentOptions = {},
): () => void {
  const meter = (meterProvider ?? metrics.getMeterProvider()).getMeter(NAME);
  const tracer = (tracerProvider ?? trace.getTracerProvider()).getTracer(NAME);
  const ends = [
    traceCalls(client, tracer, requests),
    client.subscribe(measure(meter, requests)),
    gauge(meter, () => client.quota()),
  ];
  return () => {
    for (const end of ends) end();
  };
}
