import { describe, expect, it } from 'vitest';
import type { Answer } from '../../src/sharing/store/store.ts';
import { askOf, reader, readers, saying, worldOf } from './support/shared.ts';
import { BEGIN } from './support/small.ts';

describe('an ask of a process', () => {
  it('is a sign of life at first, half a second later, and then ever more seldom', async () => {
    const world = worldOf();
    const one = await reader(world);
    one.read({ limit: 1_000, used: 1 });
    const signs: number[] = [];
    world.answer = (sent, answer) => {
      if (sent.isSign) signs.push(world.clock.now());
      return answer;
    };
    for (let nth = 0; nth < 40; nth++) {
      await askOf(world, one);
      one.end(one.send());
      await world.clock.advance(250);
    }
    expect(world.asks[0]?.isSign).toBe(true);
    const gaps = signs.map((at, nth) => at - (signs[nth - 1] ?? 0));
    for (const [nth, leastMs] of [500, 1_000, 2_000, 4_000].entries())
      expect(gaps[nth] ?? leastMs + 1).toBeGreaterThan(leastMs);
    expect([signs.length > 2, signs.length < 5, world.asks.length > 5]).toEqual([true, true, true]);
  });

  it('names seconds that are near after the process was stopped for long while it waited for an answer', async () => {
    const world = worldOf();
    let stoppedMs = 0;
    const clock = { ...world.clock, now: () => world.clock.now() + stoppedMs };
    const one = await reader({ ...world, clock });
    one.read({ limit: 1_000, used: 1 });
    world.answer = (_, answer) => {
      stoppedMs += 30_000;
      return answer;
    };
    await askOf(world, one);
    world.answer = undefined;
    // Of minutes they would be so far that the ask named none of them, and was due again at the same instant.
    await askOf(world, one, 2);
    const seconds = world.asks.at(-1)?.slots.map(({ name }) => Number.parseInt(name, 10)) ?? [];
    expect(Math.max(...seconds) - (BEGIN + clock.now()) / 1_000).toBeLessThanOrEqual(1);
  });

  it('says that the process leaves only when it does', async () => {
    const world = worldOf();
    const one = await reader(world);
    await askOf(world, one);
    expect(world.asks.at(-1)?.isLeaving).toBe(false);
    await one.part.leave();
    expect(world.asks.at(-1)).toMatchObject({ isLeaving: true });
  });

  it('tells what urgent calls have taken, once', async () => {
    const world = worldOf();
    const one = await reader(world);
    one.urgentWaiting = 2;
    one.waiting = 2;
    one.check(1, 60_000, 1);
    await world.clock.advance(1);
    expect(world.asks.at(-1)?.urgent).toBe(2);
    one.send();
    one.send();
    one.urgentWaiting = 0;
    await world.clock.advance(1_000);
    await askOf(world, one, 5);
    expect(world.asks.at(-1)?.urgent).toBe(0);
  });

  it('is made under another name where the account of its name was written by another process', async () => {
    const world = worldOf();
    const one = await reader(world);
    world.answer = () => 'stale';
    await askOf(world, one);
    world.answer = undefined;
    const { member, sequence } = world.asks.at(-1) ?? {};
    expect(sequence).toBeGreaterThan(0);
    await askOf(world, one);
    expect(world.asks.at(-1)?.member).not.toBe(member);
    expect(world.asks.at(-1)?.sequence).toBe(1);
    expect(one.check()).toBeUndefined();
  });

  it('is repeated at once, and once, where nothing was granted because the facts have changed', async () => {
    const world = worldOf();
    const [one, other] = await readers(world);
    await askOf(world, one);
    one.end(one.send());
    await world.clock.advance(3_000);
    other.read({ limit: 20, used: 2 });
    await askOf(world, other);
    other.waiting = 0;
    const before = world.asks.length;
    await askOf(world, one);
    expect(world.asks.length).toBe(before + 2);
    expect(one.check()).toBeUndefined();
    // A store whose facts change with every answer is not asked for ever.
    world.answer = saying({ facts: new Map(), granted: [0, 0, 0, 0], version: 9 });
    one.end(one.send());
    await world.clock.advance(3_000);
    const then = world.asks.length;
    await askOf(world, one);
    expect(world.asks.length).toBe(then + 2);
  });

  it('is not repeated where it was granted anything, or asked for nothing', async () => {
    const world = worldOf();
    const one = await reader(world);
    await askOf(world, one);
    one.end(one.send());
    await world.clock.advance(3_000);
    world.answer = saying({ facts: new Map() });
    const before = world.asks.length;
    await askOf(world, one);
    expect(world.asks.length).toBe(before + 1);
    await one.part.leave();
    expect(world.asks.length).toBe(before + 2);
  });

  it('is not repeated where nothing was granted and no facts have changed', async () => {
    const world = worldOf();
    const one = await reader(world);
    world.answer = saying({ granted: [0, 0, 0, 0] });
    const before = world.asks.length;
    await askOf(world, one);
    expect(world.asks.length).toBe(before + 1);
  });
});

