/**
 * The time that one ask takes inside Redis, by the number of processes: one that changes all its windows, a light one, and one of the first
 * minute, when no shape is known. Needs redis-server.
 */
import { Redis } from 'ioredis';
import { SHAPES } from '../../src/quota/models/all.ts';
import { ServerClock } from '../../src/quota/time/server-clock.ts';
import { scriptRunner } from '../../src/redis/connection.ts';
import { keysOf } from '../../src/redis/keys.ts';
import { redisStore } from '../../src/redis/redis-store.ts';
import { Ledger } from '../../src/sharing/ledger.ts';
import type { ShareAsk, ShareStore, WindowAsk } from '../../src/sharing/store.ts';
import { startRedis } from '../../test/redis/support/server.ts';

const MEMBERS = [1, 16, 256];
const ASKS = 4_000;
const EMPTY_SCRIPTS = 500;

const nothing = { version: 0, need: 1, size: 20, chunk: 4, stayMs: 1_500, held: 0, urgent: 0 };

function windowAsk(name: string, limit: number, ttlMs: number, reading: number): WindowAsk {
  return { name, limit, kept: 0, ttlMs, reading, stretches: ttlMs > 60_000 ? 'bounds' : 'no' };
}

/** Five slots of six windows, all of which change: units of the last slot are given back, and more are wished for than there are. */
function saturated(member: string, sequence: number, second: number): ShareAsk {
  const seconds = [-1, 0, 1, 2, 3].map((ahead) => second + ahead);
  return {
    ...{ ...nothing, member, sequence, want: 8, urgent: 1 },
    slots: seconds.map((name, index) => ({
      ...{ name: String(name), total: index === 0 ? sequence % 3 : 0, wish: index === 0 ? 0 : 1 },
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
      { name: String(second - 1), total: 1, wish: 0, windows: [1] },
      { name: String(second), total: 0, wish: 1, windows: [0, 1] },
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

/** Asks of processes that have calls waiting in the first minute of 20 a second and 500 a minute. */
function doubtful(store: ShareStore): Ask {
  const ledgers = new Map<string, Ledger>();
  return async (turn, member) => {
    const now = Date.now();
    const ledger = ledgers.get(member) ?? ledgerAt(now);
    ledgers.set(member, ledger);
    const demand = { need: 1, want: 8, isUrgent: false, concurrency: 32, maxWaitMs: Number.POSITIVE_INFINITY };
    const { asked, ...told } = ledger.compose(demand, now, 1);
    const answer = await store.take({ ...nothing, ...told, member, sequence: turn + 1 });
    if (answer !== 'stale') ledger.receive({ asked, ...told }, answer, 1, now, Date.now());
  };
}

/** A ledger that knows the service's clock and limits, and no shape. */
function ledgerAt(now: number): Ledger {
  const clock = new ServerClock();
  clock.narrow(0, 0, now);
  const ledger = new Ledger(clock, Math.random);
  const news = { used: 0, own: 1, sentAt: now, receivedAt: now + 10, shapes: { alive: SHAPES, epoch: 0 } };
  ledger.read({ ...news, period: 'second', limit: 20 });
  ledger.read({ ...news, period: 'minute', limit: 500 });
  return ledger;
}

const server = await startRedis();
const redis = new Redis(server.url);
for (const [kind, askOf] of Object.entries({ saturated: fixed(saturated), light: fixed(light), doubtful })) {
  for (const members of MEMBERS) {
    await redis.flushall();
    const store = redisStore(scriptRunner(redis), keysOf('bench', 'secret', 'key'));
    const askNext = askOf(store);
    const ask = (turn: number): Promise<unknown> => askNext(turn, `member-${turn % members}`);
    for (let turn = 0; turn < members; turn++) await ask(turn);
    await redis.config('RESETSTAT');
    for (let count = 0; count < EMPTY_SCRIPTS; count++) await redis.eval('return 1', 0);
    for (let turn = members; turn < members + ASKS; turn++) await ask(turn);
    const stats = await redis.info('commandstats');
    const usec = (command: string): string =>
      new RegExp(`cmdstat_${command}:.*usec_per_call=([\\d.]+)`).exec(stats)?.[1] ?? '?';
    console.log(`${kind}, ${members} members: ${usec('evalsha')} µs, an empty script ${usec('eval')} µs`);
  }
}
redis.disconnect();
await server.stop();
