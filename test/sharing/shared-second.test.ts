import { describe, expect, it } from 'vitest';
import type { WindowKind } from '../../src/testing/index.ts';
import { cases, runs } from '../support/deep.ts';
import { byChance, most } from './support/by-chance.ts';
import { fleetOf } from './support/fleet.ts';

/** Four sources of six calls at once every three seconds by chance: two fifths of 20 a second in all. */
const BURSTS = Array.from({ length: 4 }, () => ({ apartMs: 3_000, size: 6 }));

/** How many of twenty calls of each of three processes, one in three seconds, are answered, each of which costs so many of 20 units. */
async function served(second: WindowKind, cost: number): Promise<number> {
  const shapes = { second, minute: 'aligned' } as const;
  const quota = {
    keyed: { second: 20, minute: 1_000 },
    windows: shapes,
    cost: () => cost,
    latencyMs: [20, 80],
  } as const;
  const { clock, clients, service } = fleetOf(3, quota, {}, { calendar: ['minute'], shapes });
  for (const client of clients)
    void (async () => {
      for (let one = 0; one < 20; one++) {
        await client.getInfo();
        await clock.sleep(3_000);
      }
    })().catch(() => {});
  await clock.advance(120_000);
  return service.log.filter(({ limited }) => !limited).length;
}

async function quantile(
  second: WindowKind,
  size: number,
  latencyMs: readonly [least: number, most: number] = [20, 80],
  fromMs = 60_000,
): Promise<number> {
  const windows = { second, minute: 'aligned' } as const;
  const quota = { keyed: { second: 20, minute: 1_000 }, windows, latencyMs };
  const fleet = fleetOf(size, quota, {}, { isShared: size > 1 });
  const took = await byChance(fleet, BURSTS, { fromMs, untilMs: fromMs + runs(25_000, 120_000) });
  expect(fleet.limited).toBe(0);
  return most(took);
}

describe('processes with bursts that come by chance, of two fifths of the second that they share,', () => {
  // Once it was counted as one that slides: 0.9 s.
  it('wait for less than 0.6 s where it drains', async () => {
    expect(await quantile('leaky', 1)).toBeLessThan(100);
    expect(await quantile('leaky', 4)).toBeLessThan(600);
  });

  // A unit counted in each fourth of the tenths of a second in which its request might arrive: 3.3 s.
  it('wait for less than a second where answers are slow and uneven, too', async () => {
    expect(await quantile('leaky', 4, [100, 400], runs(15_000, 60_000))).toBeLessThan(1_000);
  });
});

describe('processes that find out that the second which they share drains', () => {
  it.each(
    cases(
      // That it does not was taken from a second in which no reading counted less than the one before: 16 and 8 refused.
      [
        [60, [20, 80]],
        [30, [50, 250]],
      ],
      // A unit that might arrive in twelve tenths of a second counted in the last of them alone: 2 refused.
      [[20, [20, 80]]],
    ),
  )('have no request refused meanwhile (%i units, answers take %j ms)', async (second, latencyMs) => {
    const fleet = fleetOf(3, { keyed: { second }, windows: { second: 'leaky' }, latencyMs }, {}, { seed: 1 });
    await fleet.clock.run(fleet.work(20 * second));
    expect(fleet.limited).toBe(0);
  });
});

describe('processes whose calls cost more than a step of the second that they share has', () => {
  // Only the first one was answered: no step had room for the second.
  it.each([
    ['sliding-counter', 5],
    ['leaky', 18],
  ] as const)('are all answered where it is a %s', async (second, cost) => {
    expect(await served(second, cost)).toBe(60);
  });
});

describe('processes whose calls wait for a second of few units that begins with the calendar', () => {
  // No process made enough of the requests by itself to rule the other shapes out: 0.65 to 0.75.
  it.each(
    cases(
      [[10, [100, 300], 7]],
      [
        [3, [25, 150], 3],
        [5, [25, 150], 3],
        [5, [25, 150], 5],
        [10, [100, 300], 3],
        [10, [100, 300], 4],
        [20, [100, 300], 3],
      ],
    ),
  )(
    'use all of %i units once they have found that out, although answers take %j ms (seed %i)',
    async (limit, latencyMs, seed) => {
      const windows = { second: 'aligned', minute: 'aligned' } as const;
      const fleet = fleetOf(4, { keyed: { second: limit, minute: limit * 60 }, windows, latencyMs }, {}, { seed });
      void fleet.work(limit * 100).catch(() => {});
      await fleet.clock.advance(30_000);
      const [before, seconds] = [fleet.service.log.length, runs(8, 30)];
      await fleet.clock.advance(seconds * 1_000);
      expect(fleet.service.log.length - before).toBeGreaterThan(0.95 * limit * seconds);
      expect(fleet.limited).toBe(0);
    },
  );
});

describe('processes whose calls wait for a second of few units that drains', () => {
  // That it is estimated could not be ruled out, and it was used as if it were: 0.5 of 4 units, and 0.6 of 5.
  it.each(cases([[5]], [[3], [4], [6]]))('use as many of %i units as if it slid, at least', async (second) => {
    const fleet = fleetOf(3, { keyed: { second }, windows: { second: 'leaky' }, latencyMs: [20, 80] }, {}, { seed: 1 });
    void fleet.work(100 * second).catch(() => {});
    await fleet.clock.advance(20_000);
    const before = fleet.service.log.length;
    await fleet.clock.advance(30_000);
    expect(fleet.service.log.length - before).toBeGreaterThan(0.75 * second * 30);
    expect(fleet.limited).toBe(0);
  });
});

describe('processes that share a quota of a service that sends no date', () => {
  // Of the calendar's second the store's clock misses the beginning: 57 of 600 requests were refused, and the first of each later process in any shape.
  it.each(
    cases(
      [['aligned', -400]],
      [
        ['sliding-log', 30],
        ['aligned', 3_000],
        ['first-request', 30],
        ['leaky', 400],
      ],
    ),
  )('are not refused where the second is %s, and the clock of the store %i ms ahead', async (second, ahead) => {
    const quota = { keyed: { second: 20, minute: 900 }, windows: { second }, headers: { date: false } } as const;
    const fleet = fleetOf(4, { ...quota, latencyMs: [20, 80] });
    fleet.ahead = ahead;
    await fleet.clock.run(fleet.work(runs(200, 600)));
    expect(fleet.limited).toBe(0);
  });
});
