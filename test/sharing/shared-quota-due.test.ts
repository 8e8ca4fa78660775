import { describe, expect, it } from 'vitest';
import { askOf, processOf, reader, readers, saying, type World, worldOf } from './support/shared.ts';

/** The operations of the store since `before`. */
const since = (world: World, before: number): readonly string[] => world.trips.slice(before);

describe('a process whose store is near', () => {
  /** How many asks follow a request while no call waits, of a process that has made some in a row. */
  async function asksAhead(isNear: boolean, hasLeft = false): Promise<number> {
    const world = worldOf();
    Object.assign(world.store, { isNear });
    const one = await reader(world);
    one.read({ limit: 1_000, used: 1 });
    for (let call = 0; call < 20; call++) {
      if (one.check()) await askOf(world, one);
      one.waiting = 0;
      one.end(one.send());
      await world.clock.advance(100);
    }
    if (hasLeft) await one.part.leave();
    const before = world.asks.length;
    for (let call = 0; call < 5; call++) {
      one.send();
      await world.clock.advance(100);
    }
    return world.asks.length - before;
  }

  it('asks ahead of the next call, unless it has left', async () => {
    expect(await asksAhead(true)).toBeGreaterThan(0);
    expect(await asksAhead(false)).toBe(0);
    expect(await asksAhead(true, true)).toBe(0);
  });
});

describe('a process makes no trip', () => {
  it('during a pause, however often its calls ask', async () => {
    const world = worldOf();
    const one = await reader(world);
    world.answer = saying({ pauseMs: 5_000, granted: [0, 0] });
    await askOf(world, one);
    const before = world.trips.length;
    for (let tries = 0; tries < 40; tries++) {
      expect(one.check()).toBeDefined();
      await world.clock.advance(100);
    }
    expect(since(world, before)).toEqual([]);
  });

  it('after it has left, although a call asks, and one that was under way ends', async () => {
    const world = worldOf();
    const one = await reader(world);
    const [lease] = await one.take(1);
    await one.part.leave();
    const before = world.trips.length;
    one.waiting = 5;
    one.check(5);
    one.part.tellTrial(true);
    if (lease) one.end(lease, 3);
    await world.clock.advance(10_000);
    expect(since(world, before)).toEqual([]);
    expect(world.clock.timers).toBe(0);
  });

  it('and sets no timer after it has left, although calls wait for a full window', async () => {
    const world = worldOf();
    const one = await reader(world);
    for (const lease of await one.take(9)) one.end(lease);
    await askOf(world, one, 5);
    await one.part.leave();
    expect(world.clock.timers).toBe(0);
  });

  it('to hear facts again for its first look, however long before it was granted they were told', async () => {
    const world = worldOf();
    const { share } = world.store;
    Object.assign(world.store, {
      async share(...given: Parameters<typeof share>) {
        await world.clock.sleep(20);
        return share(...given);
      },
    });
    await askOf(world, processOf(world));
    await world.clock.advance(40);
    expect(world.trips).toEqual(['share', 'look']);
  });

  it('to state totals that need not be told yet, where a pause is told', async () => {
    const world = worldOf();
    const one = await reader(world);
    await askOf(world, one, 5);
    one.send();
    one.waiting = 0;
    const before = world.trips.length;
    one.part.tellPause(world.clock.now() + 5_000);
    await world.clock.advance(1);
    expect(since(world, before)).toEqual(['pause']);
  });

  it('to state totals where a pause is all that there is to tell', async () => {
    const world = worldOf();
    const one = await reader(world);
    await askOf(world, one);
    one.waiting = 0;
    one.end(one.send());
    await world.clock.advance(3_000);
    const before = world.trips.length;
    one.part.tellPause(world.clock.now() + 5_000);
    await world.clock.advance(1);
    expect(since(world, before)).toEqual(['pause']);
  });
});

it('a hold is not for certain from when the store is asked until it has answered', async () => {
  const world = worldOf();
  const one = await reader(world);
  for (const lease of await one.take(9)) one.end(lease);
  await askOf(world, one);
  await world.clock.advance(7_000);
  expect(one.check()?.isFirm).toBe(true);
  one.part.tellPause(world.clock.now() + 5);
  expect(one.check()?.isFirm).toBe(false);
  await world.clock.advance(1);
  expect(one.check()?.isFirm).toBe(true);
});

describe('an ask of a process is not repeated', () => {
  it('where it was granted units of one slot and not of another', async () => {
    const world = worldOf();
    const one = await reader(world);
    world.answer = saying({ facts: new Map(), granted: [1, 0] });
    const before = world.asks.length;
    await askOf(world, one, 3);
    expect(world.asks.length).toBe(before + 1);
  });

  it('where it gives back what nobody needs, although facts have changed', async () => {
    const world = worldOf();
    const one = await reader(world);
    await askOf(world, one, 5);
    one.waiting = 0;
    one.end(one.send());
    world.answer = saying({ facts: new Map(), version: 9, granted: [0, 0, 0, 0] });
    const before = world.asks.length;
    await world.clock.advance(2_000);
    expect(world.asks.slice(before).map(({ want }) => want)).toEqual([0]);
  });
});

describe('what a process has learned', () => {
  it('of the clock of the service is told with the first ask', async () => {
    const world = worldOf();
    const one = await reader(world);
    const before = world.trips.length;
    await askOf(world, one);
    expect(since(world, before)).toContain('take');
    const late = processOf(world, { isVague: true });
    await askOf(world, late);
    expect(late.learned.some(({ lead }) => lead !== undefined)).toBe(true);
  });

  it('of a window from others alone is forgotten once the service answers without naming it', async () => {
    const world = worldOf();
    await readers(world, 1);
    const late = processOf(world);
    await askOf(world, late);
    expect(late.part.covers('minute')).toBe(true);
    const lease = late.send();
    late.read({ period: 'second', limit: 5, used: 1 });
    late.end(lease);
    expect([late.part.covers('second'), late.part.covers('minute')]).toEqual([true, false]);
  });

  it('of a first request is its answer, not one request more', async () => {
    const world = worldOf();
    const [one, other] = [processOf(world), processOf(world)];
    const [lease] = await one.take(1);
    if (lease) one.end(lease);
    for (const each of [one, other]) each.read({ used: 1 });
    await askOf(world, one);
    one.waiting = 0;
    await world.clock.advance(3_100);
    expect(await other.take(10)).toHaveLength(9);
  });
});
