import { expect, it } from 'vitest';
import type { Member } from '../../../src/share.ts';
import type { ShareStore } from '../../../src/sharing/store/store.ts';
import { Trips } from '../../../src/sharing/trips/trips.ts';
import { type VirtualClock, virtualClock } from '../../../src/testing/index.ts';

class ReplyError extends Error {
  override readonly name = 'ReplyError';
}

class Odd extends Error {
  override readonly name = 'odd name 7';
}

/** As node-redis makes it: its class has no `name` of its own. */
class ClientClosedError extends Error {}

interface World {
  readonly clock: VirtualClock;
  readonly trips: Trips;
  /** What the listener was told, in order. */
  readonly told: string[];
  /** How long a call of the store takes, in milliseconds. */
  tookMs: number;
  isAway: boolean;
}

/** Trips that make one call of a store each. */
function worldOf(timeoutMs = 50): World {
  const clock = virtualClock();
  const told: string[] = [];
  const connect = async (): Promise<ShareStore> => {
    if (world.isAway) throw new Error('LOADING');
    return {} as ShareStore;
  };
  const trips = new Trips({ clock, random: () => 0.5 } as unknown as Member, connect, timeoutMs, {
    travel: async () => {
      told.push('travel');
      await trips.call(() => clock.sleep(world.tookMs));
    },
    forgotten: () => void told.push('forgotten'),
    lost: (code) => void told.push(code),
    regained: () => void told.push('regained'),
    done: () => void told.push('done'),
  });
  const world: World = { clock, trips, told, tookMs: 0, isAway: false };
  return world;
}

/** Three trips in a row whose store cannot be reached, `apartMs` apart, and the codes by which it is lost. */
async function lostOf(
  connect: () => Promise<never>,
  apartMs: number,
  problem?: () => unknown,
): Promise<{ readonly trips: Trips; readonly lost: readonly string[] }> {
  const clock = virtualClock();
  const lost: string[] = [];
  const trips = new Trips({ clock, random: () => 0.5 } as unknown as Member, connect, 50, {
    travel: async () => {},
    problem,
    forgotten() {},
    lost: (word) => void lost.push(word),
    regained() {},
    done() {},
  });
  for (let failures = 0; failures < 3; failures++) {
    trips.start();
    await clock.advance(apartMs);
  }
  return { trips, lost };
}

it('a call of a store takes as long as the recent ones in the middle: one that is late by chance does not count', async () => {
  const world = worldOf();
  const told: number[] = [];
  for (const tookMs of [11, 45, 12, 45, 45]) {
    world.tookMs = tookMs;
    world.trips.start();
    await world.clock.advance(1_000);
    told.push(Math.round(world.trips.tripMs));
  }
  expect(told).toEqual([11, 11, 12, 45, 45]);
});

it('a store may have forgotten a process that has not asked for more than fifty seconds', async () => {
  const told = async (restMs: number): Promise<string[]> => {
    const { clock, trips, told: all } = worldOf();
    await clock.advance(7);
    trips.start();
    await clock.advance(restMs);
    trips.start();
    await clock.advance(1);
    return all;
  };
  expect(await told(50_000)).toEqual(['travel', 'done', 'travel', 'done']);
  expect(await told(50_001)).toEqual(['travel', 'done', 'forgotten', 'travel', 'done']);
});

it('a process that leaves makes a last trip only to a store that answers', async () => {
  const never = worldOf();
  await never.trips.leave();
  expect(never.told).toEqual([]);
  const away = worldOf();
  away.trips.start();
  await away.clock.advance(1);
  away.isAway = true;
  away.trips.start();
  await away.clock.advance(1);
  away.isAway = false;
  await away.trips.leave();
  expect(away.told).toEqual(['travel', 'done', 'done']);
  expect([away.trips.lostSince, away.trips.failures]).toEqual([undefined, 1]);
});

it('a store that has never answered is given a second, and then fifty milliseconds', async () => {
  const { clock, trips, told } = worldOf();
  trips.start();
  await clock.advance(1);
  expect(told).toEqual(['travel', 'done']);
  const slow = worldOf();
  slow.tookMs = 999;
  slow.trips.start();
  await slow.clock.advance(1_000);
  expect([slow.trips.hasJoined, slow.trips.failures]).toEqual([true, 0]);
  const slower = worldOf();
  slower.tookMs = 5_000;
  slower.trips.start();
  await slower.clock.advance(999);
  expect(slower.trips.failures).toBe(0);
  await slower.clock.advance(1);
  expect(slower.trips.failures).toBe(1);
});

