import { describe, expect, it } from 'vitest';
import { SHAPES } from '../../src/quota/models/all.ts';
import { askOf, processOf, reader, saying, worldOf } from './support/shared.ts';

describe('a call that a share holds back', () => {
  it('ends with its patience once none could go for eight seconds', async () => {
    const world = worldOf();
    world.isAway = true;
    const one = processOf(world);
    one.read({ used: 1 });
    one.waiting = 5;
    while (one.check()) await world.clock.advance(100);
    one.end(one.send());
    const firm: boolean[] = [];
    for (let second = 0; second < 10; second++) {
      firm.push(one.check()?.isFirm === true);
      await world.clock.advance(1_000);
    }
    expect(firm).toEqual([...Array(9).fill(false), true]);
  });

  it('waits on while the store answers, however little it grants', async () => {
    const world = worldOf();
    const one = await reader(world);
    one.read({ limit: 100_000, used: 1 });
    world.answer = saying({ granted: [0, 0, 0] });
    for (let at = 0; at < 40; at++) {
      await askOf(world, one);
      expect(one.check()?.isFirm).toBe(false);
      await world.clock.advance(250);
    }
  });

  it('waits for the first answer of its process where a minute may slide, and is not told that all of it is used up', async () => {
    const world = worldOf();
    const [one, other] = [processOf(world), processOf(world)];
    const shapes = { alive: SHAPES, epoch: 0 };
    for (const each of [one, other]) each.read({ limit: 30, used: 1, shapes });
    for (const lease of await other.take(16)) other.end(lease);
    await world.clock.advance(8_000);
    await askOf(world, one, 2);
    one.send();
    expect(one.why()).toEqual({
      kind: 'share',
      why: 'the next response shows what is left of the minute',
    });
    one.read({ limit: 30, used: 18, shapes });
    expect(one.why()).toBeUndefined();
  });

  it('is not let go before a window is known where the store has answered and is lost since', async () => {
    const world = worldOf();
    const one = processOf(world);
    world.look = 900;
    await askOf(world, one);
    world.isAway = true;
    for (let at = 0; at < 100; at++) {
      expect(one.check()).toBeDefined();
      await world.clock.advance(10);
    }
  });
});

describe('a store that was away for long', () => {
  it('is asked for no slot of the next two seconds, in which others may still send without a grant', async () => {
    const world = worldOf();
    const one = await reader(world);
    one.read({ limit: 1_000, used: 1 });
    await askOf(world, one);
    one.end(one.send());
    world.isAway = true;
    for (let at = 0; at < 20; at++) {
      await askOf(world, one, 5);
      await world.clock.advance(250);
    }
    world.isAway = false;
    const before = world.asks.length;
    while (world.asks.length === before) await askOf(world, one, 5);
    const seconds = world.asks.at(-1)?.slots.filter(({ wish }) => wish > 0) ?? [];
    const begins = seconds.map(({ name }) => 1_000 * Number.parseInt(name, 10));
    expect(Math.min(...begins)).toBeGreaterThanOrEqual(world.clock.wall() + 1_000);
  });

  it('has forgotten what a process told it: only what was spent beyond that is told', async () => {
    const told = async (awayMs: number): Promise<number> => {
      const world = worldOf();
      const one = await reader(world);
      one.read({ limit: 1_000, used: 1 });
      one.read({ period: 'hour', limit: 1_000, used: 1 });
      await world.clock.advance(2_000);
      await askOf(world, one);
      one.waiting = 0;
      const lease = one.send();
      world.isAway = true;
      one.end(lease, 4);
      await world.clock.advance(awayMs);
      const before = world.asks.length;
      world.isAway = false;
      await world.clock.advance(20_000);
      return Math.max(...world.asks.slice(before).flatMap(({ slots }) => slots.map(({ total }) => total)));
    };
    expect([await told(10_000), await told(61_000)]).toEqual([4, 3]);
  });
});
