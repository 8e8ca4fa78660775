/**
 * The time that one ask takes inside Redis, by the number of processes: one that changes all its windows, a light one, and those that busy
 * processes make in their first minute, when no shape is known, and in the next one. The mean counts the time for which other programs use
 * the CPU; the median (of Redis 7) does not, nor does the processor time of its thread, which counts reading and writing of sockets, too. Needs redis-server.
 */
import { Redis } from 'ioredis';
import { scriptRunner } from '../../src/redis/connection.ts';
import { keysOf } from '../../src/redis/keys.ts';
import { redisStore } from '../../src/redis/redis-store.ts';
import { memoryStore } from '../../src/sharing/store/memory-store.ts';
import type { ShareAsk, ShareStore, WindowAsk } from '../../src/sharing/store/store.ts';
import { asking } from '../../src/testing/share/asking.ts';
import { startRedis } from '../../test/redis/support/server.ts';
import { distant } from '../../test/sharing/support/distant.ts';
import { fleetOf } from '../../test/sharing/support/fleet.ts';
import { tripsBetween, tripsOf } from './trips.ts';

const MEMBERS = [1, 16, 256];
const BUSY = [1, 16];
const ASKS = 1_000;
const EMPTY_SCRIPTS = 500;

const nothing = asking({ recentSince: 0 });

function windowAsk(name: string, limit: number, ttlMs: number, reading: number): WindowAsk {
  return { name, limit, kept: 0, ttlMs, reading, bounds: ttlMs < 60_000 ? 'below' : 'both' };
}

/** Five slots of six windows, all of which change: units of the last slot are given back, and more are wished for than there are. */
function saturated(member: string, sequence: number, second: number): ShareAsk {
  const seconds = [-1, 0, 1, 2, 3].map((ahead) => second + ahead);
  return {
    ...{ ...nothing, member, sequence, want: 8, urgent: 1 },
    slots: seconds.map((name, index) => ({
      ...{ name: String(name), total: index === 0 ? sequence % 3 : 0, wish: index === 0 ? 0 : 1, to: 0 },
      windows: index === 0 ? [4, 5] : [index - 1, 4, 5],
    })),
    windows: [
      ...seconds.slice(1).map((name) => windowAsk(`second:${name}`, 20, 8_000, sequence % 20)),
      windowAsk(`minute:${Math.floor(second / 60)}`, 1e6, 60_000, sequence),
      windowAsk('month:0', 1e8, 1e9, sequence),
    ],
  };
}

/** A call each now and then: one slot wished for, one told. */
function light(member: string, sequence: number, second: number): ShareAsk {
  return {
    ...{ ...nothing, member, sequence, want: 1 },
    slots: [
      { name: String(second - 1), total: 1, wish: 0, to: second * 1_000, windows: [1] },
      { name: String(second), total: 0, wish: 1, to: (second + 1) * 1_000, windows: [0, 1] },
    ],
    windows: [
      windowAsk(`second:${second}`, 1e6, 8_000, -1),
      windowAsk(`minute:${Math.floor(second / 60)}`, 1e6, 60_000, -1),
    ],
  };
}

type Ask = (turn: number, member: string) => Promise<unknown>;

/** Asks that do not depend on the answers. */
function fixed(askOf: (member: string, sequence: number, second: number) => ShareAsk): (store: ShareStore) => Ask {
  return (store) => (turn, member) => store.take(askOf(member, turn + 1, Math.floor(Date.now() / 1_000)));
}

/** What busy processes ask in so many milliseconds of 20 a second and 500 a minute, in virtual time. */
async function recorded(processes: number, fromMs: number, toMs: number): Promise<ShareAsk[]> {
  const asks: ShareAsk[] = [];
  const wired = distant(
    memoryStore(() => fleet.clock.wall()),
    async (work) => {
      await fleet.clock.sleep(0.5);
      const answer = await work();
      await fleet.clock.sleep(0.5);
      return answer;
    },
  );
  const take = (ask: ShareAsk): ReturnType<ShareStore['take']> => {
    if (fleet.clock.now() >= beginsAt + fromMs) asks.push(ask);
    return wired.take(ask);
  };
  const fleet = fleetOf(processes, { latencyMs: [5, 15] }, { storeOf: () => ({ ...wired, take }) });
  const beginsAt = fleet.clock.now();
  void fleet.work(1_000_000).catch(() => {});
  await fleet.clock.advance(toMs);
  return asks;
}

/** Asks that were recorded, again and again. */
function again(asks: readonly ShareAsk[]): (store: ShareStore) => Ask {
  const each = asks.length;
  return (store) => (turn) => {
    const ask = asks[turn % each] as ShareAsk;
    return store.take({ ...ask, version: 0, sequence: ask.sequence + Math.floor(turn / each) * 100_000 });
  };
}

const server = await startRedis();
const redis = new Redis(server.url);

/** Prints what an ask takes. The asks before the given one fill the store, and are not counted. */
async function measure(title: string, askOf: (store: ShareStore) => Ask, from: number, asks: number): Promise<void> {
  await redis.flushall();
  const store = redisStore(scriptRunner(redis), keysOf('bench', 'secret', 'key'));
  const ask = askOf(store);
  for (let turn = 0; turn < from; turn++) await ask(turn, '');
  await redis.config('RESETSTAT');
  for (let count = 0; count < EMPTY_SCRIPTS; count++) await redis.eval('return 1', 0);
  const before = await tripsOf(redis);
  for (let turn = from; turn < from + asks; turn++) await ask(turn, '');
  const { cpuUsec, count } = tripsBetween(before, await tripsOf(redis));
  const cpu = (cpuUsec / count).toFixed(0);
  const [stats, percentiles] = [await redis.info('commandstats'), await redis.info('latencystats')];
  const usec = (command: string): string => {
    const mean = new RegExp(`cmdstat_${command}:.*usec_per_call=([\\d.]+)`).exec(stats)?.[1] ?? '?';
    return `${mean} µs (median ${new RegExp(`usec_${command}:p50=([\\d.]+)`).exec(percentiles)?.[1] ?? '?'})`;
  };
  console.log(`${title}: ${usec('evalsha')}, ${cpu} µs of processor with the socket, an empty script ${usec('eval')}`);
}

for (const [kind, askOf] of Object.entries({ saturated: fixed(saturated), light: fixed(light) }))
  for (const members of MEMBERS) {
    const ofMember = (store: ShareStore): Ask => {
      const ask = askOf(store);
      return (turn) => ask(turn, `member-${turn % members}`);
    };
    await measure(`${kind}, ${members} members`, ofMember, members, ASKS);
  }
for (const processes of BUSY)
  for (const [kind, fromMs, toMs] of [
    ['first', 0, 53_000],
    ['second', 53_000, 113_000],
  ] as const) {
    const asks = await recorded(processes, fromMs, toMs);
    const turns = Math.ceil(1_000 / asks.length);
    await measure(`${kind} minute of ${processes} busy processes`, again(asks), asks.length, turns * asks.length);
  }
redis.disconnect();
await server.stop();
process.exit(0);
