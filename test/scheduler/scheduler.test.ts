import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/create-client.ts';
import { poolAccessOf } from '../../src/client/pool-access.ts';
import type { ClientEvent } from '../../src/events.ts';
import type { ClientOptions } from '../../src/options/client-options.ts';
import {
  createMockService,
  type MockServiceOptions,
  type ServiceFault,
  virtualClock,
} from '../../src/testing/index.ts';
import { wire } from '../support/wire.ts';

const ADDRESS = 'SP3FGQ8Z7JY9BWYZ5WM53E0M9NK7WHJF0691NZ159';
const PLENTY = { minute: 10_000 };

/** A client and the service it calls, a tenth of a second away, both in virtual time. */
function pair(options: ClientOptions = {}, service: MockServiceOptions = {}) {
  const clock = virtualClock({ wall: Date.UTC(2026, 0, 15, 12, 0, 20, 500) });
  const mock = createMockService({ clock, latencyMs: 100, keyless: PLENTY, ...service });
  const events: ClientEvent[] = [];
  const client = createClient({
    baseUrl: mock.origin,
    fetch: mock.fetch,
    clock,
    random: () => 0.5,
    onEvent: (event) => events.push(event),
    ...options,
  });
  const ask = (offset: number) => client.getAddressAssets(ADDRESS, { offset });
  const asked = () => mock.log.map(({ path, at }) => ({ offset: Number(/offset=(\d+)/.exec(path)?.[1]), at }));
  const count = (type: ClientEvent['type']) => events.filter((event) => event.type === type).length;
  /** What a call ends with, error or not. */
  const endOf = <T>(work: Promise<T>): Promise<unknown> => clock.run(work.catch((error: unknown) => error));
  return { clock, mock, client, events, ask, asked, count, endOf };
}

const error = (name: string, facts: object = {}): unknown => expect.objectContaining({ name, ...facts });

describe('refusals', () => {
  const refusals: [string, ServiceFault, number][] = [
    ['a 429 with retry-after', { status: 429, headers: { 'retry-after': '7' } }, 7_000],
    ['a 429 with a date', { status: 429, headers: { 'retry-after': 'Thu, 15 Jan 2026 12:00:30 GMT' } }, 9_000],
    ['a 403 with retry-after', { status: 403, headers: { 'retry-after': '7' } }, 7_000],
    ['a 503 with retry-after', { status: 503, headers: { 'retry-after': '7' }, body: '<html>' }, 7_000],
    ['a 403 with nothing left', { status: 403, headers: { 'x-ratelimit-remaining-stacks-minute': '0' } }, 39_000],
    ['a 429 without any header', { status: 429, counted: false }, 1_000],
    ['a 429 that names its reset', { status: 429 }, 39_000],
  ];

  it.each(refusals)(
    'a refusal by %s holds every sibling, and the refused goes first and is no attempt',
    async (_, fault, leastMs) => {
      const { clock, mock, client, ask, asked, count } = pair({ maxAttempts: 1, concurrency: 3 });
      // Of three offsets the first goes alone: it might decide the cost.
      for (const offset of [0, 901, 902]) await clock.run(ask(offset));
      mock.faults.next(1, fault);
      const refusedAt = clock.now() + 100;
      await clock.run(Promise.all([1, 2, 3, 4, 5, 6].map(ask)));
      const before = asked()
        .filter(({ at }) => at < refusedAt)
        .map(({ offset }) => offset);
      const after = asked().filter(({ at }) => at >= refusedAt);
      expect(before.filter((offset) => offset > 1 && offset < 900)).toEqual([2, 3]);
      expect(after.map(({ offset }) => offset).toSorted()).toEqual([1, 4, 5, 6]);
      // The fourth stood at the gate before the first was refused.
      expect(after.findIndex(({ offset }) => offset === 1)).toBeLessThan(2);
      for (const { at } of after) expect(at).toBeGreaterThanOrEqual(refusedAt + leastMs);
      expect([count('limited'), client.quota().inFlight]).toEqual([1, 0]);
    },
  );

  it('a pause after a refusal ends half-open: one call goes first, the others follow when it is back', async () => {
    const { clock, mock, ask, asked } = pair();
    // Of three offsets the first goes alone: it might decide the cost.
    for (const offset of [0, 901, 902]) await clock.run(ask(offset));
    mock.faults.next(4, { status: 429, headers: { 'retry-after': '7' } });
    const from = clock.now();
    await clock.run(Promise.all([1, 2, 3, 4].map(ask)));
    const [first = 0, ...others] = asked()
      .map(({ at }) => at)
      .filter((at) => at > from + 1_000);
    expect(others).toHaveLength(3);
    for (const at of others) expect(at).toBeGreaterThanOrEqual(first + 100);
  });

  it('a success that comes with a retry-after is delivered, and holds the other calls', async () => {
    const { clock, mock, client, ask, asked, count } = pair();
    mock.faults.next(1, { status: 200, headers: { 'retry-after': '5' }, body: '{}' });
    await clock.run(client.getInfo());
    const pausedAt = clock.now();
    expect(client.quota().cooldown?.until.getTime()).toBe(clock.wall() + 5_000);
    await clock.run(ask(1));
    expect(asked()[1]?.at).toBe(pausedAt + 5_000);
    expect(count('limited')).toBe(0);
  });

  it('a call that is refused for ever fails after five refusals, each waited for as told', async () => {
    const { mock, client, endOf, asked } = pair();
    mock.faults.when(() => ({ status: 429, headers: { 'retry-after': '10' } }));
    const end = await endOf(client.getInfo());
    expect(end).toEqual(error('QuotaExhaustedError', { window: 'cooldown', retryAfterMs: 10_000 }));
    const times = asked().map(({ at }) => at);
    expect(times).toEqual([0, 1, 2, 3, 4].map((nth) => nth * 10_100));
  });

  it('a call that finds its window full again and again is not given up after five refusals', async () => {
    const { mock, client, endOf } = pair();
    const full = { 'x-ratelimit-limit-stacks-second': '20', 'x-ratelimit-remaining-stacks-second': '0' };
    mock.faults.next(20, { status: 429, headers: { 'retry-after': '1', ...full } });
    expect(await endOf(client.getInfo())).not.toBeInstanceOf(Error);
  });

  it('the wait that a refusal asks for counts against the timeout of no attempt', async () => {
    const { clock, mock, client } = pair({ timeoutMs: 2_000 });
    mock.faults.next(1, { status: 429, headers: { 'retry-after': '60' } });
    await clock.run(client.getInfo());
    expect(clock.now()).toBeGreaterThan(60_000);
  });
});

