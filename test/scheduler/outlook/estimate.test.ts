import { describe, expect, it } from 'vitest';
import type { ClientOptions, EstimateOptions } from '../../../src/index.ts';
import type { MockServiceOptions } from '../../../src/testing/index.ts';
import { cases } from '../../support/deep.ts';
import { type MockWorld, mockWorld } from '../../support/mock-world.ts';

const ADDRESS = 'SP1J1A6PJ50NS54VWAVFGA9C4HS53NAQXZQ07P5TK';
const INFO = 'GET /extended/v1/info';
const ASSETS = 'GET /extended/v1/address/{address}/assets';
const NOON = Date.UTC(2026, 0, 15, 12, 0, 20, 500);

function world(service: MockServiceOptions = {}, options: ClientOptions = {}): MockWorld {
  return mockWorld(
    { keys: ['k'], latencyMs: 100, ...service },
    { apiKey: 'k', concurrency: 500, maxWaitMs: Infinity, ...options },
    NOON,
  );
}

/** A world in which so many calls were answered. */
async function met(service: MockServiceOptions = {}, options: ClientOptions = {}, calls = 1): Promise<MockWorld> {
  const made = world(service, options);
  await made.clock.run(all(made, calls));
  return made;
}

const all = ({ client }: MockWorld, calls: number, options = {}): Promise<unknown> =>
  Promise.all(Array.from({ length: calls }, () => client.getInfo(options)));

/** Makes calls whose answers are ignored. */
function leave(one: MockWorld, calls: number, options = {}): void {
  all(one, calls, options).catch(() => {});
}

