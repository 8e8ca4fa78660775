import { describe, expect, it } from 'vitest';
import { SHAPES } from '../../src/quota/models/all.ts';
import { firstRequest } from '../../src/quota/models/first-request.ts';
import { askOf, processOf, reader, saying, worldOf } from './support/shared.ts';

describe('a look of a process', () => {
  it('is asked for by calls that know no window, every twentieth of a second, while another process has it', async () => {
    const world = worldOf();
    const one = processOf(world);
    world.look = 900;
    await askOf(world, one);
    const looks = (): number => world.trips.filter((name) => name === 'look').length;
    expect(looks()).toBe(1);
    expect(one.check()?.until).toBeCloseTo(world.clock.now() + 49, -1);
    await world.clock.advance(40);
    const before = world.trips.length;
    one.check();
    await world.clock.advance(1);
    expect([looks(), world.trips.length]).toEqual([1, before]);
    await world.clock.advance(20);
    one.check();
    await world.clock.advance(1);
    expect(looks()).toBe(2);
  });

  it('holds nobody back where there are no more', async () => {
    const world = worldOf();
    const one = processOf(world);
    world.look = 'over';
    await askOf(world, one);
    expect([one.check(), one.part.isAlone]).toEqual([undefined, false]);
    one.send();
    expect(one.check()).toBeUndefined();
  });

  it('is not granted where the others have told meanwhile what it would show', async () => {
    const world = worldOf();
    const [one, late] = [processOf(world), processOf(world)];
    // The answer that there are none yet is under way for 20 ms, in which another process tells a limit and ends its look.
    const { share } = world.store;
    Object.assign(world.store, {
      async share(...given: Parameters<typeof share>) {
        Object.assign(world.store, { share });
        const answer = await share(...given);
        await share(-1, new Map([['l:minute', '10']]));
        await world.clock.sleep(20);
        return answer;
      },
    });
    late.waiting = 1;
    late.check();
    await world.clock.advance(40);
    expect(late.part.covers('minute')).toBe(true);
    expect(late.part.isAlone).toBe(false);
    await askOf(world, one);
    expect(one.part.covers('minute')).toBe(true);
  });

  it('ends with the last call, or when what it was for is known', async () => {
    const world = worldOf();
    const one = processOf(world);
    await askOf(world, one, 2);
    const [first, second] = [one.send(), one.send()];
    one.waiting = 0;
    one.end(first);
    expect(one.part.isAlone).toBe(true);
    one.end(second);
    expect(one.part.isAlone).toBe(false);
    const other = processOf(worldOf());
    expect(other.part.isAlone).toBe(false);
  });

  it('ends when an answer has named a window whose shape is known, although calls wait', async () => {
    const world = worldOf();
    const one = processOf(world);
    await askOf(world, one, 5);
    const lease = one.send();
    one.read({ used: 1 });
    expect(one.part.isAlone).toBe(true);
    one.end(lease);
    expect(one.part.isAlone).toBe(false);
    await world.clock.advance(1);
    expect(world.trips).toContain('endLook');
  });

  it('goes on while the shape of a second is in doubt', async () => {
    const world = worldOf();
    const one = processOf(world);
    await askOf(world, one, 5);
    const lease = one.send();
    one.read({ period: 'second', limit: 20, used: 1, shapes: { alive: SHAPES, epoch: 0 } });
    one.end(lease);
    expect(one.part.isAlone).toBe(true);
    // It sends a request each 150 ms.
    expect(one.check()?.until).toBeCloseTo(world.clock.now() + 149, -1);
    for (let sent = 0; sent < 4; sent++) {
      await world.clock.advance(150);
      expect(one.check()).toBeUndefined();
      one.end(one.send());
    }
  });

  it('has its requests 150 ms apart also before the others have sent what they held', async () => {
    const world = worldOf();
    const one = processOf(world);
    await askOf(world, one, 5);
    const lease = one.send();
    one.read({ period: 'second', limit: 20, used: 1, shapes: { alive: SHAPES, epoch: 0 } });
    one.waiting = 0;
    one.end(lease);
    await world.clock.advance(2_100);
    const looks = (): number => world.trips.filter((name) => name === 'look').length;
    const before = looks();
    for (let tries = 0; tries < 20 && looks() === before; tries++) {
      await askOf(world, one, 30);
      await world.clock.advance(50);
    }
    one.waiting = 3;
    expect([looks(), one.part.isAlone]).toEqual([before + 1, false]);
    while (one.check()) await world.clock.advance(10);
    one.send();
    expect(one.check()?.until).toBe(world.clock.now() + 150);
  });

  it('is asked for again a twentieth of a second after the store has failed', async () => {
    const world = worldOf();
    const one = processOf(world);
    let looks = 0;
    Object.assign(world.store, { look: () => Promise.reject(new Error(`LOADING ${looks++}`)) });
    await askOf(world, one);
    await world.clock.advance(40);
    await askOf(world, one);
    expect(looks).toBe(1);
    await world.clock.advance(10);
    await askOf(world, one);
    expect(looks).toBe(2);
  });

  it('makes its process replace looks by what all may find out, where there are no more', async () => {
    const world = worldOf();
    const one = processOf(world);
    await askOf(world, one, 5);
    const lease = one.send();
    one.read({
      period: 'second',
      limit: 20,
      used: 1,
      shapes: { alive: [firstRequest, ...SHAPES.slice(0, 3)], epoch: 0 },
    });
    one.end(lease);
    world.look = 'over';
    await world.clock.advance(1_000);
    await askOf(world, one, 5);
    expect(world.trips.filter((name) => name === 'look')).toHaveLength(2);
    await world.clock.advance(2_000);
    await askOf(world, one, 5);
    expect(world.trips.filter((name) => name === 'look')).toHaveLength(2);
    // Units of each second are left to the process that probes, where others lack units.
    world.answer = saying({ others: 3, granted: [] });
    for (let nth = 0; nth < 4; nth++) {
      await askOf(world, one, 50);
      await world.clock.advance(400);
    }
    const seconds = world.asks.at(-1)?.windows.filter(({ name }) => /^second:\d+$/.test(name)) ?? [];
    expect(seconds.map(({ kept }) => kept)).toContain(2);
  });
});