describe('retries', () => {
  const faults: [string, ServiceFault][] = [
    ...[408, 425, 500, 502, 503, 504, 520, 527, 530].map((status): [string, ServiceFault] => [
      `a ${status}`,
      { status },
    ]),
    ['a connection that breaks', 'reset'],
    ['an answer that gets lost', 'lost'],
    ['a body that breaks off', 'truncate'],
  ];

  it.each(faults)('a fault that may pass, such as %s, is tried again', async (_, fault) => {
    const { mock, client, count, endOf } = pair();
    mock.faults.next(2, fault);
    expect(await endOf(client.getInfo())).toMatchObject({ data: {} });
    expect([count('sent'), count('retrying'), client.quota().inFlight]).toEqual([3, 2, 0]);
  });

  it('a call pauses before each further attempt for a random part of a bound that doubles', async () => {
    for (const chance of [0, 0.25, 0.999]) {
      const { mock, client, events, endOf, asked } = pair({ maxAttempts: 8, random: () => chance });
      mock.faults.next(7, { status: 500 });
      await endOf(client.getInfo());
      const bounds = [500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000];
      const pauses = events.flatMap((event) => (event.type === 'retrying' ? [event.afterMs] : []));
      expect(pauses).toEqual(bounds.map((bound) => bound * chance));
      const gaps = asked()
        .map(({ at }, nth, all) => at - (all[nth - 1]?.at ?? at) - 100)
        .slice(1);
      for (const [nth, gap] of gaps.entries()) expect(gap).toBeCloseTo(pauses[nth] ?? -1);
    }
  });

  it('a fault that may pass is the caller’s when the attempts are used up', async () => {
    const { mock, client, count, endOf } = pair({ maxAttempts: 2 });
    mock.faults.next(2, 'reset');
    const broken = error('ConnectionError', { code: 'ECONNRESET', attempts: 2, endpoint: 'GET /extended/v1/info' });
    expect(await endOf(client.getInfo())).toEqual(broken);
    mock.faults.next(2, { status: 503, body: '{"error":"busy"}' });
    expect(await endOf(client.getInfo())).toEqual(error('ServiceError', { status: 503, body: { error: 'busy' } }));
    expect(count('sent')).toBe(4);
  });

  it.each([400, 401, 404, 410, 501])('an answer of %i is not tried again', async (status) => {
    const { mock, client, count, endOf } = pair();
    mock.faults.next(1, { status });
    expect(await endOf(client.getInfo())).toEqual(error('ServiceError', { status }));
    expect(count('sent')).toBe(1);
  });

  it('a call that has tries left is not given up because the budget of retries is spent: the retry waits until it is refilled', async () => {
    const { clock, mock, client, events, endOf } = pair({ random: () => 0 });
    const isDown = (): boolean => clock.now() < 20_000;
    mock.faults.when(() => (isDown() ? { status: 500 } : undefined));
    const ends = await endOf(
      Promise.allSettled(Array.from({ length: 12 }, () => client.getInfo({ maxWaitMs: 60_000 }))),
    );
    expect(ends).toEqual(Array(12).fill(expect.objectContaining({ reason: expect.objectContaining({ status: 500 }) })));
    const retries = events.flatMap((event) => (event.type === 'retrying' ? [event.afterMs] : []));
    expect(retries).toHaveLength(2 * 12);
    expect(retries.slice(0, 10)).toEqual(Array(10).fill(0));
    expect(Math.max(...retries)).toBeGreaterThan(10_000);
  });

  it('a retry that waits for the budget goes as soon as its endpoint serves again, two for each success', async () => {
    const { clock, mock, client } = pair({}, { keyless: { second: 20, minute: 10_000 } });
    await clock.run(Promise.all([client.getInfo(), client.getInfo()]));
    const from = clock.now();
    mock.faults.when(() => (clock.now() < from + 30_000 ? { status: 500 } : undefined));
    const ends: number[] = [];
    const ask = (): void =>
      void client.getInfo().then(
        () => ends.push(clock.now() - from),
        () => {},
      );
    for (let call = 0; call < 60; call++) ask();
    for (let second = 0; second < 40; second++) {
      ask();
      await clock.advance(1_000);
    }
    expect(client.waiting).toBe(0);
    expect(ends.length).toBeGreaterThan(50);
    expect(Math.max(...ends)).toBeLessThan(40_000);
  });

  it.each<[string, ServiceFault]>([
    ['breaks every connection', 'reset'],
    ['answers nothing but 503', { status: 503 }],
    // No sign of an outage, so nothing but the budget spaces them.
    ['answers nothing but 500', { status: 500 }],
  ])('retries are ten and one a second where the service %s', async (_, fault) => {
    const { clock, mock, client, count, endOf } = pair({ maxAttempts: 2 });
    mock.faults.when(() => fault);
    for (let call = 0; call < 50; call++) await endOf(client.getInfo());
    expect(count('sent')).toBe(2 * 50);
    expect(clock.now()).toBeGreaterThanOrEqual(39_000);
  });

  it('a call whose patience is shorter than the wait for the budget of retries ends with its fault', async () => {
    const { mock, client, count, endOf } = pair({ random: () => 0 });
    mock.faults.when(() => ({ status: 500 }));
    await endOf(Promise.allSettled(Array.from({ length: 30 }, () => client.getInfo({ maxWaitMs: 5_000 }))));
    expect(count('sent')).toBeLessThan(60);
  });
});

