import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Client } from '../../src/index.ts';
import { seeded } from '../../src/testing/index.ts';
import { cases, DEEP, runs } from '../support/deep.ts';
import { fleetOf } from './support/fleet.ts';
import { ACCOUNT, boundOf, costlyPlans, type Plan, plans, pricedAt, send } from './support/traffic.ts';

async function expectServed(plan: Plan): Promise<void> {
  const shared = await send(plan, true);
  const alone = await send(plan, false);
  expect(shared.failures).toEqual([]);
  expect(shared.limited).toBe(0);
  expect(shared.took.length).toBe(shared.calls);
  // The same calls made through one client are in another order, so the longest are compared.
  const aloneMs = alone.took.at(-1) ?? 0;
  expect((shared.took.at(-1) ?? 0) - aloneMs).toBeLessThanOrEqual(boundOf(plan, shared.calls, aloneMs));
}

describe('processes that share a quota of any size, with any traffic at any time,', () => {
  it('are never refused, and no call of theirs fails or waits much longer than without the others', async () => {
    await fc.assert(fc.asyncProperty(plans, expectServed), { numRuns: runs(3, 400) });
  }, 600_000);

  it('are never refused where each fifth call costs three or five units, nor does a call fail or wait much longer', async () => {
    await fc.assert(fc.asyncProperty(costlyPlans, expectServed), { numRuns: runs(2, 150) });
  }, 600_000);

  it('are not refused where one asks to look just after another has told what it saw, and the only unit of a second is used', async () => {
    for (const seed of cases([2, 12, 15], [19, 21, 25])) {
      const fleet = fleetOf(50, { keyed: { second: 1 }, latencyMs: [10, 40] }, {}, { start: Date.UTC(2025, 0), seed });
      for (const [index, client] of fleet.clients.entries())
        void fleet.clock
          .sleep(index)
          .then(() => client.getInfo())
          .catch(() => {});
      await fleet.clock.advance(1_500);
      expect([fleet.service.requests > 0, fleet.limited]).toEqual([true, 0]);
    }
  });

  it('know what a call costs as soon as one of them does: they are not refused because each learns it by itself', async () => {
    for (const seed of cases([3], [1, 12])) {
      const quota = { keyed: { minute: 100 }, latencyMs: [20, 80], cost: pricedAt(5) } as const;
      const fleet = fleetOf(16, quota, {}, { seed });
      const work = async (client: Client, index: number): Promise<void> => {
        for (let call = 0; call < 5; call++)
          await ((index + 3 * call) % 4 === 0 ? client.getAddressAssets(ACCOUNT) : client.getInfo());
      };
      void Promise.all(fleet.clients.map(work)).catch(() => {});
      await fleet.clock.advance(1_500);
      expect([fleet.service.requests > 40, fleet.limited]).toEqual([true, 0]);
    }
  });

  it('do not look at a second while the only unit of a minute is used: the look would be refused', async () => {
    const fleet = fleetOf(
      33,
      { keyed: { second: 1, minute: 1 }, latencyMs: [10, 40] },
      {},
      { start: Date.UTC(2025, 0, 1) },
    );
    const random = seeded(1);
    const settled = Promise.allSettled(
      Array.from({ length: 120 }, async (_, index) => {
        await fleet.clock.sleep(random() * 50);
        await fleet.clients[index % 33]?.getInfo();
      }),
    );
    await fleet.clock.run(fleet.clock.sleep(10_000));
    expect(fleet.limited).toBe(0);
    await fleet.clock.run(Promise.all(fleet.clients.map((client) => client.close())));
    await fleet.clock.run(settled);
  });

  const onTheThird = Date.UTC(2026, 2, 3, 9, 12, 40);

  const sold = { second: 10, minute: 60, month: 5_000 };

  it.each(
    cases(
      [['saturated', 4]],
      [
        ['uneven', 3],
        ['light', 2],
        ['light', 16],
        ['bursty', 4],
      ],
    ),
  )('spend 10 a second, 60 a minute and 5,000 a month on the third day: %s traffic of %i', async (kind, processes) => {
    const mostCalls = runs(80, 120);
    await expectServed({ limits: sold, start: onTheThird, processes, kind, mostCalls, isKnown: false, seed: 11 });
  });

  it('are not refused where each has its turn once in many windows, hours after the one before', async () => {
    const start = Date.UTC(2025, 0, 1);
    const [processes, mostCalls] = [runs(4, 16), runs(24, 120)];
    const plan = { limits: { minute: 1 }, processes, kind: 'saturated', mostCalls, isKnown: false, seed: 1 } as const;
    await expectServed({ ...plan, start });
  });

  it('are not refused where windows are token buckets: a look does not take one for the calendar while it does not know the clock', async () => {
    for (const seed of DEEP ? [1, 2, 3, 4] : [4]) {
      const quota = { keyed: { second: 20, minute: 500 }, windows: 'leaky', latencyMs: [5, 15] } as const;
      const fleet = fleetOf(4, quota, {}, { seed });
      void fleet.work(100_000).catch(() => {});
      await fleet.clock.advance(runs(30_000, 150_000));
      expect(fleet.limited).toBe(0);
    }
  });

  it.each(cases([2], [3, 4, 5]))(
    'are hardly refused where the service estimates a second of %i units from two counters: half of it is granted',
    async (second) => {
      const fleet = fleetOf(2, { keyed: { second }, windows: 'sliding-counter', latencyMs: [10, 40] });
      await fleet.clock.run(fleet.work(30 * second));
      // Those of the first seconds, which show the shape.
      expect(fleet.limited).toBeLessThanOrEqual(6);
      expect(fleet.clock.now()).toBeLessThan(100_000);
    },
  );

  it.each(DEEP ? [5, 15] : [15])(
    'are not refused when one of them starts after %i idle minutes, and knows only what the others have told',
    async (minutes) => {
      const fleet = fleetOf(2, { keyed: { second: 20 }, latencyMs: [25, 60] }, {}, { calendar: ['second'] });
      await fleet.clock.run(fleet.work(100, [0]));
      await fleet.clock.advance(minutes * 60_000 + 300);
      await fleet.clock.run(fleet.work(200, [1]));
      // How far the service’s clock is off is not believed for longer than ten minutes, and the shape is for an hour.
      // By the first request it learns the clock again: that one may be counted in another second than it is booked in.
      expect(fleet.limited).toBeLessThanOrEqual(1);
    },
  );
});
