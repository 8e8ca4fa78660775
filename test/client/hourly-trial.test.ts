import { describe, expect, it } from 'vitest';
import { type ClientOptions, createClient } from '../../src/index.ts';
import { type MockServiceOptions, virtualClock } from '../../src/testing/index.ts';
import { fleetOf } from '../sharing/support/fleet.ts';
import { mockWorld } from '../support/mock-world.ts';

const HOUR_MS = 3_600_000;

/** A client that has used up its month, with patience unless told otherwise. */
async function exhausted(options: ClientOptions = {}, serviceOptions: MockServiceOptions = {}) {
  const { clock, service, client } = mockWorld(
    { latencyMs: 80, keyless: { minute: 60, month: 5 }, ...serviceOptions },
    { random: () => 0.5, maxWaitMs: Infinity, ...options },
    Date.UTC(2026, 0, 10),
  );
  await clock.run(Promise.all(Array.from({ length: 5 }, () => client.getInfo())));
  // All that was sent once the month was out.
  const trials = (): readonly number[] => service.log.slice(5).map(({ at }) => at);
  return { clock, service, client, trials };
}

describe('a month that is out', () => {
  it('is tried once an hour while calls wait, and never while none does', async () => {
    const { clock, client, service, trials } = await exhausted();
    await clock.advance(24 * HOUR_MS);
    expect([trials(), clock.timers]).toEqual([[], 0]);
    const controller = new AbortController();
    const waiting = Array.from({ length: 20 }, () => client.getInfo({ signal: controller.signal }).catch(() => 'gone'));
    await clock.advance(5.5 * HOUR_MS);
    // The first at once: a day has passed without an answer.
    expect(trials().map((at) => Math.floor((at - 24 * HOUR_MS) / HOUR_MS))).toEqual([0, 1, 2, 3, 4, 5]);
    controller.abort();
    await Promise.all(waiting);
    await clock.advance(24 * HOUR_MS);
    expect([trials().length, clock.timers]).toEqual([6, 0]);
    expect(service.requests).toBe(11);
  });

  it('is waited for by a call for as long as it may wait, however often its trials are refused', async () => {
    const { clock, client, trials } = await exhausted();
    const waiting = client.getInfo();
    await clock.advance(30 * HOUR_MS);
    expect([client.waiting, trials().length]).toEqual([1, 29]);
    await client.close();
    await expect(waiting).rejects.toThrow('The client is closed.');
  });

  it('is tried by no call whose body can be sent only once, and none is lost', async () => {
    const routes = { 'POST /once': async ({ text }: { text(): Promise<string> }) => ({ got: await text() }) };
    const { clock, client, service, trials } = await exhausted({}, { routes });
    const streams = client.fetchWith({ streamBody: true });
    const once = async (text: string): Promise<unknown> => {
      const body = new Blob([text]).stream();
      const response = await streams('/once', { method: 'POST', body, duplex: 'half' } as RequestInit);
      return [response.status, await response.json()];
    };
    const first = once('first');
    await clock.advance(5 * HOUR_MS);
    expect(trials()).toEqual([]);
    // Another call behind it is sent in its stead.
    const behind = client.getInfo();
    const second = once('second');
    await clock.advance(2 * HOUR_MS);
    expect([trials().length, service.log.slice(5).map(({ method }) => method)]).toEqual([2, ['GET', 'GET']]);
    service.setLimits({ keyless: { minute: 60, month: 1_000 } });
    expect(await clock.run(Promise.all([first, second, behind.then(() => 'served')]))).toEqual([
      [200, { got: 'first' }],
      [200, { got: 'second' }],
      'served',
    ]);
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
      fetch,
      clock,
      maxWaitMs: Infinity,
    });
    await clock.run(Promise.all(Array.from({ length: 5 }, () => client.get('/v2/info'))));
    const waiting = Promise.all(Array.from({ length: 4 }, () => client.get('/v2/info')));
    await clock.advance(30 * HOUR_MS);
    used = 0;
    const start = clock.now();
    await clock.run(waiting);
    expect(clock.now() - start).toBeLessThan(HOUR_MS + 60_000);
    expect(served).toHaveLength(9);
  });

  it('is noticed after a retry-after of weeks, too', async () => {
    const { clock, client, service } = await exhausted({}, { keyless: { minute: 60, month: 10_000 } });
    service.faults.next(1, { status: 429, headers: { 'retry-after': '2000000' } });
    const waiting = client.getInfo();
    const start = clock.now();
    await clock.run(waiting);
    expect(clock.now() - start).toBeLessThan(HOUR_MS + 10_000);
    expect(service.requests).toBe(7);
  });

  it.each([{ maxWaitMs: 60_000 }, { maxQueueMs: 60_000 }])(
    'is tried by a call that is refused at once, too, because of %o: the next ones are served',
    async (bound) => {
      const { clock, client, service, trials } = await exhausted(bound);
      const ask = () => clock.run(client.getInfo().then(({ response }) => response.status)).catch(({ name }) => name);
      service.setLimits({ keyless: { minute: 60, month: 1_000 } });
      expect(await ask()).toBe('QuotaExhaustedError');
      await clock.advance(HOUR_MS);
      expect(trials()).toEqual([]);
      expect([await ask(), await ask(), clock.timers]).toEqual([200, 200, 0]);
    },
  );

  it('is not tried while the client is paused or closed', async () => {
    const { clock, client, trials } = await exhausted();
    const waiting = client.getInfo().catch(({ name }) => name);
    client.pause();
    await clock.advance(5 * HOUR_MS);
    expect(trials()).toEqual([]);
    await clock.run(client.close());
    expect([await waiting, clock.timers]).toEqual(['ClosedError', 0]);
  });
});

