import { describe, expect, it } from 'vitest';
import { TRIAL_MS } from '../../src/quota/recovery/hourly-trial.ts';
import { processOf, readers, worldOf } from './support/shared.ts';

describe('the part of a process in a share', () => {
  it('lets the first request of all go when no other process looks, and no second one', async () => {
    const world = worldOf();
    const [one, other] = [processOf(world), processOf(world)];
    for (const each of [one, other]) each.waiting = 1;
    expect(one.why()).toMatchObject({
      ...{ kind: 'share', why: 'another process sends alone for a moment, to learn the limits and when windows end' },
    });
    await world.clock.advance(1);
    expect(one.woken).toBe(1);
    expect(one.check()).toBeUndefined();
    expect(one.part.isAlone).toBe(true);
    other.check();
    await world.clock.advance(1);
    expect(other.check()?.until).toBeGreaterThan(world.clock.now());
    expect(other.part.isAlone).toBe(false);
  });

  it('lets a charge of nothing go, and everything where the service names no window', async () => {
    const world = worldOf();
    const one = processOf(world);
    expect(one.check(0)).toBeUndefined();
    const [lease] = await one.take(1);
    if (lease) one.end(lease);
    for (let sent = 0; sent < 20; sent++) {
      expect(one.check()).toBeUndefined();
      one.end(one.send());
    }
    one.read({ used: 10 });
    expect(one.check()).toBeDefined();
  });

  it('covers the windows that are known, and grants once an answer has shown the service’s clock', async () => {
    const world = worldOf();
    const one = processOf(world, { isVague: true });
    expect([one.part.isShared, one.part.covers('minute'), one.part.isGranting]).toEqual([true, false, false]);
    // Nor where the clock is known, and no window.
    expect(processOf(worldOf()).part.isGranting).toBe(false);
    const [lease] = await one.take(1);
    one.read({ used: 1 });
    expect(one.part.isGranting).toBe(false);
    if (lease) one.end(lease);
    expect([one.part.covers('minute'), one.part.covers('hour'), one.part.isGranting]).toEqual([true, false, true]);
    expect(one.part.isOverdrawn('minute', world.clock.now())).toBe(false);
    await world.clock.advance(1);
    const late = processOf(world, { isVague: true });
    late.waiting = 1;
    late.check();
    await world.clock.advance(1);
    // Where no process knows the clock, all name seconds alike; but the first request of each is sent alone.
    expect([late.part.covers('minute'), late.part.isGranting]).toEqual([true, false]);
  });

  it('is never more than all processes may have together', async () => {
    const world = worldOf();
    const [one, other] = await readers(world);
    const taken = await Promise.all([one.take(9), other.take(9)]);
    expect(taken.flat()).toHaveLength(9);
  });

  it('says for certain that nothing is left once two answers have said so, five seconds apart, or one where a call cannot wait for another', async () => {
    const world = worldOf();
    const [one] = await readers(world);
    await one.take(9);
    one.waiting = 1;
    one.check();
    await world.clock.advance(1);
    expect(one.check()?.isFirm).toBe(false);
    expect(one.check(1, 4_999)?.isFirm).toBe(true);
    one.check();
    await world.clock.advance(7_000);
    const hold = one.check();
    expect(hold?.isFirm).toBe(true);
    expect(one.why()).toMatchObject({ window: 'minute', limit: 10, headroom: 0, kind: 'share' });
    // At the end of the minute.
    expect(hold?.until).toBeCloseTo(60_000, -2);
  });

  it('is what was granted, charged as whole units, and asked for before it is there', async () => {
    const world = worldOf();
    const [one, other] = await readers(world);
    one.waiting = 1;
    expect(one.why(2.5)).toMatchObject({ why: 'the store has not granted units of the next second yet' });
    await world.clock.advance(1);
    expect(one.check(2.5)).toBeUndefined();
    one.send(2.5);
    one.waiting = 0;
    expect(await other.take(9)).toHaveLength(6);
  });

  it('has back what a request did not cost', async () => {
    const world = worldOf();
    const [one, other] = await readers(world);
    for (const lease of await one.take(5)) one.end(lease, 0);
    await world.clock.advance(2_100);
    expect(await other.take(9)).toHaveLength(9);
  });

  it('pays what a request cost beyond its charge', async () => {
    const world = worldOf();
    const [one, other] = await readers(world);
    for (const lease of await one.take(1)) one.end(lease, 4);
    await world.clock.advance(2_100);
    expect(await other.take(9)).toHaveLength(5);
  });

  it('gives back a second after what it held and nobody sent', async () => {
    const left = async (ms: number): Promise<number> => {
      const world = worldOf();
      const [one, other] = await readers(world);
      one.waiting = 6;
      one.check();
      await world.clock.advance(1);
      one.waiting = 0;
      one.end(one.send());
      await world.clock.advance(ms);
      return (await other.take(9)).length;
    };
    expect(await left(10)).toBe(3);
    // It was of the first two seconds.
    expect(await left(3_000)).toBe(8);
  });

  it('is given back when it leaves, once', async () => {
    const world = worldOf();
    const [one, other] = await readers(world);
    one.waiting = 6;
    one.check();
    await world.clock.advance(1);
    one.waiting = 0;
    const before = world.trips.length;
    await Promise.all([one.part.leave(), one.part.leave()]);
    expect(world.trips.length).toBe(before + 1);
    expect(await other.take(9)).toHaveLength(9);
    // No timer is left that asks again.
    const after = world.trips.filter((name) => name === 'take').length;
    one.end(one.send());
    one.part.tellPause(world.clock.now() + 1_000);
    await world.clock.advance(10_000);
    expect(world.trips.filter((name) => name === 'take').length - after).toBeLessThanOrEqual(2);
    expect(world.trips).not.toContain('pause');
  });
});