describe('a store that has lost its memory', () => {
  const old = saying({ urgent: { units: 0, forMs: 60_000 }, others: 30, used: [10, 10, 10], live: 3 });

  const fresh = (live: number, rest: Partial<Answer> = {}): ReturnType<typeof saying> =>
    saying({ urgent: { units: 0, forMs: 0 }, live, granted: [], ...rest });

  /** A process of three that has asked a store, and once more since that has lost its memory. */
  async function forgotten() {
    const world = worldOf();
    const one = await reader(world);
    world.answer = old;
    await askOf(world, one, 5);
    world.answer = fresh(1);
    await world.clock.advance(1_000);
    await askOf(world, one, 5);
    return { world, one };
  }

  it('is told by asks that are signs of life and want nothing granted, until as many as before have told', async () => {
    const { world, one } = await forgotten();
    await world.clock.advance(150);
    await askOf(world, one, 5);
    expect(world.asks.at(-1)).toMatchObject({ version: -1, isSign: true });
    world.answer = fresh(3);
    await world.clock.advance(150);
    await askOf(world, one, 5);
    world.answer = undefined;
    await world.clock.advance(1_000);
    await askOf(world, one, 5);
    expect(world.asks.at(-1)?.version).toBeGreaterThanOrEqual(0);
  });

  it('was not asked for more, and not at once again, by a process that only tells', async () => {
    const { world, one } = await forgotten();
    world.answer = fresh(1, { facts: new Map() });
    await world.clock.advance(1_000);
    const before = world.asks.length;
    await askOf(world, one, 5);
    expect(world.asks.length).toBe(before + 1);
  });
});

describe('what happens while an ask is under way', () => {
  it('is told by a trip of its own: a pause that the service orders then', async () => {
    const world = worldOf();
    const one = await reader(world);
    world.answer = (_, answer) => {
      one.part.tellPause(world.clock.now() + 5_000);
      return answer;
    };
    await askOf(world, one);
    expect(world.trips.filter((name) => name === 'pause')).toHaveLength(1);
    expect(one.woken).toBeGreaterThan(0);
  });

  it('is not told by a process that leaves', async () => {
    const world = worldOf();
    const one = await reader(world);
    world.answer = (_, answer) => {
      one.part.tellPause(world.clock.now() + 5_000);
      return answer;
    };
    one.waiting = 1;
    one.check();
    await one.part.leave();
    await world.clock.advance(100);
    expect(world.trips.filter((name) => name === 'pause').length).toBeLessThanOrEqual(1);
    const before = world.trips.length;
    one.end(one.send());
    one.part.tellTrial(true);
    await world.clock.advance(5_000);
    expect(world.trips.length).toBe(before);
  });
});