describe('a month that is out in a fleet', () => {
  it('is tried by one process an hour, and the others follow when it is served', async () => {
    const fleet = fleetOf(4, { keyed: { minute: 60, month: 40 } });
    const { clock, clients, service } = fleet;
    await clock.run(fleet.work(40));
    const before = service.requests;
    const patient = { maxWaitMs: Infinity };
    const calls = Promise.all(clients.flatMap((client) => [1, 2, 3].map(() => client.getInfo(patient))));
    await clock.advance(5 * HOUR_MS);
    expect(service.requests - before).toBeLessThanOrEqual(5);
    expect(service.requests - before).toBeGreaterThanOrEqual(4);
    const limited = service.limited;
    service.setLimits({ keyed: { minute: 60, month: 1_000 } });
    const start = clock.now();
    await clock.run(calls);
    expect(clock.now() - start).toBeLessThan(HOUR_MS + 120_000);
    expect(service.limited).toBe(limited);
  });
});

describe('traffic that is answered', () => {
  it('makes no trial, however long some of it waits', async () => {
    const { clock, client, service } = await exhausted({}, { keyless: { minute: 5 } });
    const all = Promise.all(Array.from({ length: 750 }, () => client.getInfo()));
    await clock.run(all);
    expect(clock.now()).toBeGreaterThan(2 * HOUR_MS);
    expect([service.limited, clock.timers]).toEqual([0, 0]);
  });
});

describe('a month that has too little left for a request', () => {
  it('is tried, too', async () => {
    const { clock, service, client } = mockWorld(
      { latencyMs: 80, keyless: { minute: 60, month: 23 }, cost: { info: 5 }, headCost: 0 },
      { maxWaitMs: Infinity },
      Date.UTC(2026, 0, 10),
    );
    const calls = Promise.all(Array.from({ length: 6 }, () => client.getInfo()));
    await clock.advance(HOUR_MS / 2);
    service.setLimits({ keyless: { minute: 60, month: 1_000 } });
    await clock.advance(HOUR_MS);
    await calls;
    expect(service.limited).toBe(0);
  });
});

describe('a month that is not out', () => {
  it('is not tried while calls wait because it is spread: trials would use what they wait for', async () => {
    const { clock, service, client } = mockWorld(
      { latencyMs: 80, keyless: { minute: 60, month: 200 } },
      { maxWaitMs: Infinity, reserve: { forPriorityAbove: 0, share: 0, spreadMonthUntil: new Date('2026-06-30') } },
      Date.UTC(2026, 0, 10),
    );
    let served = 0;
    const calls = Array.from({ length: 80 }, () => client.getInfo().then(() => served++));
    await clock.advance(4 * 24 * HOUR_MS);
    expect([served, service.limited]).toEqual([80, 0]);
    await Promise.all(calls);
  });
});
