import { describe, expect, it } from 'vitest';
import type { ServiceFault } from '../../src/testing/index.ts';
import { cases } from '../support/deep.ts';
import { hideLimit } from './support/hidden-limit.ts';
import { type World, worldOf } from './support/world.ts';

const ADDRESS = 'SP3FGQ8Z7JY9BWYZ5WM53E0M9NK7WHJF0691NZ159';

const REFUSED = { status: 503, headers: { 'retry-after': '5' }, counted: false };

/** A service that has answered once, and answers with the fault from now on. @returns how often it did. */
async function failing(world: World, fault: ServiceFault, forMs = Infinity): Promise<() => number> {
  const { clock, service, client } = world;
  await clock.run(client.getInfo());
  const until = clock.now() + forMs;
  let answered = 0;
  service.faults.when(() => {
    if (clock.now() >= until) return undefined;
    answered++;
    return fault;
  });
  return () => answered;
}

const failuresOf = (calls: readonly Promise<unknown>[]): Promise<unknown[]> =>
  Promise.all(calls.map((call) => call.catch((error) => error))).then((ends) =>
    ends.filter((end) => end instanceof Error),
  );

describe('a service that answers nothing but refusals for two minutes', () => {
  it.each(
    cases<[string, ServiceFault, number]>(
      [
        ['503 and when to retry', REFUSED, 36],
        ['429 alone', { status: 429, counted: false }, 20],
        ['503 alone, as a service that is down', { status: 503, counted: false }, 80],
      ],
      [['429 and when to retry', { ...REFUSED, status: 429 }, 36]],
    ),
  )('ends no bulk: %s', async (_, fault, most) => {
    const world = worldOf();
    const { clock, client } = world;
    const answered = await failing(world, fault, 120_000);
    const ends: string[] = [];
    await clock.run(async () => {
      for await (const { status } of client.bulk(Array(300).keys(), () => client.getInfo())) ends.push(status);
    });
    expect(ends).toEqual(Array(300).fill('fulfilled'));
    expect(answered()).toBeLessThan(most);
  });

  it('makes none of the calls fail that come once a second', async () => {
    const world = worldOf();
    const { clock, client } = world;
    await failing(world, REFUSED, 120_000);
    const calls: Promise<unknown>[] = [];
    for (let second = 0; second < 150; second++) {
      calls.push(client.getInfo());
      await clock.advance(1_000);
    }
    expect(await clock.run(failuresOf(calls))).toEqual([]);
  });
});

describe('a limit of a minute that no header names', () => {
  it('ends no bulk, although it is full for most of each minute', async () => {
    const world = worldOf();
    const { clock, client } = world;
    const refused = hideLimit(world, { limit: 300, ms: 60_000 }, { status: 429, headers: { 'retry-after': '1' } });
    const ends: string[] = [];
    await clock.run(async () => {
      for await (const { status } of client.bulk(Array(700).keys(), () => client.getInfo())) ends.push(status);
    });
    expect(ends).toEqual(Array(700).fill('fulfilled'));
    expect(refused()).toBeLessThan(40);
  });
});

describe('a service that answers nothing but refusals without end', () => {
  it('is asked by many calls until the next pause would end later than they may wait', async () => {
    const world = worldOf();
    const { clock, client } = world;
    const answered = await failing(world, REFUSED);
    const from = clock.now();
    const calls = Array.from({ length: 20 }, () => client.getInfo({ maxWaitMs: 60_000 }));
    const errors = await clock.run(failuresOf(calls));
    expect(errors).toHaveLength(20);
    expect(errors[0]).toMatchObject({ name: 'QuotaExhaustedError', window: 'cooldown' });
    expect(clock.now() - from).toBeGreaterThan(50_000);
    expect(clock.now() - from).toBeLessThan(60_000);
    expect(answered()).toBeLessThan(140);
  });

  it('and the fifth answer of an endpoint that never served is that of a fetch, whole', async () => {
    const world = worldOf();
    const { clock, client, service } = world;
    await failing(world, { ...REFUSED, status: 429, body: 'not now' });
    const ask = client.fetchWith({ maxWaitMs: Infinity });
    const calls = Array.from({ length: 8 }, () => ask(`${service.origin}/extended/v1/other`));
    const told = calls.map(async (call) => `${(await call).status} ${await (await call).text()}`);
    expect(await clock.run(Promise.all(told))).toEqual(Array(8).fill('429 not now'));
  });

  it('is asked five times by a call that is alone', async () => {
    const world = worldOf();
    const answered = await failing(world, REFUSED);
    await world.clock.run(failuresOf([world.client.getInfo()]));
    expect(answered()).toBe(5);
  });
});

describe('a call that is refused', () => {
  it('while others of its endpoint are served fails after five refusals', async () => {
    const { clock, service, client } = worldOf();
    await clock.run(client.getInfo());
    let refused = 0;
    service.faults.when(({ url }) => {
      if (!url.searchParams.has('refused')) return undefined;
      refused++;
      return REFUSED;
    });
    const ask = (query: Record<string, number>) => client.get('/extended/v1/info', { query });
    const calls = [{ refused: 1 }, ...Array(40).fill({ a: 1 })].map(ask);
    expect(await clock.run(failuresOf(calls))).toHaveLength(1);
    expect(refused).toBe(5);
  });
});

describe('what refuses every call for longer than calls may wait', () => {
  it.each([
    ['the service', REFUSED, 'getInfo'],
    ['the service, without saying when to retry', { status: 429, counted: false }, 'getInfo'],
    ['an endpoint that never served', REFUSED, 'getAddressAssets'],
  ] as const)('keeps no call for longer, nor ever more of them: %s', async (_, fault, name) => {
    const world = worldOf();
    const { clock, client } = world;
    await failing(world, fault, 900_000);
    let longest = 0;
    const call = async (): Promise<void> => {
      const from = clock.now();
      await (name === 'getInfo' ? client.getInfo() : client.getAddressAssets(ADDRESS)).catch(() => {});
      longest = Math.max(longest, clock.now() - from);
    };
    for (let at = 0; at < 890_000; at += 2_000) {
      void call();
      await clock.advance(2_000);
    }
    expect(client.waiting).toBeLessThan(10);
    expect(longest).toBeLessThan(310_000);
    // A pause of the service lasts a minute at most.
    await clock.advance(70_000);
    await clock.run(client.getInfo());
  });
});
