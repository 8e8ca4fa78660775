import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/index.ts';
import { createMockService, type MockServiceOptions, virtualClock } from '../../src/testing/index.ts';
import { cases } from '../support/deep.ts';
import { ADDRESS, quietly, ROOMY, refused, world } from './support/deadline-world.ts';

describe('maxQueueMs', () => {
  it('refuses at once what would be sent later, with the instant of that', async () => {
    const { clock, client } = await world();
    const others = quietly(Array.from({ length: 200 }, () => client.getInfo()));
    const error = await refused(client.getInfo({ maxQueueMs: 60_000 }));
    expect(error).toMatchObject({ window: 'minute', endpoint: 'GET /extended/v1/info' });
    // 61 of 60 a minute wait for the third minute from here, and the rest for the fourth.
    expect(error?.retryAt.getTime()).toBeGreaterThanOrEqual(Date.UTC(2026, 0, 15, 12, 3));
    expect(error?.retryAt.getTime()).toBeLessThan(Date.UTC(2026, 0, 15, 12, 4));
    expect(error?.message).toMatch(
      /would be sent after about [2-4](\.\d)? min, with \d+ waiting, which is later than maxQueueMs \(1 min\) allows/,
    );
    await clock.run(others);
  });

  it('sends what is in time, and what goes first by its priority', async () => {
    const { clock, client } = await world();
    const others = quietly(Array.from({ length: 200 }, () => client.getInfo()));
    const urgent = client.getInfo({ maxQueueMs: 60_000, priority: 1 });
    const patient = client.getInfo({ maxQueueMs: 240_000 });
    await clock.run(Promise.all([urgent, patient, others]));
  });

  it('counts no call that it refused, however many are made in one turn', async () => {
    const { clock, client } = await world();
    const burst = Array.from({ length: 300 }, () => refused(client.getInfo({ maxQueueMs: 60_000 })));
    const inTime = refused(client.getInfo({ maxQueueMs: 120_000 }));
    const late = (await Promise.all(burst)).filter((error) => error !== undefined);
    expect(late.length).toBeGreaterThan(100);
    for (const { retryAfterMs } of late) expect(retryAfterMs).toBeLessThan(120_000);
    expect(await inTime).toBeUndefined();
    await clock.run(client.idle());
  });

  it('is an option of the client and of client.fetchWith, too', async () => {
    const { clock, client } = await world({}, { maxQueueMs: 30_000 });
    const others = quietly(Array.from({ length: 70 }, () => client.getInfo({ maxQueueMs: Infinity })));
    expect(await refused(client.getInfo())).toBeDefined();
    expect(await refused(client.fetchWith({ maxQueueMs: 20_000 })('/extended/v1/info'))).toBeDefined();
    expect(await refused(client.fetchWith({ maxQueueMs: 200_000 })('/extended/v1/info'))).toBeUndefined();
    await clock.run(others);
  });

  it('counts a pause that the service ordered', async () => {
    const { clock, client, service } = await world();
    service.faults.next(1, { status: 429, headers: { 'retry-after': '100' } });
    const first = quietly([client.getInfo()]);
    await clock.advance(1_000);
    expect(await refused(client.getInfo({ maxQueueMs: 90_000 }))).toMatchObject({ window: 'cooldown' });
    const inTime = client.getInfo({ maxQueueMs: 110_000 });
    await clock.run(Promise.all([first, inTime]));
  });

  it('refuses nothing while no limit is known, and spends nothing where it refuses', async () => {
    const { clock, client, service } = await world();
    const fresh = createClient({ baseUrl: service.origin, fetch: service.fetch, clock, maxQueueMs: 0 });
    await clock.run(fresh.getInfo());
    const others = quietly(Array.from({ length: 100 }, () => client.getInfo()));
    const late = quietly(Array.from({ length: 50 }, () => client.getInfo({ maxQueueMs: 1_000 })));
    await clock.run(Promise.all([others, late]));
    expect(service.requests).toBe(102);
  });

  it('refuses no call at once for costs that are hardly known', async () => {
    const costs = [25];
    const { clock, client } = await world({ keyless: { minute: 100 }, cost: () => costs.pop() ?? 1 });
    const call = (nth: number): Promise<unknown> =>
      client.get('/extended/v1/info', { query: { nth }, maxQueueMs: 60_000 });
    // By the only answer they take 500 units, in truth 20.
    await clock.run(Promise.all(Array.from({ length: 20 }, (_, nth) => call(nth + 1))));
  });

  it('of 0 sends calls that wait for an answer which comes within a quarter of a second', async () => {
    const { clock, client, service } = await world({ latencyMs: 200 });
    const calls = Array.from({ length: 4 }, () => client.getAddressAssets(ADDRESS, { maxQueueMs: 0 }));
    await clock.run(Promise.all(calls));
    expect(service.requests).toBe(5);
  });

  // A real clock goes on between two readings: what would be sent "now" came after the instant of the call, by which it was to be sent.
  it('of 0 refuses no call at once while no limit is known, though time goes on while it is looked at', async () => {
    const clock = virtualClock();
    let read = 0;
    const ticking = { ...clock, now: () => clock.now() + ++read / 10_000 };
    const service = createMockService({ clock, latencyMs: 200, ...ROOMY });
    const client = createClient({ baseUrl: service.origin, fetch: service.fetch, clock: ticking });
    const calls = Array.from({ length: 4 }, () => client.getInfo({ maxQueueMs: 0 }));
    await clock.run(Promise.all(calls));
    expect(service.requests).toBe(4);
  });

  const services = cases<[string, MockServiceOptions]>(
    [
      ['sliding counters', { windows: 'sliding-counter' }],
      ['calls that cost 3', { cost: () => 3 }],
      ['slow answers', { latencyMs: 2_500 }],
    ],
    [
      ['aligned windows', {}],
      ['leaky buckets', { windows: 'leaky' }],
      ['windows from the first request on', { windows: 'first-request' }],
      ['sliding logs', { windows: 'sliding-log' }],
      ['usage booked after the answer', { charge: 'after' }],
      ['a clock 40 s ahead', { skewMs: 40_000 }],
    ],
  );

  it.for(services)('is right within one window: %s', async ([, options]) => {
    const { clock, client } = await world(options);
    const reckoned: number[] = [];
    const sent: number[] = [];
    client.subscribe((event) => {
      if (event.type === 'sent' && event.label) sent[Number(event.label)] = event.at.getTime();
    });
    const calls: Promise<unknown>[] = [];
    for (let nth = 0; nth < 150; nth++) {
      const asked = await refused(client.getInfo({ maxQueueMs: 0 }));
      reckoned[nth] = asked?.retryAt.getTime() ?? clock.wall();
      calls.push(client.getInfo({ label: String(nth) }));
    }
    await clock.run(Promise.all(calls));
    const errors = sent.map((at, nth) => at - (reckoned[nth] as number));
    expect(sent).toHaveLength(150);
    // Where the shape of a window is not known yet, the units of a minute may also be spaced, which takes the seconds that they fill.
    expect(Math.max(...errors)).toBeLessThanOrEqual(67_000);
    expect(Math.min(...errors)).toBeGreaterThanOrEqual(-60_000);
  });
});

