import { describe, expect, it } from 'vitest';
import { DEEP, runs } from '../support/deep.ts';
import { fleetOf } from './support/fleet.ts';

describe('processes that share a quota of any size, with any traffic at any time,', () => {
  it('use all of a day that has just begun, though nobody knows its shape and they used a few units of the day before', async () => {
    const start = Date.UTC(2026, 2, 10, 23, 59, 25);
    const fleet = fleetOf(16, { keyed: { day: 100 }, latencyMs: [10, 40] }, {}, { start });
    const served = async (by: readonly number[], everyMs: number): Promise<number> => {
      let count = 0;
      for (const index of by) {
        const one = fleet.clients[index]?.getInfo({ maxWaitMs: 60_000 }) as Promise<unknown>;
        await fleet.clock.run(one.then(() => count++).catch(() => {}));
        await fleet.clock.advance(everyMs);
      }
      return count;
    };
    expect(await served([10, 1, 12, 7, 1, 0, 7], 4_000)).toBe(7);
    await fleet.clock.advance(20_000);
    const turns = Array.from({ length: 100 }, (_, turn) => (7 + 3 * turn) % 16);
    expect(await served(turns, 3_000)).toBe(100);
    expect(fleet.limited).toBe(0);
  });

  it('are served again when a new month begins, all of what was missing from the old one', async () => {
    const start = Date.UTC(2026, 4, 1) - 20_000;
    const fleet = fleetOf(3, { keyed: { second: 20, month: 60 }, latencyMs: [10, 40] }, {}, { start });
    await fleet.clock.run(fleet.work(100));
    expect(fleet.limited).toBe(0);
    expect(fleet.clock.now()).toBeGreaterThan(20_000);
    expect(fleet.clock.now()).toBeLessThan(30_000);
  });

  it.runIf(DEEP).each([1, 2, 4])(
    'find out within half a minute what shape a second has, so that %i together lose nothing of it any more',
    async (size) => {
      const used: number[] = [];
      for (let seed = 1; seed <= 4; seed++) {
        const fleet = fleetOf(size, { keyed: { second: 20 }, latencyMs: [25, 60] }, {}, { seed });
        void fleet.work(100_000).catch(() => {});
        await fleet.clock.advance(30_000);
        const before = fleet.service.requests;
        await fleet.clock.advance(5_000);
        used.push((fleet.service.requests - before) / 100);
      }
      expect(Math.min(...used)).toBeGreaterThan(0.95);
    },
  );

  it('leave the whole quota to the only one that is busy, six seconds after any start', async () => {
    for (let seed = 1; seed <= runs(1, 40); seed++) {
      const start = Date.UTC(2026, 2, 10, 14, 0, 7) + seed * 137;
      const fleet = fleetOf(4, { keyed: { second: 20 }, latencyMs: [5, 15] }, {}, { seed, start });
      const once = fleet.clients.map((client) => client.getInfo({ maxWaitMs: Infinity }));
      void Promise.all(once)
        .then(() => fleet.work(100_000, [0]))
        .catch(() => {});
      await fleet.clock.advance(7_000);
      const before = fleet.service.requests;
      const seconds = runs(10, 20);
      await fleet.clock.advance(seconds * 1_000);
      expect(fleet.service.requests - before).toBeGreaterThanOrEqual(0.97 * 20 * seconds);
      expect(fleet.limited).toBe(0);
    }
  });

  it.runIf(DEEP).each([1, 4, 8])(
    'use a token bucket as one client does: what is not used drains, and %i together take the first burst of it, too',
    async (size) => {
      for (let seed = 1; seed <= 4; seed++) {
        const keyed = { second: 20, minute: 500 };
        const quota = { keyed, windows: 'leaky', latencyMs: [5, 15] } as const;
        const [shared, alone] = [fleetOf(size, quota, {}, { seed }), fleetOf(1, quota, {}, { seed, isShared: false })];
        for (const fleet of [shared, alone]) {
          void fleet.work(100_000).catch(() => {});
          await fleet.clock.advance(180_000);
        }
        expect(shared.service.requests / alone.service.requests).toBeGreaterThan(0.95);
        expect(shared.limited).toBe(0);
      }
    },
    600_000,
  );
});
