import type { Tracer } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { type DataPoint, type Histogram, MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import type { Client } from '../../../src/client/client.ts';
import type { ClientOptions } from '../../../src/options/client-options.ts';
import { type InstrumentOptions, instrument } from '../../../src/otel/index.ts';
import type { MockService, MockServiceOptions, VirtualClock } from '../../../src/testing/index.ts';
import { told } from '../../trace/support/told.ts';

class OnDemand extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

/** A client that is watched, and what was seen. */
export interface Instrumented {
  readonly clock: VirtualClock;
  readonly mock: MockService;
  readonly client: Client;
  /** Ends the watching. */
  readonly end: () => void;
  readonly tracer: Tracer;
  /** The spans that have ended, in that order. */
  readonly spans: () => readonly ReadableSpan[];
  readonly span: (name: string) => ReadableSpan;
  /** The points of a metric: their attributes, and their value or, of a histogram, its count and sum. */
  readonly points: (name: string) => Promise<readonly (readonly [attributes: object, value: unknown])[]>;
}

/** An instrumented client of a mock a tenth of a second away, in virtual time, and all that comes of it. */
export function instrumented(
  service: MockServiceOptions = {},
  options: ClientOptions = {},
  how: Pick<InstrumentOptions, 'requests'> = {},
): Instrumented {
  const { clock, mock, client } = told(service, options);
  const exporter = new InMemorySpanExporter();
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const reader = new OnDemand();
  const meterProvider = new MeterProvider({ readers: [reader] });
  const end = instrument(client, { tracerProvider, meterProvider, ...how });
  return {
    clock,
    mock,
    client,
    end,
    tracer: tracerProvider.getTracer('test'),
    spans: () => exporter.getFinishedSpans(),
    span(name) {
      const found = exporter.getFinishedSpans().find((span) => span.name === name);
      if (!found) throw new Error(`There is no span ${name}.`);
      return found;
    },
    async points(name) {
      const { resourceMetrics } = await reader.collect();
      const all = resourceMetrics.scopeMetrics.flatMap(({ metrics }) => metrics);
      const found = all.find(({ descriptor }) => descriptor.name === name);
      const points = (found?.dataPoints ?? []) as readonly DataPoint<number | Histogram>[];
      return points.map(({ attributes, value }) => [
        attributes,
        typeof value === 'number' ? value : { count: value.count, sum: value.sum },
      ]);
    },
  };
}

/** Lets contexts be followed through what is awaited, as an application's SDK does. */
export function contextManager(): AsyncLocalStorageContextManager {
  return new AsyncLocalStorageContextManager().enable();
}
