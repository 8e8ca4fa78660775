import { describe, expect, it } from 'vitest';
import { untilNext } from '../../bench/at-random.ts';
import { seeded } from '../../src/testing/index.ts';
import { cases, DEEP, runs } from '../support/deep.ts';
import { fleetOf } from './support/fleet.ts';

describe('clients that share one key, in virtual time', () => {
  it('make few round trips a call, and next to none in the middle of a minute', async () => {
    const calls = runs(400, 8_000);
    const fleet = fleetOf(runs(3, 8), { keyed: { minute: runs(300, 2_000) } });
    await fleet.clock.run(fleet.work(calls));
    expect(fleet.limited).toBe(0);
    expect(fleet.trips / calls).toBeLessThan(0.15);
  });

  it('make a trip for every second call at most where a month bounds them', async () => {
    const calls = runs(150, 600);
    const fleet = fleetOf(4, { keyed: { second: 40, month: 100_000 } });
    await fleet.clock.run(fleet.work(runs(200, 300)));
    const before = fleet.trips;
    await fleet.clock.run(fleet.work(calls));
    expect((fleet.trips - before) / calls).toBeLessThan(0.5);
  });

  // Of seeds 1 to 24, three to six need more than the first six seconds to find out.
  it.runIf(DEEP).each(Array.from({ length: 24 }, (_, at) => at + 1))(
    'know the shape of the second after a minute, and make few trips: seed %i',
    async (seed) => {
      const calls = 300;
      const fleet = fleetOf(8, {}, {}, { seed });
      await fleet.clock.run(fleet.work(600));
      const before = fleet.trips;
      await fleet.clock.run(fleet.work(calls));
      expect((fleet.trips - before) / calls).toBeLessThan(0.4);
    },
  );

  it('know the shape of a minute when the first one that they fill is over, and make half a trip a call from then on', async () => {
    const limit = runs(120, 500);
    const fleet = fleetOf(runs(3, 16), { keyed: { second: 20, minute: limit }, latencyMs: [5, 15] });
    void fleet.work(100_000).catch(() => {});
    await fleet.clock.advance(53_000);
    for (const most of DEEP ? [0.6, 0.5] : [0.5]) {
      const [calls, trips] = [fleet.service.requests, fleet.trips];
      await fleet.clock.advance(60_000);
      expect(fleet.service.requests - calls).toBeGreaterThanOrEqual(limit - 1);
      expect((fleet.trips - trips) / (fleet.service.requests - calls)).toBeLessThan(most);
    }
    expect(fleet.limited).toBe(0);
  });

  it.each(
    cases(
      // Processes, calls a second of each, limits, most trips a call in the first minute, or two minutes.
      [[4, 1, { second: 20, minute: 1_000 }, 0.8]],
      [
        [4, 3, { second: 100, minute: 5_000 }, 0.4],
        [16, 0.5, { second: 20, minute: 1_000 }, 1],
      ],
    ),
  )(
    'make at most one trip a call from the first one on, where %i of them make %d light calls a second',
    async (size, rate, keyed, most) => {
      let early = 0;
      for (let seed = 1; seed <= runs(1, 5); seed++) {
        const fleet = fleetOf(size, { keyed, latencyMs: [5, 15] }, {}, { seed });
        const call = async (index: number): Promise<void> => {
          const random = seeded(1_000 * seed + index);
          for (;;) {
            await fleet.clock.sleep(untilNext(1_000 / rate, random));
            void fleet.clients[index]?.getInfo();
          }
        };
        for (let index = 0; index < size; index++) void call(index);
        await fleet.clock.advance(10_000);
        early += fleet.trips - fleet.service.requests;
        await fleet.clock.advance(runs(50_000, 110_000));
        expect(fleet.trips / fleet.service.requests).toBeLessThanOrEqual(most);
        expect(fleet.limited).toBe(0);
      }
      // In the first ten seconds: the first trip of each process learns which windows there are, and one of them has looked and told.
      expect(early / runs(1, 5)).toBeLessThanOrEqual(size + 12);
    },
  );
});