describe('timeouts', () => {
  it('the timeout of an attempt is told, from its leaving to the headers of its answer', async () => {
    const { clock, client, events, endOf } = pair({ apiKey: () => late() });
    const late = () => clock.sleep(50).then(() => undefined);
    await endOf(client.getInfo());
    expect(events).toContainEqual(expect.objectContaining({ type: 'answered', tookMs: 100 }));
  });

  it.each<[string, ServiceFault]>([
    ['an answer that never comes', 'hang'],
    ['a body that comes slowly', 'slow body'],
  ])('the timeout of an attempt cuts %s', async (_, fault) => {
    const { clock, mock, client, endOf } = pair({ maxAttempts: 1, timeoutMs: 3_000 });
    mock.faults.next(1, fault);
    expect(await endOf(client.getInfo())).toEqual(error('ConnectionError', { code: 'TIMEOUT', attempts: 1 }));
    expect(clock.now()).toBe(3_000);
    expect(client.quota().inFlight).toBe(0);
  });

  it('the timeout of an attempt cuts a fetch that ignores its signal', async () => {
    const { clock, client, endOf } = pair({ maxAttempts: 1, fetch: () => new Promise(() => {}) });
    expect(await endOf(client.getInfo())).toEqual(error('ConnectionError', { code: 'TIMEOUT' }));
    expect(clock.now()).toBe(30_000);
  });

  it('the timeout of an attempt can be a call’s own', async () => {
    const { clock, mock, client, endOf } = pair({ maxAttempts: 1 });
    mock.faults.next(1, 'hang');
    expect(await endOf(client.getInfo({ timeoutMs: 500 }))).toEqual(error('ConnectionError', { code: 'TIMEOUT' }));
    expect(clock.now()).toBe(500);
  });

  it('the timeout of an attempt begins anew with each attempt', async () => {
    const { clock, mock, client, endOf } = pair({ maxAttempts: 3, timeoutMs: 1_000, random: () => 0 });
    mock.faults.next(2, 'hang');
    expect(await endOf(client.getInfo())).toMatchObject({ data: {} });
    expect(clock.now()).toBe(2_100);
  });

  it('the timeout of an attempt ends a wait for a key, and nothing is charged', async () => {
    const { client, count, endOf } = pair({ maxAttempts: 1, apiKey: () => new Promise(() => {}), timeoutMs: 1_000 });
    expect(await endOf(client.getInfo())).toEqual(error('ConnectionError', { code: 'TIMEOUT' }));
    expect([count('sent'), client.quota().inFlight]).toEqual([0, 0]);
  });
});

