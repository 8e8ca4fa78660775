import { describe, expect, it } from 'vitest';
import type { ServiceFault } from '../../src/testing/index.ts';
import { hideLimit } from './support/hidden-limit.ts';
import { type World, worldOf } from './support/world.ts';

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
  it.each<[string, ServiceFault, number]>([
    ['503 and when to retry', REFUSED, 36],
    ['429 and when to retry', { ...REFUSED, status: 429 }, 36],
    ['429 alone', { status: 429, counted: false }, 20],
    ['503 alone, as a service that is down', { status: 503, counted: false }, 80],
  ])('ends no bulk: %s', async (_, fault, most) => {
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
  it('is asked by many calls for as long as they may wait', async () => {
    const world = worldOf();
    const { clock, client } = world;
    const answered = await failing(world, REFUSED);
    const from = clock.now();
    const calls = Array.from({ length: 20 }, () => client.getInfo({ maxWaitMs: 60_000 }));
    const errors = await clock.run(failuresOf(calls));
    expect(errors).toHaveLength(20);
    expect(errors[0]).toMatchObject({ name: 'QuotaExhaustedError', window: 'cooldown' });
    expect(clock.now() - from).toBeGreaterThan(60_000);
    expect(answered()).toBeLessThan(140);
  });

  it('and its last answer is that of a fetch, whole', async () => {
    const world = worldOf();
    const { clock, client, service } = world;
    await failing(world, { ...REFUSED, status: 429, body: 'not now' });
    const ask = client.fetchWith({ maxWaitMs: 20_000 });
    const calls = Array.from({ length: 8 }, () => ask(`${service.origin}/extended/v1/info`));
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
