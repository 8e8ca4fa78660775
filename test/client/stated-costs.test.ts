import { describe, expect, it } from 'vitest';
import type { ClientEvent, createClient } from '../../src/index.ts';
import { mockWorld } from '../support/mock-world.ts';

const KEY = '0123456789abcdef0123456789abcdef';
const WALL = Date.UTC(2026, 2, 10, 14);
const ADDRESS = 'SP1J1A6PJ50NS54VWAVFGA9C4HS53NAQXZQ07P5TK';

type CostOf = NonNullable<NonNullable<Parameters<typeof createClient>[0]>['cost']>;

/** A client that states costs, and the units of each request that it sent. */
function clientOf(cost: CostOf) {
  const units: number[] = [];
  const onEvent = (event: ClientEvent): void => {
    if (event.type === 'sent') units.push(event.units);
  };
  return { ...mockWorld({ keys: [KEY], latencyMs: 50 }, { apiKey: KEY, cost, onEvent }, WALL), units };
}

describe('the option cost', () => {
  it('states the cost of typed calls and of fetch alike, and a cost of the call itself takes precedence', async () => {
    const seen: string[] = [];
    const { client, clock, units } = clientOf(({ method, endpoint, url }) => {
      seen.push(`${method} ${endpoint} ${url.search}`);
      return Number(url.searchParams.get('limit')) / 20;
    });
    await clock.run(client.getAddressAssets(ADDRESS, { limit: 40 }));
    await clock.run(client.fetch(`/extended/v1/address/${ADDRESS}/assets?limit=60`));
    await clock.run(client.getAddressAssets(ADDRESS, { limit: 40, cost: 7 }));
    expect(units).toEqual([2, 3, 7]);
    expect(seen).toEqual([
      'GET GET /extended/v1/address/{address}/assets ?limit=40',
      'GET GET /extended/v1/address/{address}/assets ?limit=60',
    ]);
  });

  it('leaves a cost to be learned where it returns undefined', async () => {
    const { client, clock, units } = clientOf(() => undefined);
    await clock.run(client.getInfo());
    expect(units).toEqual([1]);
  });

  it.each([[-1], [Number.NaN], ['5']])('that returns %o is an error of the call, and nothing is sent', async (cost) => {
    const { client, clock, service } = clientOf(() => cost as number);
    const error = await clock.run(client.getInfo().catch((error: unknown) => error));
    expect(error).toMatchObject({ name: 'ConfigError' });
    expect(String(error)).toContain('must return a finite number of units, 0 or more, or undefined');
    expect(service.log).toEqual([]);
  });

  it('that returns a promise is one, too, and no rejection of it is left', async () => {
    const { client, clock } = clientOf(() => Promise.reject(new Error('a cost')) as never);
    await expect(clock.run(client.getInfo())).rejects.toThrow('or undefined, not an object (Promise)');
  });
});

describe('a stated cost above the limit of a whole window', () => {
  /** A client that has learned of a minute of 10 units. */
  async function ten(charge: 'before' | 'after' = 'before') {
    const keyed = { minute: 10, month: 10_000 };
    const world = mockWorld({ keys: [KEY], keyed, latencyMs: 50, charge, cost: { assets: 50 } }, { apiKey: KEY }, WALL);
    await world.clock.run(world.client.getInfo());
    return world;
  }

  it('fails at once although other calls wait, and is nowhere in the queue', async () => {
    const { client, clock, service } = await ten();
    const others = Array.from({ length: 30 }, () => client.getInfo());
    const told = client.getInfo({ cost: 11, label: 'large' }).catch((error: unknown) => error);
    const start = clock.now();
    expect(await told).toMatchObject({
      name: 'QuotaExhaustedError',
      why: 'the request takes 11 units, and the minute never holds more than 10',
      ...{ window: 'minute', limit: 10, retryAfterMs: Infinity },
    });
    expect(clock.now()).toBe(start);
    expect(client.queue({ label: 'large' })).toEqual([]);
    await clock.run(Promise.all(others));
    expect([service.requests, service.limited]).toEqual([31, 0]);
  });

  it('is the reason of the error, not maxQueueMs', async () => {
    const { client } = await ten();
    const told = client.getInfo({ cost: 11, maxQueueMs: 5_000 }).catch((error: unknown) => error);
    expect(await told).toMatchObject({ why: 'the request takes 11 units, and the minute never holds more than 10' });
  });

  it('is estimated to end never, and one that fits is not', async () => {
    const { client } = await ten();
    const never = { finishesAt: undefined, ms: Infinity, window: 'minute' };
    expect(client.estimate({ cost: 11 })).toEqual(never);
    expect(client.estimate({ cost: 10 }).ms).toBeLessThan(120_000);
    expect(client.estimate({ cost: 11 })).toEqual(never);
  });

  it('is estimated as any other where the service has served such a request', async () => {
    const { client, clock } = await ten('after');
    await clock.run(client.getAddressAssets(ADDRESS));
    expect(client.estimate({ cost: 50 }).ms).toBeLessThan(600_000);
    const waiting = client.getInfo();
    await clock.run(Promise.all([waiting, client.getAddressAssets(ADDRESS, { cost: 50 })]));
  });
});

describe('a learned cost above the limit of a whole window, for which a request was refused', () => {
  it('refuses no request with other parameters, whose cost is unknown', async () => {
    const { clock, client } = mockWorld(
      {
        keys: [KEY],
        keyed: { second: 20, minute: 2_000 },
        cost: ({ url }) => Number(url.searchParams.get('limit')),
        routes: { 'GET /a': () => ({}) },
      },
      { apiKey: KEY },
      WALL,
    );
    const pages = [50, 50, 50, 1, 1, 2].map((limit, offset) => client.get('/a', { query: { limit, offset } }));
    const outcomes = await clock.run(Promise.allSettled(pages));
    expect(outcomes.map(({ status }) => status)).toEqual([
      ...['rejected', 'rejected', 'rejected'],
      ...['fulfilled', 'fulfilled', 'fulfilled'],
    ]);
  });
});