describe('maxWaitMs', () => {
  it('refuses with the instant at which the call would be sent behind those that wait, and not with the end of the standstill', async () => {
    const { clock, client } = await world({ keyless: { minute: 20 } });
    const others = quietly(Array.from({ length: 100 }, () => client.getInfo()));
    await clock.advance(20_000);
    const late = Array.from({ length: 20 }, () => refused(client.getInfo({ maxWaitMs: 1_000 })));
    const urgent = await refused(client.getInfo({ maxWaitMs: 1_000, priority: 1 }));
    for (const error of await Promise.all(late)) {
      expect(error?.window).toBe('minute');
      // 81 wait, and none of those that are refused is ahead of another.
      expect(error?.retryAt.getTime()).toBeGreaterThanOrEqual(Date.UTC(2026, 0, 15, 12, 4, 59));
      expect(error?.retryAt.getTime()).toBeLessThan(Date.UTC(2026, 0, 15, 12, 6));
    }
    expect(urgent?.retryAt.getTime()).toBeLessThan(Date.UTC(2026, 0, 15, 12, 1, 30));
    await clock.run(others);
    for (let nth = 0; nth < 20; nth++) await clock.run(quietly([client.getInfo({ maxWaitMs: 0 })]));
    expect((await refused(client.getInfo({ maxWaitMs: 0 })))?.retryAfterMs).toBeLessThan(61_000);
  });
});

describe('client.queue', () => {
  it('says for each place when it will go, and not what the first waits for', async () => {
    const { clock, client } = await world();
    const sent = new Map<number, number>();
    client.subscribe((event) => {
      if (event.type === 'sent') sent.set(event.call, event.at.getTime());
    });
    const calls = quietly(Array.from({ length: 200 }, () => client.getInfo()));
    await clock.advance(8_000);
    const queue = client.queue({ limit: 1_000 });
    await clock.run(calls);
    expect(queue.length).toBeGreaterThan(100);
    for (const { call, until } of queue) {
      expect(Math.abs((sent.get(call) as number) - (until?.getTime() ?? 0))).toBeLessThan(5_000);
    }
  });
});
