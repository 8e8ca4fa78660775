import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fleetOf } from './fleet.ts';
import { boundOf, type Plan, plans, send } from './support/traffic.ts';

/** `DEEP=1` tries more plans, for a minute. */
const RUNS = process.env.DEEP === '1' ? 800 : 40;

async function expectServed(plan: Plan): Promise<void> {
  const shared = await send(plan, true);
  const alone = await send(plan, false);
  expect(shared.failures).toEqual([]);
  expect(shared.limited).toBe(0);
  expect(shared.took.length).toBe(shared.calls);
  // The same calls made through one client are in another order, so the longest are compared.
  const more = (shared.took.at(-1) ?? 0) - (alone.took.at(-1) ?? 0);
  expect(more).toBeLessThanOrEqual(boundOf(plan, shared.calls));
}

describe('processes that share a quota of any size, with any traffic at any time,', () => {
  it('are never refused, and no call of theirs fails or waits much longer than without the others', async () => {
    await fc.assert(fc.asyncProperty(plans, expectServed), { numRuns: RUNS });
  });

  const onTheThird = Date.UTC(2026, 2, 3, 9, 12, 40);
  const sold = { second: 10, minute: 60, month: 5_000 };
  it.each([
    ['light', 2],
    ['light', 16],
    ['bursty', 4],
    ['uneven', 3],
    ['saturated', 4],
  ] as const)(
    'spend 10 a second, 60 a minute and 5,000 a month on the third day: %s traffic of %i',
    async (kind, processes) => {
      await expectServed({ limits: sold, start: onTheThird, processes, kind, isKnown: false, seed: 11 });
    },
  );

  it('wait for nothing while two of them send few calls of 3,000 a month, on its first day or its last', async () => {
    for (const start of [Date.UTC(2026, 3, 1), Date.UTC(2026, 3, 30, 6)]) {
      const fleet = fleetOf(2, { keyed: { second: 10, month: 3_000 }, latencyMs: [10, 40] }, {}, { start });
      const took: number[] = [];
      const quiet = async (index: number, everyMs: number): Promise<void> => {
        for (let count = 0; count < 30; count++) {
          const from = fleet.clock.now();
          await fleet.clients[index]?.getInfo({ maxWaitMs: 2_000 });
          took.push(fleet.clock.now() - from);
          await fleet.clock.sleep(everyMs);
        }
      };
      await fleet.clock.run(Promise.all([quiet(0, 1_020_000), quiet(1, 1_321_000)]));
      expect(fleet.limited).toBe(0);
      // What a call takes at the service, and one or two trips.
      expect(Math.max(...took.slice(2))).toBeLessThan(200);
    }
  });

  it('are served again when a new month begins, all of what was missing from the old one', async () => {
    const start = Date.UTC(2026, 4, 1) - 20_000;
    const fleet = fleetOf(3, { keyed: { second: 20, month: 60 }, latencyMs: [10, 40] }, {}, { start });
    await fleet.clock.run(fleet.work(100));
    expect(fleet.limited).toBe(0);
    expect(fleet.clock.now()).toBeGreaterThan(20_000);
    expect(fleet.clock.now()).toBeLessThan(30_000);
  });
});