describe('what a part is likely to have of a window', () => {
  it('is an equal part, or what the others leave by their rate', async () => {
    const world = worldOf();
    const [one, other] = await readers(world);
    await one.take(1);
    await other.take(1);
    await world.clock.advance(600);
    await one.take(1);
    // Two are live, and the other has sent nothing since the first report.
    expect(one.part.likely('minute', 10, world.clock.now())).toBeGreaterThanOrEqual(5);
    expect(processOf(world).part.likely('minute', 10, 0)).toBe(10);
  });
});

describe('a pause that the service has ordered', () => {
  it('holds all processes, of which one sends first when it is over', async () => {
    const world = worldOf();
    const [one, other] = await readers(world);
    one.part.tellPause(world.clock.now() + 5_000);
    await world.clock.advance(1);
    expect(world.trips).toContain('pause');
    other.waiting = 1;
    other.check();
    await world.clock.advance(1);
    expect(other.learned.at(-1)?.pausedUntil).toBeCloseTo(5_000, -2);
    expect(other.why()).toMatchObject({ why: 'another process sends the first request after a pause' });
    await world.clock.advance(5_000);
    one.waiting = 1;
    one.check();
    await world.clock.advance(1);
    expect(one.check()).toBeUndefined();
    const probe = one.send();
    expect(one.check()).toBeDefined();
    other.check();
    await world.clock.advance(1);
    expect(other.check()).toBeDefined();
    one.waiting = 0;
    one.end(probe);
    await world.clock.advance(1);
    expect(world.trips).toContain('resumed');
    // It asks within a fifth of a second, and goes on half a second later.
    expect([await other.take(1), await other.take(1)].flat().length).toBeGreaterThan(0);
  });

  it('is told once, and not where it ends sooner than the one that is known', async () => {
    const world = worldOf();
    const [one] = await readers(world);
    for (const ms of [5_000, 5_000, 4_000]) one.part.tellPause(ms);
    await world.clock.advance(1);
    expect(world.trips.filter((name) => name === 'pause')).toHaveLength(1);
  });
});

