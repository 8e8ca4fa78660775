import { describe, expect, it } from 'vitest';
import { untilNext } from '../../bench/at-random.ts';
import { seeded } from '../../src/testing/index.ts';
import { runs } from '../support/deep.ts';
import { type Fleet, fleetOf } from './support/fleet.ts';

const LATENCY_MS = 10;

/** Light calls come for so long, in milliseconds. */
const LASTS_MS = runs(20_000, 60_000);
const CALENDAR = { calendar: ['second', 'minute'] } as const;

/** Four clients that make so many calls a second each at random instants; returns how long each took, in milliseconds, and trips. */
async function light(
  isNear: boolean,
  { perSecond, second }: { perSecond: number; second: number } = { perSecond: 1, second: 20 },
): Promise<{ readonly took: readonly number[]; readonly trips: number }> {
  const keyed = { second, minute: 50 * second };
  const fleet = fleetOf(4, { keyed, latencyMs: LATENCY_MS }, {}, { ...CALENDAR, isNear });
  const took: number[] = [];
  const call = async (index: number): Promise<void> => {
    const from = fleet.clock.now();
    await fleet.clients[index]?.getInfo();
    took.push(fleet.clock.now() - from);
  };
  const work = async (index: number): Promise<void> => {
    const random = seeded(index);
    for (const end = fleet.clock.now() + LASTS_MS; fleet.clock.now() < end; ) {
      await fleet.clock.sleep(untilNext(1_000 / perSecond, random));
      void call(index);
    }
  };
  await fleet.clock.run(Promise.all([0, 1, 2, 3].map(work)));
  expect(fleet.limited).toBe(0);
  return { took, trips: fleet.trips };
}

/** Lets each client make so many calls, a second apart or more. */
async function calls(fleet: Fleet, count: number, apartMs = 1_000): Promise<void> {
  const work = async (client: Fleet['clients'][number]): Promise<void> => {
    for (let made = 0; made < count; made++) {
      await client.getInfo();
      await fleet.clock.sleep(apartMs);
    }
  };
  await fleet.clock.run(Promise.all(fleet.clients.map(work)));
}

describe('processes that share a quota through a store that is near', () => {
  it('send most light calls without a trip, which those of another store do not', async () => {
    const prompt = ({ took }: Awaited<ReturnType<typeof light>>): number =>
      took.filter((ms) => ms === LATENCY_MS).length / took.length;
    expect(prompt(await light(true))).toBeGreaterThan(0.75);
    expect(prompt(await light(false))).toBeLessThan(0.6);
  });

  it('ask once for several calls that are expected, where the limits have room for them', async () => {
    const { took, trips } = await light(true, { perSecond: 3, second: 100 });
    expect(trips / took.length).toBeLessThan(0.6);
  });

  it('make no trip any more once no call is expected, and have given back what they held', async () => {
    const fleet = fleetOf(
      4,
      { keyed: { second: 20, minute: 60 }, latencyMs: LATENCY_MS },
      {},
      { ...CALENDAR, isNear: true },
    );
    await calls(fleet, 5);
    await fleet.clock.advance(12_000);
    const { trips } = fleet;
    await fleet.clock.advance(15_000);
    expect(fleet.trips).toBe(trips);
    // 39 s into the minute, in which all that is left is for one of them.
    await fleet.clock.run(fleet.work(40, [0]));
    expect(fleet.clock.now()).toBeLessThan(53_000);
    expect(fleet.limited).toBe(0);
  });

  it('ask for nothing ahead after a single call, however many were made 15 s before', async () => {
    const [near, far] = [true, false].map((isNear) =>
      fleetOf(2, { keyed: { second: 20 }, latencyMs: LATENCY_MS }, {}, { calendar: ['second'], isNear }),
    );
    for (const fleet of [near, far]) {
      if (!fleet) continue;
      await calls(fleet, 3, 15_000);
      await fleet.clock.advance(10_000);
    }
    expect(near?.trips).toBe(far?.trips);
  });

  it('give back soon what an idle process holds ahead, and a call that waits for it learns so', async () => {
    const fleet = fleetOf(
      2,
      { keyed: { second: 20, minute: 20 }, latencyMs: LATENCY_MS },
      {},
      { ...CALENDAR, isNear: true },
    );
    const { clock, clients } = fleet;
    await clock.run(fleet.work(1, [1]));
    // One of them makes calls, until it holds a unit for the next one.
    for (let made = 0; made < 3; made++) {
      await clock.run(fleet.work(1, [0]));
      await clock.advance(1_000);
    }
    const from = clock.now();
    await clock.run(fleet.work(16, [1]));
    expect(clock.now() - from).toBeLessThan(3_000);
    expect(clients[1]?.waiting).toBe(0);
    expect(fleet.limited).toBe(0);
  });

  it('ask every few seconds each while a minute has nothing left but what the minute before may still count for', async () => {
    const start = Date.UTC(2026, 2, 10, 14, 0, 0, 137);
    const size = runs(4, 8);
    const fleet = fleetOf(
      size,
      { keyed: { second: 20, minute: 500 }, latencyMs: [10, 30] },
      {},
      { start, isNear: true },
    );
    void fleet.work(100_000).catch(() => {});
    await fleet.clock.advance(32_000);
    const { trips } = fleet;
    await fleet.clock.advance(20_000);
    expect(fleet.trips - trips).toBeLessThan(8 * size);
  });
});