describe('an estimate', () => {
  it('is none while no answer has told the limits', () => {
    const none = { finishesAt: undefined, ms: undefined, window: undefined };
    expect(world().client.estimate({ count: 5 })).toStrictEqual(none);
  });

  it('is 0 ms for no calls, whatever waits and before any limit is known', async () => {
    const none = { finishesAt: new Date(NOON), ms: 0, window: undefined };
    expect(world().client.estimate({ count: 0 })).toStrictEqual(none);
    const one = await met({ keyed: { minute: 10 } });
    leave(one, 30);
    expect(one.client.estimate({ count: 0 })).toStrictEqual({ ...none, finishesAt: new Date(NOON + 100) });
    expect(one.client.estimate().ms).toBeGreaterThan(60_000);
    await one.clock.run(one.client.close());
  });

  it('is not one of less than no calls or of half a call', async () => {
    const { client } = await met();
    for (const count of [-1, 0.5, Number.NaN]) expect(() => client.estimate({ count })).toThrow('count must be');
  });

  it('is one round trip for what can go at once, and nothing binds', async () => {
    const { client } = await met({ keyed: { minute: 500 } });
    expect(client.estimate()).toEqual({ ms: 100, finishesAt: new Date(NOON + 200), window: undefined });
  });

  it.for(cases([50, 520], [480, 700, 2_000]))(
    'is when the last of %i calls really comes back, within 1 % and 1.6 s',
    async (count) => {
      const one = await met({ keyed: { second: 20, minute: 500 } });
      const { ms = Number.NaN, window } = one.client.estimate({ count });
      const before = one.clock.now();
      await one.clock.run(all(one, count));
      expect(Math.abs(one.clock.now() - before - ms)).toBeLessThan(0.01 * ms + 1_600);
      expect(window).toBe(count < 499 ? 'second' : 'minute');
      expect(one.service.limited).toBe(0);
    },
  );

  it('sends no request and promises nothing', async () => {
    const { client, service } = await met();
    const before = client.quota();
    client.estimate({ count: 1_000_000 });
    expect([client.quota(), service.requests]).toEqual([before, 1]);
  });

  it('counts what waits ahead of it', async () => {
    const one = await met({ keyed: { minute: 100 } });
    expect(one.client.estimate({ count: 99 }).window).toBeUndefined();
    leave(one, 150);
    await one.clock.advance(1_000);
    // 99 have gone; 51 go in the next minute, so 49 more can, and the fiftieth must wait for the one after.
    const next = one.client.estimate({ count: 49 }).ms ?? Number.NaN;
    const later = one.client.estimate({ count: 50 }).ms ?? Number.NaN;
    expect(later - next).toBe(60_000);
  });

  it('does not count what waits with a lower priority', async () => {
    const one = await met({ keyed: { minute: 100 } });
    leave(one, 150, { priority: -1 });
    leave(one, 10, { priority: 5 });
    await one.clock.advance(1_000);
    const late = (options: EstimateOptions): boolean => (one.client.estimate(options).ms ?? Number.NaN) > 60_000;
    expect([late({ count: 95 }), late({ count: 95, priority: -1 })]).toEqual([false, true]);
  });

  it('knows what calls cost on average, and prefers the cost that the caller states', async () => {
    const { client, clock } = await met({
      keyed: { minute: 100 },
      cost: { info: 1, assets: 10 },
    });
    await clock.run(client.getAddressAssets(ADDRESS));
    const isNow = (options: EstimateOptions): boolean => client.estimate(options).window === undefined;
    // 89 units are left.
    expect([isNow({ endpoint: INFO, count: 89 }), isNow({ endpoint: INFO, count: 90 })]).toEqual([true, false]);
    expect([isNow({ endpoint: ASSETS, count: 8 }), isNow({ endpoint: ASSETS, count: 9 })]).toEqual([true, false]);
    expect([isNow({ cost: 20, count: 4 }), isNow({ cost: 20, count: 5 })]).toEqual([true, false]);
    expect(isNow({ cost: 0, count: 500 })).toBe(true);
  });

  it('says the next month when this one is out', async () => {
    const { client } = await met({ keyed: { second: 20, month: 1 } });
    const { finishesAt, window } = client.estimate();
    expect(window).toBe('month');
    expect(finishesAt?.toISOString()).toMatch(/^2026-02-01T00:00:0[0-2]/);
    expect(client.estimate({ count: 2 }).finishesAt?.toISOString()).toMatch(/^2026-03-01T00:00:0[0-2]/);
  });

  it('reckons a million calls through months of different lengths', async () => {
    const { client } = await met({ keyed: { second: 20, minute: 500, month: 150_000 } });
    const { finishesAt, window } = client.estimate({ count: 1_000_000 });
    // 149,999 in January, 750,000 from February to June, and 100,001 of July: 200 full minutes, and one call.
    expect(finishesAt?.toISOString()).toMatch(/^2026-07-01T03:20:0[0-2]/);
    expect(window).toBe('month');
  });

  it('begins after the pause that the service has ordered', async () => {
    const one = await met({ keyed: { minute: 100 } });
    one.service.faults.next(1, { status: 429, headers: { 'retry-after': '7' } });
    leave(one, 1);
    await one.clock.advance(100);
    expect(one.client.estimate()).toMatchObject({ ms: 7_100, window: 'cooldown' });
  });

  it('begins after a pause of the caller’s own, and says that it is one', async () => {
    const { client } = await met({ keyed: { minute: 100 } });
    client.pause(7_000);
    expect(client.estimate()).toMatchObject({ ms: 7_100, window: 'paused' });
    client.pause();
    expect(client.estimate()).toMatchObject({ ms: 100, window: undefined });
  });

  it('begins when the service is tried again that is down, and says that it is', async () => {
    const one = await met({ keyed: { minute: 100 } });
    one.service.faults.next(9, 'reset');
    leave(one, 5);
    await one.clock.advance(5_000);
    expect(one.client.estimate().window).toBe('outage');
  });

  it('knows the ceiling of an endpoint', async () => {
    const { client } = await met({
      keyed: { minute: 500 },
      headers: { generic: 'per endpoint ceiling' },
      ceilings: { info: { limit: 10, period: 'minute' } },
    });
    expect(client.estimate({ endpoint: INFO, count: 9 }).window).toBeUndefined();
    expect(client.estimate({ endpoint: INFO, count: 10 }).window).toBe('endpoint');
    expect(client.estimate({ endpoint: ASSETS, count: 10 }).window).toBeUndefined();
  });

  it('goes by round trips where the service tells of no limits', async () => {
    const { client } = await met({ keyed: {} }, { concurrency: 4 }, 20);
    expect(client.estimate({ count: 401 })).toMatchObject({ ms: 100 * 100 + 100, window: 'concurrency' });
  });

  it('knows no day that is on no calendar', async () => {
    const one = await met({ keyed: { minute: 100 } });
    expect(one.client.estimate({ count: Number.MAX_SAFE_INTEGER })).toMatchObject({
      finishesAt: undefined,
      window: 'minute',
    });
  });

  it('is no later than a window long where the service sends no date', async () => {
    const { client } = await met({ keyed: { minute: 10 }, headers: { date: false } });
    const { ms = Number.NaN } = client.estimate({ count: 12 });
    expect(ms).toBeGreaterThan(0);
    expect(ms).toBeLessThanOrEqual(60_000 + 100);
  });

  it.for<[what: string, options: unknown, message: string]>([
    ['half a call', { count: 0.5 }, 'count must be a whole number, 0 or more, not 0.5'],
    ['an endpoint that is no name', { endpoint: 7 }, 'endpoint must be the name of an endpoint, not 7'],
    ['a cost below nothing', { cost: -1 }, 'cost must be a finite number of units, 0 or more, not -1'],
    ['what it does not know', { calls: 7 }, 'calls is not one of the estimate options: '],
  ])('refuses %s', ([, options, message]) => {
    expect(() => world().client.estimate(options as EstimateOptions)).toThrow(message);
  });
});