it('a call that waits asks again in fifty milliseconds while no trip is under way, else after the time-out', () => {
  const { trips } = worldOf(80);
  expect(trips.retryAt(100)).toBe(150);
  trips.start();
  expect([trips.awaits(100), trips.retryAt(100), trips.isUnderWay]).toEqual([180, 180, true]);
});

it('a trip is begun neither beside another nor in the pause after three failures', async () => {
  const world = worldOf();
  world.tookMs = 10;
  world.trips.start();
  await world.clock.advance(1);
  world.trips.start();
  await world.clock.advance(30);
  expect(world.told).toEqual(['travel', 'done']);
  world.isAway = true;
  for (let failures = 0; failures < 3; failures++) {
    world.trips.start();
    await world.clock.advance(1);
  }
  const { length } = world.told;
  world.trips.start();
  await world.clock.advance(1);
  expect([world.told.length, world.trips.pausedUntil > world.clock.now(), world.trips.lostSince]).toEqual([
    length,
    true,
    31,
  ]);
});

it.each([
  [new Error('READONLY You can’t write against a read only replica.'), 'READONLY'],
  [new Error('the server said READONLY'), 'ERR'],
  ['LOADING Redis is loading', 'LOADING'],
  [Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
  [Object.assign(new Error('OOM command not allowed'), { code: 'E_A' }), 'E_A'],
  [Object.assign(new Error('OOM command not allowed'), { code: 'not one word' }), 'OOM'],
  [Object.assign(new Error('OOM command not allowed'), { code: 'xEA' }), 'OOM'],
  [Object.assign(new Error('OOM command not allowed'), { code: 'EAx' }), 'OOM'],
  [Object.assign(new Error('OOM command not allowed'), { code: 7 }), 'OOM'],
  [new ReplyError('ERR unknown command'), 'ReplyError'],
  [new ClientClosedError('The client is closed'), 'ClientClosedError'],
  [new Odd('no word'), 'ERR'],
  [Object.assign(new Error('no word'), { name: '7 odd' }), 'ERR'],
  [new Error('no word'), 'ERR'],
  [{ name: 'Thrown' }, 'ERR'],
  [undefined, 'ERR'],
])('a store that is lost for %o is lost by the code %s', async (error, code) => {
  const { lost } = await lostOf(() => Promise.reject(error), 1);
  expect(lost).toEqual([code]);
});

it('a store that is lost is lost by what its connection says, where the calls only time out', async () => {
  const problem = (): Error => Object.assign(new Error('connect ENOTFOUND'), { code: 'ENOTFOUND' });
  const { trips, lost } = await lostOf(() => new Promise(() => {}), 5_000, problem);
  expect([lost, trips.lostBy]).toEqual([['ENOTFOUND'], 'ENOTFOUND']);
});

it('a store that was lost is there again with the first trip that succeeds', async () => {
  const world = worldOf();
  world.isAway = true;
  for (let failures = 0; failures < 3; failures++) {
    world.trips.start();
    await world.clock.advance(1);
  }
  world.isAway = false;
  await world.clock.advance(10_000);
  world.trips.start();
  await world.clock.advance(1);
  expect(world.told).toEqual(['done', 'done', 'LOADING', 'done', 'travel', 'regained', 'done']);
  expect([world.trips.lostSince, world.trips.failures]).toEqual([undefined, 0]);
});

it('trips that call no store are made once a millisecond at most, whatever starts them', async () => {
  const clock = virtualClock();
  let made = 0;
  const trips = new Trips({ clock, random: () => 0.5 } as unknown as Member, async () => ({}) as ShareStore, 50, {
    travel: async () => void made++,
    forgotten: () => {},
    lost: () => {},
    regained: () => {},
    done: () => made < 1_000 && trips.start(),
  });
  trips.start();
  await clock.advance(10);
  expect(made).toBeLessThanOrEqual(12);
});

it('a store that has counted processes for less than half a minute has not heard of all of them yet', () => {
  const { trips } = worldOf();
  const counted = (live: number, forMs: number): number | undefined => {
    trips.counted(live, forMs, 0);
    return trips.live;
  };
  expect([counted(1, 0), counted(3, 500), counted(2, 40_000), counted(1, 30_000), counted(1, 30_001)]).toEqual([
    1, 3, 2, 2, 1,
  ]);
});
