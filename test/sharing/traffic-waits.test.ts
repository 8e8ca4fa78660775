import { describe, expect, it } from 'vitest';
import type { Client } from '../../src/index.ts';
import { type Latency, seeded } from '../../src/testing/index.ts';
import { cases, runs } from '../support/deep.ts';
import { fleetOf } from './support/fleet.ts';
import { ACCOUNT, pricedAt } from './support/traffic.ts';

describe('processes that share a quota of any size, with any traffic at any time,', () => {
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
});
