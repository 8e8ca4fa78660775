/**
 * Spans and metrics of OpenTelemetry. Needs `@opentelemetry/api`.
 *
 * @module stacks-quota/otel
 */

import { type MeterProvider, metrics, type TracerProvider, trace } from '@opentelemetry/api';
import type { Client } from '../client/client.ts';
import { argument, checkClient, flag, optionsParser, withDefault } from '../validation/arguments.ts';
import { VERSION } from '../version.ts';
import { gauge, measure } from './metrics.ts';
import { traceCalls } from './spans.ts';

const NAME = 'stacks-quota';

/** Options of {@link instrument}. */
export interface InstrumentOptions {
  /** Provider of spans. Default: the global one. */
  readonly tracerProvider?: TracerProvider | undefined;
  /** Provider of metrics. Default: the global one. */
  readonly meterProvider?: MeterProvider | undefined;
  /**
   * Whether each request has a span of its own, by the conventions for HTTP clients, and is measured by
   * `http.client.request.duration`. Set it to `false` if your `fetch` is instrumented already. Default: true.
   */
  readonly requests?: boolean | undefined;
}

const PROVIDER = 'a provider of OpenTelemetry';

const instrumentOptions = optionsParser('options of instrument', {
  tracerProvider: argument<TracerProvider>((given) => typeof given?.getTracer === 'function', PROVIDER),
  meterProvider: argument<MeterProvider>((given) => typeof given?.getMeter === 'function', PROVIDER),
  requests: withDefault(flag, true),
});

/**
 * Creates spans and metrics from the events of a client. Each call is a span below the span active where the call is made, its
 * waits are events of that span, and each request is a client span below it. Metrics:
 *
 * - `http.client.request.duration` (s), by the conventions;
 * - `stacks_quota.limit`, `.remaining` and `.headroom` (units), by window, at the time of collection;
 * - `stacks_quota.calls.waiting` and `stacks_quota.requests.in_flight`;
 * - `stacks_quota.wait.duration` (s): time that a call waited before a request, by reason, window and endpoint;
 * - `stacks_quota.call.duration` (s), with `error.type` if it failed;
 * - `stacks_quota.cost` (units), by endpoint;
 * - `stacks_quota.limited`: responses that refused a request because of a limit;
 * - `stacks_quota.drift` (units), by window: the service's count minus the client's estimate at the last response;
 *   `stacks_quota.unexplained` (units): the total of units that the service counted and this client cannot have used.
 *
 * Metrics have neither the key nor labels as attributes; a call's label is in its span.
 *
 * @returns a function that ends the instrumentation. Calls in progress keep their spans.
 * @throws ConfigError if an option cannot be used.
 *
 * @example
 * ```ts
 * const stop = instrument(client); // or: instrument(client, { tracerProvider, meterProvider })
 * await client.getInfo({ headersOnly: true }); // a span, and a span of its request below that
 * stop();
 * ```
 */
export function instrument(client: Pick<Client, 'subscribe' | 'quota'>, options: InstrumentOptions = {}): () => void {
  checkClient(client);
  const { tracerProvider, meterProvider, requests } = instrumentOptions(options);
  const meter = (meterProvider ?? metrics.getMeterProvider()).getMeter(NAME, VERSION);
  const tracer = (tracerProvider ?? trace.getTracerProvider()).getTracer(NAME, VERSION);
  const ends = [
    traceCalls(client, tracer, requests),
    client.subscribe(measure(meter, requests)),
    gauge(meter, () => client.quota()),
  ];
  return () => {
    for (const end of ends) end();
  };
}
