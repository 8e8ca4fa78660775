/**
 * What of the time inside Redis is the script's, and what the machine's: the asks of light processes that know no shape, one after the other and
 * so many times a second, beside controls that are asked as often. Needs redis-server, and a machine with nothing else to do.
 *
 *     node bench/redis/controls.ts            # 400, 40 and 10 a second
 *     node bench/redis/controls.ts 40 4
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { blocksOf } from '../../src/redis/blocks.ts';
import { scriptRunner } from '../../src/redis/connection.ts';
import { keysOf } from '../../src/redis/keys.ts';
import { redisStore } from '../../src/redis/redis-store.ts';
import { memoryStore } from '../../src/sharing/store/memory-store.ts';
import type { ShareAsk } from '../../src/sharing/store/store.ts';
import { startRedis } from '../../test/redis/support/server.ts';
import { distant } from '../../test/sharing/support/distant.ts';
import { fleetOf } from '../../test/sharing/support/fleet.ts';
import { tripsBetween, tripsOf } from './trips.ts';

/** Clients, and the time between two calls of each. */
const PROCESSES = 64;
const EVERY_MS = 2_000;
/** Asks that fill the store, and all asks. */
const FILLING = 20;
const ASKS = 400;
/** How long each rate is measured, at most. */
const SECONDS = 6;

/** The commands of an ask, with strings of usual length. Nothing is computed. KEYS: as the ask's; ARGV: the length of the answer. */
const COMMANDS = `
redis.call('TIME')
local stored, answer = redis.call('MGET', unpack(KEYS)), {}
for i = 2, #KEYS do redis.call('SET', KEYS[i], stored[i] or string.rep('x', 500), 'PX', '60000') end
for i = 1, tonumber(ARGV[1]) do answer[i] = i end
return answer
`;

/** What light processes ask, in virtual time. */
async function recorded(): Promise<ShareAsk[]> {
  const asks: ShareAsk[] = [];
  const wired = distant(
    memoryStore(() => fleet.clock.wall()),
    async (work) => {
      await fleet.clock.sleep(1);
      return work();
    },
  );
  const take = (ask: ShareAsk): ReturnType<typeof wired.take> => {
    asks.push(ask);
    return wired.take(ask);
  };
  const keyed = { second: 1_000, minute: 50_000 };
  const fleet = fleetOf(PROCESSES, { keyed, latencyMs: [5, 15] }, { storeOf: () => ({ ...wired, take }) });
  const call = async (index: number): Promise<void> => {
    await fleet.clock.sleep((index * EVERY_MS) / PROCESSES);
    for (;;) {
      await fleet.clients[index]?.getInfo();
      await fleet.clock.sleep(EVERY_MS);
    }
  };
  for (let index = 0; index < PROCESSES; index++) void call(index).catch(() => {});
  await fleet.clock.advance(30_000);
  return asks.slice(-ASKS);
}

const rates = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [400, 40, 10];
const asks = await recorded();
const server = await startRedis();
const redis = new Redis(server.url);
const keyOf = keysOf('bench', 'secret', 'key');
const store = redisStore(scriptRunner(redis as never), keyOf);
const [empty, commands] = [await loaded('return 1'), await loaded(COMMANDS)];
const kinds: Readonly<Record<string, (ask: ShareAsk, sequence: number) => Promise<unknown>>> = {
  'an empty script': () => redis.evalsha(empty, 0),
  'the commands of an ask': ({ member, windows, slots }) => {
    const keys = ['state', member, 'look', ...blocksOf(windows).names].map((what) => keyOf(`control:${what}`));
    return redis.evalsha(commands, keys.length, ...keys, String(windows.length + slots.length));
  },
  'an ask': (ask, sequence) => store.take({ ...ask, version: 0, sequence }),
};
console.log(`${(asks.reduce((sum, { windows }) => sum + windows.length, 0) / asks.length).toFixed(0)} windows an ask`);
for (const rate of [Infinity, ...rates]) for (const kind of Object.keys(kinds)) await measure(kind, rate);
redis.disconnect();
await server.stop();
process.exit(0);

async function loaded(text: string): Promise<string> {
  return (await redis.script('LOAD', text)) as string;
}

/** Prints the mean time inside Redis. The first asks fill the store, and are not counted. */
async function measure(kind: string, rate: number): Promise<void> {
  await redis.flushall();
  for (let turn = 0; turn < FILLING; turn++) await kinds[kind]?.(asks[turn] as ShareAsk, turn + 1);
  const before = await tripsOf(redis);
  const beginsAt = performance.now();
  const count = Math.min(ASKS - FILLING, rate * SECONDS);
  for (let turn = 0; turn < count; turn++) {
    if (Number.isFinite(rate)) await sleep(Math.max(0, beginsAt + (turn * 1_000) / rate - performance.now()));
    await kinds[kind]?.(asks[FILLING + turn] as ShareAsk, FILLING + turn + 1);
  }
  const { usec, count: trips } = tripsBetween(before, await tripsOf(redis));
  const often = Number.isFinite(rate) ? `${rate} a second` : 'one after the other';
  console.log(`${kind}, ${often}: ${(usec / trips).toFixed(0)} µs`);
}