describe('the timer of a process', () => {
  it('asks for waiting calls when a full window ends, and not where none wait', async () => {
    const asksAfter = async (waiting: number): Promise<number> => {
      const world = worldOf();
      const one = await reader(world);
      for (const lease of await one.take(9)) one.end(lease);
      await askOf(world, one, 5);
      one.waiting = waiting;
      const before = world.asks.length;
      await world.clock.advance(61_000);
      return world.asks.length - before;
    };
    expect(await asksAfter(0)).toBe(0);
    expect(await asksAfter(5)).toBeGreaterThan(0);
  });

  it('tries a store that is lost every five seconds, and begins no trip sooner', async () => {
    const world = worldOf();
    const one = await reader(world);
    world.isAway = true;
    for (let at = 0; at < 20; at++) {
      await askOf(world, one, 5);
      await world.clock.advance(250);
    }
    one.waiting = 0;
    expect(one.events.map(({ type }) => type)).toContain('share-lost');
    await world.clock.advance(10_000);
    const before = world.trips.length;
    await world.clock.advance(20_000);
    expect(world.trips.length - before).toBeGreaterThanOrEqual(2);
    expect(world.trips.length - before).toBeLessThanOrEqual(5);
    world.isAway = false;
    await world.clock.advance(20_000);
    expect(one.events.map(({ type }) => type)).toContain('share-regained');
    const then = world.trips.length;
    await world.clock.advance(60_000);
    expect(world.trips.length).toBe(then);
  });

  it('leaves nothing behind in a process that is idle, or has left', async () => {
    const world = worldOf();
    const one = await reader(world);
    for (const lease of await one.take(3)) one.end(lease);
    await world.clock.advance(5_000);
    const before = world.trips.length;
    await world.clock.advance(100_000);
    expect(world.trips.length).toBe(before);
    expect(world.clock.timers).toBe(0);
    await askOf(world, one, 3);
    one.part.mayTry(world.clock.now(), true);
    await one.part.leave();
    expect(world.clock.timers).toBe(0);
    const after = world.trips.length;
    await world.clock.advance(100_000);
    expect(world.trips.length).toBe(after);
  });
});

describe('a hold of a part', () => {
  it('is not firm while a trip is under way', async () => {
    const world = worldOf();
    const one = await reader(world);
    for (const lease of await one.take(9)) one.end(lease);
    await askOf(world, one);
    await world.clock.advance(7_000);
    expect(one.check()?.isFirm).toBe(true);
    await world.clock.advance(59_990 - world.clock.now());
    one.part.tellPause(world.clock.now() + 5);
    expect(one.check()?.isFirm).toBe(false);
  });

  it('is not firm where no window is full', async () => {
    const world = worldOf();
    const one = await reader(world);
    world.answer = saying({ granted: [0, 0, 0] });
    await askOf(world, one);
    expect(one.check()).toMatchObject({ isFirm: false });
  });

  it('ends when the trip that is under way is given up, at the latest', async () => {
    const world = worldOf();
    const one = await reader(world);
    one.waiting = 1;
    expect(one.check()?.until).toBe(world.clock.now() + 50);
  });
});

it('a charge is settled with what it cost, by the slot of its request, also where that was sent before any window was known', async () => {
  const world = worldOf();
  const [one, other] = [processOf(world), processOf(world)];
  const [lease] = await one.take(1);
  for (const each of [one, other]) each.read({ used: 0 });
  if (lease) one.end(lease, 3);
  await world.clock.advance(2_100);
  expect(await other.take(10)).toHaveLength(7);
});