describe('an hourly trial', () => {
  it('goes half a minute after it is due, once the facts of all are known', async () => {
    const world = worldOf();
    const [one] = await readers(world);
    const mayTry = (): boolean => one.part.mayTry(world.clock.now(), true);
    expect(mayTry()).toBe(false);
    await world.clock.advance(30_001);
    const before = world.trips.filter((name) => name === 'share').length;
    expect(mayTry()).toBe(false);
    await world.clock.advance(1);
    expect(world.trips.filter((name) => name === 'share')).toHaveLength(before + 1);
    expect(mayTry()).toBe(true);
  });

  it('goes without the store where that was never reached', async () => {
    const world = worldOf();
    const one = processOf(world);
    expect(one.part.mayTry(0, true)).toBe(false);
    await world.clock.advance(30_001);
    expect(one.part.mayTry(30_001, true)).toBe(true);
  });

  it('does not go while other processes use units, unless it follows one that was served', async () => {
    const world = worldOf();
    const [one, other] = await readers(world);
    await one.take(1);
    await world.clock.advance(600);
    await other.take(3);
    await one.take(1);
    const { clock } = world;
    await clock.advance(30_001);
    expect(one.part.mayTry(clock.now(), true)).toBe(false);
    await clock.advance(30_001);
    one.part.mayTry(clock.now(), true);
    await clock.advance(1);
    expect([one.part.mayTry(clock.now(), true), one.part.mayTry(clock.now(), false)]).toEqual([true, false]);
    await clock.advance(TRIAL_MS);
    one.part.mayTry(clock.now(), false);
    await clock.advance(30_001);
    one.part.mayTry(clock.now(), false);
    await clock.advance(1);
    expect(one.part.mayTry(clock.now(), false)).toBe(true);
  });

  it('is told the others as soon as it was answered', async () => {
    const world = worldOf();
    const [one, other] = await readers(world);
    one.part.tellTrial(true);
    await world.clock.advance(1);
    other.waiting = 1;
    other.check();
    await world.clock.advance(1);
    expect(other.learned.some(({ trial }) => trial?.isServed)).toBe(true);
  });
});

describe('facts of a part', () => {
  it('are told with the next trip, and learned from the answers of others', async () => {
    const world = worldOf();
    const [one, other] = await readers(world);
    await world.clock.advance(3_000);
    one.part.tellCost('GET /costly', 7);
    await one.take(1);
    await world.clock.advance(3_000);
    await other.take(1);
    await world.clock.advance(10);
    expect(other.learned.flatMap(({ costs = [] }) => costs)).toContainEqual(['GET /costly', 7]);
  });

  it('are a window that a process has not read itself: it asks for units of it at once', async () => {
    const world = worldOf();
    await readers(world, 1);
    const late = processOf(world);
    late.waiting = 1;
    late.check();
    await world.clock.advance(1);
    expect(late.part.covers('minute')).toBe(true);
    expect(late.check()).toBeUndefined();
    expect(late.part.isAlone).toBe(false);
  });
});

describe('a part whose store is away', () => {
  it('lets calls wait, sends on its own after a while, and says that the store is lost and back', async () => {
    const world = worldOf();
    const [one] = await readers(world, 1);
    world.isAway = true;
    one.waiting = 5;
    const sent: number[] = [];
    for (let at = 0; at < 400; at++) {
      if (one.check() === undefined) {
        sent.push(world.clock.now());
        one.end(one.send());
      } else await world.clock.advance(50);
    }
    expect(one.events.map(({ type }) => type)).toContain('share-lost');
    expect(one.events.find(({ type }) => type === 'share-lost')).toMatchObject({ code: 'LOADING', mode: 'partial' });
    expect(sent.length).toBeGreaterThan(1);
    // The whole minute, less a fifth, is one in 7.5 s.
    const gaps = sent.slice(1).map((at, nth) => at - (sent[nth] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(7_500);
    expect(Math.max(...gaps)).toBeLessThan(8_000);
    expect([one.part.isOverdrawn('minute', world.clock.now()), one.part.covers('minute')]).toEqual([true, false]);
    world.isAway = false;
    one.waiting = 0;
    await world.clock.advance(30_000);
    const regained = one.events.find(({ type }) => type === 'share-regained');
    expect(regained).toMatchObject({ debited: sent.length });
    await one.take(1);
    await world.clock.advance(3_000);
    await one.take(1);
    expect(one.part.isOverdrawn('minute', world.clock.now())).toBe(false);
  });

  it('sends nothing on its own in the mode closed', async () => {
    const world = worldOf();
    world.isAway = true;
    const one = processOf(world, { mode: 'closed' });
    one.read({ used: 1 });
    one.waiting = 1;
    for (let at = 0; at < 50; at++) {
      expect(one.check()).toBeDefined();
      await world.clock.advance(100);
    }
    expect(one.check()).toMatchObject({ isFirm: true, failingSince: expect.any(Number) });
  });
});
