import { describe, expect, it } from 'vitest';
import type { Client } from '../../src/index.ts';
import { seeded, type WindowKind } from '../../src/testing/index.ts';
import { cases } from '../support/deep.ts';
import { type Fleet, fleetOf } from './support/fleet.ts';
import { ACCOUNT, pricedAt } from './support/traffic.ts';

/** A call that costs one unit, or a costly one; resolves with how long it took. */
async function timed(
  client: Client | undefined,
  cost: number,
  now: () => number,
  maxWaitMs = 120_000,
): Promise<number> {
  const from = now();
  await (cost > 1 ? client?.getAddressAssets(ACCOUNT, { cost, maxWaitMs }) : client?.getInfo({ maxWaitMs }));
  return now() - from;
}

/** Processes with a second of ten units that slides, which they know, and costly calls of seven. */
function fleetOfSliding(size: number, seed?: number): Fleet {
  const shapes = { second: 'sliding-log' } as const;
  const quota = { keyed: { second: 10 }, windows: shapes, latencyMs: [20, 80], cost: pricedAt(7) } as const;
  return fleetOf(size, quota, {}, { ...(seed !== undefined && { seed }), calendar: ['month'], shapes });
}

describe('processes with calls of different costs', () => {
  // No cheap call went before a costly one that did not fit: 0.78 and 0.92.
  it.each(cases([[2, 7, 0.3]], [[4, 4, 0.2]]))(
    'pack a full second as one client does: %i of them, %i units for %d of the calls',
    async (size, cost, part) => {
      const shapes = { second: 'aligned' } as const;
      const quota = { keyed: { second: 10 }, windows: shapes, latencyMs: [20, 80], cost: pricedAt(cost) } as const;
      const fleet = fleetOf(size, quota, {}, { calendar: ['second'] });
      const { clock, clients } = fleet;
      await clock.run(Promise.all(clients.map((client) => client.getInfo())));
      await clock.run(clock.sleep(3_000));
      const random = seeded(cost);
      const costs = Array.from({ length: 90 }, () => (random() < part ? cost : 1));
      const from = clock.now();
      await clock.run(Promise.all(costs.map((each, nth) => timed(clients[nth % size], each, () => clock.now()))));
      const units = costs.reduce((sum, each) => sum + each, 0);
      expect(units / ((clock.now() - from) / 100)).toBeGreaterThan(0.95);
      expect(fleet.limited).toBe(0);
    },
  );

  /** What becomes of a costly call and of cheap ones of one process after another has used 15 of 20 units of a minute. */
  async function behind(minute: WindowKind): Promise<{ costlyMs: number; cheapMs: number[]; trips: number }> {
    const quota = { keyed: { minute: 20 }, windows: { minute }, latencyMs: [20, 80], cost: pricedAt(7) } as const;
    const fleet = fleetOf(2, quota, {}, { calendar: ['month'], shapes: { minute } });
    const { clock } = fleet;
    const [other, one] = fleet.clients;
    const call = async (
      client: Client | undefined,
      cost: number,
      atMs: number,
      maxWaitMs?: number,
    ): Promise<number> => {
      await clock.sleep(atMs);
      return timed(client, cost, () => clock.now(), maxWaitMs);
    };
    await clock.run(Promise.all(Array.from({ length: 15 }, (_, nth) => call(other, 1, nth * 200))));
    const before = fleet.trips;
    const costly = call(one, 7, 1);
    const cheap = [1_000, 3_000, 9_000, 10_000].map((atMs) =>
      call(one, 1, atMs, minute === 'aligned' ? 4_000 : undefined),
    );
    await clock.run(Promise.all([costly, ...cheap]));
    expect(fleet.limited).toBe(0);
    return { costlyMs: await costly, cheapMs: await Promise.all(cheap), trips: fleet.trips - before };
  }

  // They waited for the next minute, and one that could not wait so long failed.
  it('send cheap ones at once while a costly one waits for the next minute, because it needs more than is left', async () => {
    const { costlyMs, cheapMs } = await behind('aligned');
    expect(Math.max(...cheapMs)).toBeLessThan(500);
    expect(costlyMs).toBeLessThan(51_000);
  });

  // A rule that took a minute that slides for one of which the rest is of no use asked each 100 ms.
  it('leave a costly one what slides out of a minute, and ask for it no oftener than without cheap ones', async () => {
    const { costlyMs, trips } = await behind('sliding-log');
    expect(costlyMs).toBeLessThan(62_000);
    expect(trips).toBeLessThan(40);
  });

  /** One of four processes makes costly calls, the others as many cheap ones as they can, for 20 s. */
  async function besideCheap(priority: number, everyMs: number): Promise<{ costlyMs: number[]; tripsPerCall: number }> {
    const fleet = fleetOfSliding(4);
    const { clock, clients } = fleet;
    await clock.run(Promise.all(clients.map((client) => client.getInfo())));
    await clock.run(clock.sleep(3_000));
    const [until, trips] = [clock.now() + 20_000, fleet.trips];
    let calls = 0;
    const costlyMs: number[] = [];
    const costly = async (): Promise<void> => {
      while (clock.now() < until) {
        const from = clock.now();
        await clients[0]?.getAddressAssets(ACCOUNT, { cost: 7, priority, maxWaitMs: 120_000 });
        costlyMs.push(clock.now() - from);
        await clock.sleep(everyMs);
      }
    };
    const cheap = async (client: Client): Promise<void> => {
      for (; clock.now() < until; calls++) await client.getInfo({ maxWaitMs: 120_000 });
    };
    const busy = clients.slice(1).flatMap((client) => Array.from({ length: 24 }, () => cheap(client)));
    await clock.run(Promise.all([costly(), ...busy]));
    expect(fleet.limited).toBe(0);
    return { costlyMs, tripsPerCall: (fleet.trips - trips) / (calls + costlyMs.length) };
  }

  // What a costly call waited for was granted to cheap ones of the others as soon as it was free: it waited for as long as they came.
  it('send a costly one within five seconds beside others that fill a sliding second with cheap ones', async () => {
    const { costlyMs } = await besideCheap(0, 1);
    expect(Math.max(...costlyMs)).toBeLessThan(5_000);
  });

  it('send an urgent costly one as soon, and ask for what is earlier now and then only', async () => {
    const { costlyMs, tripsPerCall } = await besideCheap(5, 2_000);
    expect(Math.max(...costlyMs)).toBeLessThan(5_000);
    expect(tripsPerCall).toBeLessThan(1);
  });

  // A process that holds units of a slot 2.3 s ahead makes no trip until then: 11 and 7 were refused where that was not waited for.
  it.each([10, 12])('are refused nothing where the store forgets what a costly call holds: seed %i', async (seed) => {
    const fleet = fleetOfSliding(2, seed);
    const { clock, clients } = fleet;
    for (let nth = 0; nth < 8; nth++) {
      await clock.run(timed(clients[nth % 2], 1, () => clock.now()));
      await clock.run(clock.sleep(700));
    }
    const until = clock.now() + 20_000;
    const calls = async (client: Client | undefined, cost: number): Promise<void> => {
      while (clock.now() < until) await timed(client, cost, () => clock.now());
    };
    const forget = async (): Promise<void> => {
      for (const afterMs of [5_000, 5_370, 5_740]) {
        await clock.sleep(afterMs);
        fleet.flush();
      }
    };
    const [one, other] = clients;
    await clock.run(Promise.all([forget(), calls(one, 7), ...Array.from({ length: 24 }, () => calls(other, 1))]));
    expect(fleet.limited).toBe(0);
  });
});
