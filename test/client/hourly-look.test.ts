import { describe, expect, it } from 'vitest';
import { type ClientOptions, createClient } from '../../src/index.ts';
import { createMockService, type MockServiceOptions, virtualClock } from '../../src/testing/index.ts';

const HOUR_MS = 3_600_000;

/** A client that has used up its month, with patience unless told otherwise. */
async function exhausted(options: ClientOptions = {}, service: MockServiceOptions = {}) {
  const clock = virtualClock({ wall: Date.UTC(2026, 0, 10) });
  const mock = createMockService({ clock, latencyMs: 80, keyless: { minute: 60, month: 5 }, ...service });
  const client = createClient({
    ...{ baseUrl: mock.origin, fetch: mock.fetch, clock, random: () => 0.5 },
    maxWaitMs: Number.POSITIVE_INFINITY,
    ...options,
  });
  await clock.run(Promise.all(Array.from({ length: 5 }, () => client.getInfo())));
  const looks = (): readonly number[] => mock.log.filter(({ method }) => method === 'HEAD').map(({ at }) => at);
  return { clock, service: mock, client, looks };
}

describe('a month that is out', () => {
  it('is looked at once an hour while calls wait, and never while none does', async () => {
    const { clock, client, service, looks } = await exhausted();
    await clock.advance(24 * HOUR_MS);
    expect([looks(), clock.timers]).toEqual([[], 0]);
    const controller = new AbortController();
    const waiting = Array.from({ length: 20 }, () => client.getInfo({ signal: controller.signal }).catch(() => 'gone'));
    await clock.advance(5.5 * HOUR_MS);
    // The first at once: a day has passed without an answer.
    expect(looks().map((at) => Math.floor((at - 24 * HOUR_MS) / HOUR_MS))).toEqual([0, 1, 2, 3, 4, 5]);
    controller.abort();
    await Promise.all(waiting);
    await clock.advance(24 * HOUR_MS);
    expect([looks().length, clock.timers]).toEqual([6, 0]);
    expect(service.requests).toBe(11);
  });

  it('is noticed within an hour when it is raised, and what waits goes on', async () => {
    const { clock, client, service } = await exhausted();
    const waiting = Promise.all(Array.from({ length: 20 }, () => client.getInfo()));
    await clock.advance(10 * HOUR_MS + 1_000);
    service.setLimits({ keyless: { minute: 60, month: 1_000 } });
    const start = clock.now();
    await clock.run(waiting);
    expect(clock.now() - start).toBeLessThan(HOUR_MS + 60_000);
    expect(service.limited).toBeLessThanOrEqual(11);
  });

  it('is noticed when it was paid for: the same limit, and a count that begins again', async () => {
    const clock = virtualClock({ wall: Date.UTC(2026, 0, 10) });
    let used = 0;
    const served: number[] = [];
    const fetch = async (): Promise<Response> => {
      await clock.sleep(80);
      const isRefused = used >= 5;
      if (!isRefused) used++;
      if (!isRefused) served.push(clock.now());
      const month = { 'x-ratelimit-limit-stacks-month': '5', 'x-ratelimit-remaining-stacks-month': `${5 - used}` };
      const date = new Date(clock.wall()).toUTCString();
      return new Response('{}', { status: isRefused ? 429 : 200, headers: { date, ...month } });
    };
    const client = createClient({
      baseUrl: 'https://api.test',
      ...{ fetch, clock, maxWaitMs: Number.POSITIVE_INFINITY },
    });
    await clock.run(Promise.all(Array.from({ length: 5 }, () => client.get('/v2/info'))));
    const waiting = Promise.all(Array.from({ length: 4 }, () => client.get('/v2/info')));
    await clock.advance(30 * HOUR_MS);
    used = 0;
    const start = clock.now();
    await clock.run(waiting);
    expect(clock.now() - start).toBeLessThan(HOUR_MS + 60_000);
    expect(served).toHaveLength(10);
  });

  it('is noticed after a retry-after of weeks, too', async () => {
    const { clock, client, service } = await exhausted({}, { keyless: { minute: 60, month: 10_000 } });
    service.faults.next(1, { status: 429, headers: { 'retry-after': '2000000' } });
    const waiting = client.getInfo();
    const start = clock.now();
    await clock.run(waiting);
    expect(clock.now() - start).toBeLessThan(HOUR_MS + 10_000);
    expect(service.requests).toBe(8);
  });

  it('is looked at for a call that is refused at once, too: the next ones are served', async () => {
    const { clock, client, service, looks } = await exhausted({ maxWaitMs: 60_000 });
    const ask = () => clock.run(client.getInfo().then(({ response }) => response.status)).catch(({ name }) => name);
    service.setLimits({ keyless: { minute: 60, month: 1_000 } });
    expect(await ask()).toBe('QuotaExhaustedError');
    await clock.advance(HOUR_MS);
    expect(looks()).toEqual([]);
    expect(await ask()).toBe('QuotaExhaustedError');
    await clock.advance(1_000);
    expect([looks().length, await ask(), clock.timers]).toEqual([1, 200, 0]);
  });

  it('is not looked at while the client is paused or closed', async () => {
    const { clock, client, looks } = await exhausted();
    const waiting = client.getInfo().catch(({ name }) => name);
    client.pause();
    await clock.advance(5 * HOUR_MS);
    expect(looks()).toEqual([]);
    await clock.run(client.close());
    expect([await waiting, clock.timers]).toEqual(['ClosedError', 0]);
  });
});