describe('calls that have ended', () => {
  it('a call that is refused is ahead of no other, from that moment on', async () => {
    const { clock, client } = pair({}, { keyless: { minute: 1 } });
    await clock.run(client.getInfo());
    const { ms } = client.estimate();
    const refused = client.getInfo({ maxQueueMs: 1_000 }).catch(() => {});
    expect(client.estimate().ms).toBe(ms);
    await refused;
    void client.getInfo().catch(() => {});
    expect(client.estimate().ms).toBeGreaterThan(ms ?? 0);
  });

  it('a call that ends before another attempt is ahead of no other', async () => {
    const { clock, mock, client, endOf } = pair({}, { keyless: { minute: 2 } });
    await clock.run(client.getInfo());
    mock.faults.next(1, { status: 503 });
    const controller = new AbortController();
    const end = endOf(client.getInfo({ signal: controller.signal }));
    await clock.advance(150);
    expect(client.waiting).toBe(1);
    controller.abort('enough');
    expect(await end).toBe('enough');
    expect(client.estimate({ count: 2 }).ms).toBeLessThan(60_000);
  });

  it('calls that wait are withdrawn by their signal, and the one that is under way is not', async () => {
    const { client, call, last } = wire({ concurrency: 1 });
    const { signal } = new AbortController();
    const first = await call('first', { signal });
    const second = await call('second', { signal });
    const queue = poolAccessOf(client)?.queue;
    expect(queue?.isWaiting(signal)).toBe(true);
    queue?.withdraw(signal, 'elsewhere');
    expect([await second.end, queue?.isWaiting(signal)]).toEqual(['elsewhere', false]);
    await last('first').answer();
    expect(await first.end).toBe('answered');
  });

  it('calls that wait are rejected where their client is disposed of', async () => {
    const { client, call, last } = wire({ concurrency: 1 });
    await call('first');
    const waiting = await call('waiting');
    const disposed = client[Symbol.asyncDispose]();
    expect(await waiting.end).toEqual(error('ClosedError'));
    await last('first').answer();
    await disposed;
  });
});

describe('a call whose key has changed', () => {
  const FULL = { 'x-ratelimit-limit-stacks-minute': '1', 'x-ratelimit-remaining-stacks-minute': '0' };

  /** A client of which two keys have used up their minutes, and the first is the present one. */
  async function twoFull() {
    const keys = { present: 'second' };
    const all = wire({ apiKey: () => keys.present });
    const { call, last, clock } = all;
    await call('by the second');
    await last('by the second').answer(200, FULL);
    keys.present = 'first';
    await call('by the first');
    await clock.advance(1_000);
    await last('by the first').answer(200, FULL);
    keys.present = 'second';
    return { ...all, keys };
  }

  it('is not ahead of another that is refused in the same turn', async () => {
    const { call } = await twoFull();
    const calls = await Promise.all(['one', 'other'].map((name) => call(name, { maxQueueMs: 1_000 })));
    const [one, other] = await Promise.all(calls.map(({ end }) => end));
    expect(one).toEqual(
      error('QuotaExhaustedError', { retryAfterMs: (other as { retryAfterMs: number }).retryAfterMs }),
    );
  });

  it('is listed among those that wait again', async () => {
    const { client, call, last, clock, keys } = await twoFull();
    keys.present = 'third';
    await call('by the third');
    await clock.advance(1_000);
    await last('by the third').answer();
    keys.present = 'second';
    await call('sent back');
    expect([client.waiting, client.queue().length]).toEqual([1, 1]);
  });
});
