import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Client } from '../../src/index.ts';
import { type Latency, seeded } from '../../src/testing/index.ts';
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

  it.each(cases(['hour'], ['day']))(
    'wait for nothing after a burst of urgent calls while a tenth of the %s is free: it is not expected to go on till its end',
    async (period) => {
      const start = Date.UTC(2026, 2, 10, 9, 12, 7);
      const fleet = fleetOf(3, { keyed: { second: 20, [period]: 200 }, latencyMs: [10, 40] }, {}, { start });
      const took: number[] = [];
      const send = async (index: number, priority: number): Promise<void> => {
        const from = fleet.clock.now();
        await fleet.clients[index]?.getInfo({ priority, maxWaitMs: 600_000 });
        took.push(fleet.clock.now() - from);
      };
      await fleet.clock.run(Promise.all(Array.from({ length: 10 }, () => send(0, 1))));
      for (let call = 0; call < 170; call++) {
        await fleet.clock.run(send(1 + (call % 2), 0));
        await fleet.clock.advance(200);
      }
      expect(fleet.service.requests).toBe(180);
      // The reserve shrinks noticeably in half of this time.
      expect(Math.max(...took.slice(10))).toBeLessThan(4_000);
    },
  );

  it('are not refused where windows are token buckets: a look does not take one for the calendar while it does not know the clock', async () => {
    for (const seed of DEEP ? [1, 2, 3, 4] : [4]) {
      const quota = { keyed: { second: 20, minute: 500 }, windows: 'leaky', latencyMs: [5, 15] } as const;
      const fleet = fleetOf(4, quota, {}, { seed });
      void fleet.work(100_000).catch(() => {});
      await fleet.clock.advance(runs(30_000, 150_000));
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

  it('sleep until a slot begins of which they hold units: a call that waits is looked at a few times, not each millisecond', async () => {
    const fleet = fleetOf(
      4,
      { keyed: { second: 20, minute: 1_000 }, latencyMs: [5, 15] },
      {},
      { calendar: ['second'], keepsEvents: true },
    );
    const burst = async (client: Client): Promise<void> => {
      for (let turn = 0; turn < 8; turn++) {
        await Promise.all(Array.from({ length: 9 }, () => client.getInfo({ maxWaitMs: 60_000 })));
        await fleet.clock.sleep(1_300);
      }
    };
    await fleet.clock.run(Promise.all(fleet.clients.map(burst)));
    const looks = fleet.events.flat().filter(({ type }) => type === 'waiting').length;
    expect(looks).toBeGreaterThan(0);
    expect(looks).toBeLessThan(2 * fleet.service.requests);
  });

  it('wait for nothing after each has begun with a request that took long, as while a program starts', async () => {
    let firstMs = 3_000;
    const latencyMs = (): Latency => ({ there: 5, processing: firstMs, back: 5 });
    const fleet = fleetOf(6, { keyed: { second: 20, minute: 1_000 }, latencyMs }, {}, { calendar: ['second'] });
    await fleet.clock.run(Promise.all(fleet.clients.map((client) => client.getInfo({ maxWaitMs: 60_000 }))));
    firstMs = 5;
    await fleet.clock.advance(8_000);
    const took: number[] = [];
    const send = async (index: number, everyMs: number): Promise<void> => {
      const calls: Promise<number>[] = [];
      for (
        const end = fleet.clock.now() + runs(10_000, 20_000);
        fleet.clock.now() < end;
        await fleet.clock.sleep(everyMs)
      ) {
        const from = fleet.clock.now();
        const call = fleet.clients[index]?.getInfo({ maxWaitMs: 60_000 });
        calls.push(Promise.resolve(call).then(() => took.push(fleet.clock.now() - from)));
      }
      await Promise.all(calls);
    };
    // 13 calls a second of 20.
    await fleet.clock.run(Promise.all([send(0, 125), ...[1, 2, 3, 4, 5].map((index) => send(index, 1_007))]));
    expect(fleet.limited).toBe(0);
    expect(Math.max(...took)).toBeLessThan(1_000);
  });

  it.each(cases([5], [3, 8]))(
    'wait no longer than one client far below the limit where every fifth call costs %i units, with what is left of units that were asked for ahead',
    async (cost) => {
      const minutes = runs(1, 2);
      const p95 = async (isShared: boolean): Promise<number> => {
        const quota = { keyed: { minute: 500 }, latencyMs: [20, 80], cost: pricedAt(cost) } as const;
        const fleet = fleetOf(3, quota, {}, { isShared });
        const random = seeded(1);
        const took: number[] = [];
        // A call a second of the first process, and one each ten seconds of the others.
        const calls = Array.from({ length: 3 }, (_, index) => index).flatMap((index) =>
          Array.from({ length: (index === 0 ? 60 : 6) * minutes }, () => ({
            index,
            at: random() * minutes * 60_000,
            isCostly: random() < 0.2,
          })),
        );
        const made = calls.map(async ({ index, at, isCostly }) => {
          await fleet.clock.sleep(at);
          const from = fleet.clock.now();
          const client = fleet.clients[index];
          await (isCostly ? client?.getAddressAssets(ACCOUNT) : client?.getInfo());
          took.push(fleet.clock.now() - from);
        });
        await fleet.clock.run(Promise.all(made));
        expect(fleet.limited).toBe(0);
        return took.sort((a, b) => a - b)[Math.floor(took.length * 0.95)] ?? 0;
      };
      expect(await p95(true)).toBeLessThan((await p95(false)) + 50);
    },
  );

  it('send a call that costs all of a second although urgent calls come, of which each second keeps a unit', async () => {
    const fleet = fleetOf(2, { keyed: { second: 5 }, latencyMs: [20, 80], cost: pricedAt(5) });
    const [one, other] = fleet.clients;
    const urgent = async (): Promise<void> => {
      for (let count = 0; count < 60; count++) {
        await fleet.clock.sleep(2_000);
        await other?.getInfo({ priority: 1 });
      }
    };
    const took: number[] = [];
    const costly = async (): Promise<void> => {
      for (let count = 0; count < 6; count++) {
        await fleet.clock.sleep(15_000);
        const from = fleet.clock.now();
        await one?.getAddressAssets(ACCOUNT);
        took.push(fleet.clock.now() - from);
      }
    };
    await fleet.clock.run(Promise.all([urgent(), costly()]));
    // The first one is not known to cost as much.
    expect(Math.max(...took.slice(1))).toBeLessThan(5_000);
  });

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
