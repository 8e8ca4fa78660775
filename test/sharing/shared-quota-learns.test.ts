import { describe, expect, it } from 'vitest';
import type { Answer } from '../../src/sharing/store/store.ts';
import { askOf, processOf, reader, saying, worldOf } from './support/shared.ts';

describe('what a process takes of an answer', () => {
  it('is how many processes live and lack units: one of them is likely to have an equal part', async () => {
    const likely = async (rest: Partial<Answer>): Promise<number> => {
      const world = worldOf();
      const one = await reader(world);
      world.answer = saying(rest);
      await askOf(world, one);
      await world.clock.advance(1_000);
      // All that is left is used by the others.
      world.answer = (sent, answer) =>
        answer === 'stale' ? answer : { ...answer, ...rest, used: sent.windows.map(() => 100_000) };
      await askOf(world, one, 5);
      return one.part.likely('minute', 120, world.clock.now());
    };
    expect(await likely({ live: 4, others: 0 })).toBe(30);
    expect(await likely({ live: 2, others: 5 })).toBe(20);
    expect(await likely({ live: 0, others: 2 })).toBe(40);
    expect(await likely({ live: 0, others: 0 })).toBe(120);
  });

  it('is what the others use of its longest window: it is likely to have the rest', async () => {
    const world = worldOf();
    const one = await reader(world);
    one.read({ period: 'hour', limit: 1_000, used: 1 });
    let used = 1;
    world.answer = (sent, answer) =>
      answer === 'stale'
        ? answer
        : { ...answer, live: 2, used: sent.windows.map(({ limit }) => (limit === 1_000 ? used : 1)) };
    await askOf(world, one);
    one.send();
    await world.clock.advance(1_000);
    // One unit is its own, and one in a second of another process.
    used = 3;
    await askOf(world, one, 5);
    expect(one.part.likely('minute', 120, world.clock.now())).toBeCloseTo(60, 0);
    expect(one.part.likely('minute', 240, world.clock.now())).toBeCloseTo(240 - 60, 0);
  });

  it('is that another process looks: nothing is sent meanwhile, and it asks again in a fifth of a second', async () => {
    const world = worldOf();
    const one = await reader(world);
    world.answer = saying({ lookMs: 700, granted: [0, 0] });
    await askOf(world, one);
    expect(one.why()).toMatchObject({
      why: 'another process sends alone for a moment, to learn the limits and when windows end',
    });
    expect(one.check()?.until).toBeCloseTo(world.clock.now() + 199, -1);
    world.answer = undefined;
    await world.clock.advance(700);
    await askOf(world, one);
    expect(one.check()).toBeUndefined();
  });

  it('is a pause, of which its client hears once', async () => {
    const world = worldOf();
    const one = await reader(world);
    world.answer = saying({ pauseMs: 5_000, granted: [0, 0] });
    await askOf(world, one);
    expect(one.learned.filter((facts) => 'pausedUntil' in facts)).toHaveLength(1);
    const other = await reader(worldOf());
    expect(other.learned.filter((facts) => 'pausedUntil' in facts)).toHaveLength(0);
  });

  it('is the version of the facts', async () => {
    const world = worldOf();
    const one = await reader(world);
    world.answer = saying({ version: 7 });
    await askOf(world, one);
    one.end(one.send());
    await world.clock.advance(3_000);
    await askOf(world, one);
    expect(world.asks.at(-1)?.version).toBe(7);
  });
});

describe('the cost of calls', () => {
  it('is what the next ones are expected to cost', async () => {
    const world = worldOf();
    const one = await reader(world);
    one.read({ limit: 1_000, used: 1 });
    for (let count = 0; count < 40; count++) {
      one.waiting = 1;
      one.check(5);
      await world.clock.advance(1);
      one.waiting = 0;
      one.end(one.send(5));
    }
    one.waiting = 11;
    one.check(5);
    await world.clock.advance(1_100);
    one.check(5);
    await world.clock.advance(1);
    // Ten others of nearly five.
    expect(world.asks.at(-1)?.want).toBeGreaterThan(40);
  });

  it('stays counted where a request was lost, and shows no window to be unlimited', async () => {
    const world = worldOf();
    const one = processOf(world, { isVague: true });
    await askOf(world, one);
    const lease = one.send();
    one.waiting = 0;
    one.end(lease, 1, false);
    // Nothing was learned: the next one waits for a look of its own.
    expect(one.check()).toBeDefined();
    one.read({ used: 1 });
    expect(one.part.isGranting).toBe(false);
  });

  it('of others while the store is away is read from the windows', async () => {
    const world = worldOf();
    const one = await reader(world);
    world.isAway = true;
    one.waiting = 5;
    const sent: number[] = [];
    for (let at = 0; at < 160; at++) {
      if (one.check() === undefined) {
        sent.push(world.clock.now());
        const lease = one.send();
        // Others send as much as the minute allows.
        one.read({ used: 10 });
        one.end(lease);
      } else await world.clock.advance(250);
    }
    const gaps = sent.slice(1).map((at, nth) => at - (sent[nth] ?? 0));
    // Nothing is left for it, but it sends a unit in ten seconds: the others may have ended.
    expect(gaps.at(-1)).toBeGreaterThan(9_000);
  });
});
