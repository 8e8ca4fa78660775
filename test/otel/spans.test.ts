import { context, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/index.ts';
import { instrument } from '../../src/otel/index.ts';
import { VERSION } from '../../src/version.ts';
import { contextManager, instrumented } from './support/collect.ts';

const ADDRESS = 'SP3FGQ8Z7JY9BWYZ5WM53E0M9NK7WHJF0691NZ159';
const INFO = 'GET /extended/v1/info';

const millisecondsOf = ([seconds, nanoseconds]: readonly [number, number]): number => seconds * 1e3 + nanoseconds / 1e6;

beforeAll(() => void context.setGlobalContextManager(contextManager()));
afterAll(() => context.disable());

it('a misspelt option of instrument is an error', () => {
  expect(() => instrument(createClient(), { request: false } as object)).toThrow(/Did you mean requests\?$/);
});

it('a provider that is none is an error', () => {
  const client = createClient({ fetch: async () => Response.json({}) });
  for (const option of ['tracerProvider', 'meterProvider'])
    expect(() => instrument(client, { [option]: {} } as never)).toThrow(
      `${option} must be a provider of OpenTelemetry, not an object`,
    );
});

describe('the span of a call', () => {
  it('is under the one that is active where the call is made, whatever other calls are made meanwhile', async () => {
    const { clock, client, tracer, spans } = instrumented();
    const callers = ['one', 'other'].map((name) =>
      tracer.startActiveSpan(name, async (span: Span) => {
        await Promise.resolve();
        await client.getInfo();
        span.end();
        return span.spanContext();
      }),
    );
    const contexts = await clock.run(Promise.all(callers));
    const parents = spans().flatMap(({ name, parentSpanContext }) =>
      name === `call ${INFO}` ? [parentSpanContext?.spanId] : [],
    );
    expect(parents).toEqual(contexts.map(({ spanId }) => spanId));
  });

  it('names this package and its version as its scope', async () => {
    const { clock, client, span } = instrumented();
    await clock.run(client.getInfo());
    expect(span(`call ${INFO}`).instrumentationScope).toMatchObject({ name: 'stacks-quota', version: VERSION });
  });

  it('says what the call is, how it ended and how long it took', async () => {
    const { clock, client, span } = instrumented();
    await clock.run(client.getInfo({ label: 'job 7', priority: 3 }));
    const { kind, attributes, status, duration, parentSpanContext } = span(`call ${INFO}`);
    expect({ kind, attributes, status, parentSpanContext }).toEqual({
      kind: SpanKind.INTERNAL,
      attributes: {
        'stacks_quota.call': 1,
        'stacks_quota.endpoint': INFO,
        'stacks_quota.label': 'job 7',
        'stacks_quota.priority': 3,
        'http.response.status_code': 200,
      },
      status: { code: SpanStatusCode.UNSET },
      parentSpanContext: undefined,
    });
    expect(millisecondsOf(duration)).toBe(100);
  });

  it('tells of its waits, with their reason', async () => {
    const { clock, client, spans } = instrumented({ keyless: { minute: 1 } });
    await clock.run(Promise.all([client.getInfo(), client.getInfo()]));
    const second = spans().find(({ attributes }) => attributes['stacks_quota.call'] === 2);
    expect(second?.events.map(({ name, attributes }) => [name, attributes?.['stacks_quota.reason']])).toEqual([
      ['waiting', 'slow-start'],
      ['waiting', 'window'],
    ]);
    expect(second?.events[1]?.attributes).toMatchObject({
      'stacks_quota.window': 'minute',
      'stacks_quota.why': 'the minute has 0 of 1 units left and the request takes 1',
      'stacks_quota.parked': false,
      'stacks_quota.until': expect.stringMatching(/^2026-01-15T12:01:\d\d\.\d{3}Z$/),
    });
  });

  it('is an error where the call fails, or is answered so', async () => {
    const { clock, mock, client, spans } = instrumented({ info: 404 });
    await clock.run(client.getInfo().catch(() => {}));
    mock.faults.next(1, { status: 200, headers: { 'retry-after': '60' }, body: '{}' });
    await clock.run(client.getAddressAssets(ADDRESS).catch(() => {}));
    await clock.run(client.getInfo({ maxWaitMs: 1_000 }).catch(() => {}));
    const calls = spans().filter(({ kind }) => kind === SpanKind.INTERNAL);
    expect(calls.map(({ attributes, status }) => [attributes['error.type'], status.code])).toEqual([
      ['404', SpanStatusCode.ERROR],
      [undefined, SpanStatusCode.UNSET],
      ['QuotaExhaustedError', SpanStatusCode.ERROR],
    ]);
  });
});

describe('the span of a request', () => {
  it('follows the conventions for HTTP clients, under that of its call', async () => {
    const { clock, client, span } = instrumented({ keys: ['top-secret'] }, { apiKey: 'top-secret' });
    await clock.run(client.getAddressAssets(ADDRESS, { limit: 5 }));
    const { kind, attributes, parentSpanContext } = span('GET /extended/v1/address/{address}/assets');
    expect({ kind, attributes }).toEqual({
      kind: SpanKind.CLIENT,
      attributes: {
        'http.request.method': 'GET',
        'server.address': 'api.mock.test',
        'server.port': 443,
        'url.scheme': 'https',
        'url.full': `https://api.mock.test/extended/v1/address/${ADDRESS}/assets?limit=5`,
        'url.template': '/extended/v1/address/{address}/assets',
        'http.response.status_code': 200,
        'stacks_quota.units': 1,
        'stacks_quota.cost': 1,
      },
    });
    const call = span('call GET /extended/v1/address/{address}/assets');
    expect(parentSpanContext?.spanId).toBe(call.spanContext().spanId);
  });

  it('is one of several where the request is sent again, each with its outcome', async () => {
    const { clock, mock, client, spans } = instrumented();
    mock.faults.next(1, { status: 429, headers: { 'retry-after': '2' } });
    mock.faults.next(1, 'reset');
    mock.faults.next(1, { status: 503 });
    await clock.run(client.getInfo());
    const requests = spans().filter(({ kind }) => kind === SpanKind.CLIENT);
    expect(
      requests.map(({ attributes, status }) => [
        attributes['http.request.resend_count'],
        attributes['http.response.status_code'],
        attributes['error.type'],
        status.code === SpanStatusCode.ERROR,
      ]),
    ).toEqual([
      [undefined, 429, '429', true],
      [1, undefined, 'ECONNRESET', true],
      [2, 503, '503', true],
      [3, 200, undefined, false],
    ]);
  });

  it('lasts until the body is there, and fails with it', async () => {
    const { clock, mock, client, span } = instrumented({}, { maxAttempts: 1 });
    mock.faults.next(1, 'truncate');
    await clock.run(client.getInfo().catch(() => {}));
    expect(span(INFO).attributes).toMatchObject({ 'http.response.status_code': 200, 'error.type': expect.any(String) });
  });

  it('ends with an abort of the call', async () => {
    const { clock, client, span } = instrumented();
    const call = client.getInfo({ signal: AbortSignal.abort() }).catch(() => {});
    await clock.run(call);
    const controller = new AbortController();
    const second = client.getInfo({ signal: controller.signal }).catch(() => {});
    await clock.advance(50);
    controller.abort();
    await clock.run(second);
    const { attributes, duration } = span(INFO);
    expect(attributes['error.type']).toBe('aborted');
    expect(millisecondsOf(duration)).toBe(50);
  });

  it('is none where the fetch beneath is instrumented by itself', async () => {
    const { clock, client, spans } = instrumented({}, {}, { requests: false });
    await clock.run(client.getInfo());
    expect(spans().map(({ name }) => name)).toEqual([`call ${INFO}`]);
  });
});

describe('spans', () => {
  it('are made of calls from the first that is made whole, until the end', async () => {
    const { clock, client, spans, end } = instrumented();
    await clock.run(client.getInfo());
    end();
    await clock.run(client.getInfo());
    expect(spans()).toHaveLength(2);
  });

  it('of a call that is under way at the end are made whole, and no further ones', async () => {
    const { clock, client, spans, end } = instrumented();
    const call = client.getInfo();
    await clock.advance(50);
    end();
    await clock.run(Promise.all([call, client.getInfo()]));
    await clock.run(client.getInfo());
    expect(spans().map(({ name, attributes }) => [name, attributes['http.response.status_code']])).toEqual([
      [INFO, 200],
      [`call ${INFO}`, 200],
    ]);
  });

  it('cost nothing but time where no provider is set', async () => {
    const { clock, client, end } = instrumented();
    end();
    trace.disable();
    const { instrument } = await import('../../src/otel/index.ts');
    const off = instrument(client);
    expect(await clock.run(client.getInfo())).toMatchObject({ data: {} });
    off();
  });
});