describe('traffic that is answered', () => {
  it('is not looked at, however long some of it waits', async () => {
    const { clock, client, looks, service } = await exhausted({}, { keyless: { minute: 10 } });
    const all = Promise.all(Array.from({ length: 1_500 }, () => client.getInfo()));
    await clock.run(all);
    expect(clock.now()).toBeGreaterThan(2 * HOUR_MS);
    expect([looks(), service.limited, clock.timers]).toEqual([[], 0, 0]);
  });
});

describe('a month that has too little left for a request', () => {
  it('is looked at, too', async () => {
    const clock = virtualClock({ wall: Date.UTC(2026, 0, 10) });
    const service = createMockService({
      clock,
      latencyMs: 80,
      keyless: { minute: 60, month: 23 },
      cost: { info: 5 },
      headCost: 0,
    });
    const client = createClient({
      baseUrl: service.origin,
      fetch: service.fetch,
      clock,
      maxWaitMs: Number.POSITIVE_INFINITY,
    });
    const calls = Promise.all(Array.from({ length: 6 }, () => client.getInfo()));
    await clock.advance(HOUR_MS / 2);
    service.setLimits({ keyless: { minute: 60, month: 1_000 } });
    await clock.advance(HOUR_MS);
    expect(service.log.map(({ method, status }) => `${method} ${status}`)).toContain('HEAD 200');
    await calls;
    expect(service.limited).toBeLessThanOrEqual(1);
  });
});

describe('a month that is not out', () => {
  it('is not looked at while calls wait because it is spread: looks would use what they wait for', async () => {
    const clock = virtualClock({ wall: Date.UTC(2026, 0, 10) });
    const service = createMockService({ clock, latencyMs: 80, keyless: { minute: 60, month: 200 } });
    const client = createClient({
      ...{ baseUrl: service.origin, fetch: service.fetch, clock, maxWaitMs: Number.POSITIVE_INFINITY },
      reserve: { forPriorityAbove: 0, share: 0, spreadMonthUntil: new Date('2026-06-30') },
    });
    let served = 0;
    const calls = Array.from({ length: 80 }, () => client.getInfo().then(() => served++));
    await clock.advance(4 * 24 * HOUR_MS);
    expect(service.log.filter(({ method }) => method === 'HEAD')).toEqual([]);
    expect(served).toBe(80);
    await Promise.all(calls);
  });
});
