import { randomUUID } from 'node:crypto';
import { type RedisLike, type RunScript, type Script, scriptOf, scriptRunner } from '../../../src/redis/connection.ts';
import { keysOf } from '../../../src/redis/keys.ts';
import { redisStore } from '../../../src/redis/redis-store.ts';
import type { ShareStore } from '../../../src/sharing/store/store.ts';

/** Times to live are read back within this long after they were set; all times of the tests are multiples of it. In milliseconds. */
const GRAIN_MS = 500;

/** Reads how long each key of a trip lives (-2: there is none), and makes it live for ever: the test's clock ends it. */
const HARVEST = `
local left = {}
for index, key in ipairs(KEYS) do
  left[index] = redis.call('PTTL', key)
  redis.call('PERSIST', key)
end
return left
`;

/** A store in Redis whose clock the test moves. */
export interface TimedStore {
  readonly store: ShareStore;
  readonly keyOf: (what: string) => string;
  /** The keys that have not ended. */
  keys(): string[];
  /** Ends what has ended by now. To be called whenever the clock was moved. @returns when the last key so far ended. */
  expire(): Promise<number>;
}

/** Makes a store of the very scripts, but for the one line in which they ask Redis for the time. */
export function timedStore(redis: RedisLike, now: () => number): TimedStore {
  const run = scriptRunner(redis);
  const timed = new Map<Script, Script>();
  const tag = randomUUID();
  const keyOf = keysOf(tag, 'secret', 'key');
  const ends = new Map<string, number>();
  let lastEnd = 0;

  const runTimed: RunScript = async (script, keys, args) => {
    const reply = await run(withClock(script), keys, [...args, String(now())]);
    const left = (await run(harvest, keys, [])) as (string | number)[];
    keys.forEach((key, index) => {
      const ms = Number(left[index]);
      if (ms === -2) ends.delete(key);
      else if (ms >= 0) ends.set(key, now() + Math.ceil(ms / GRAIN_MS) * GRAIN_MS);
      else if (!ends.has(key)) throw new Error(`${key} lives for ever`);
    });
    return reply;
  };

  function withClock(script: Script): Script {
    let changed = timed.get(script);
    if (!changed) {
      const text = script.text.replace("redis.call('TIME')", '{ math.floor(clock / 1000), clock % 1000 * 1000 }');
      changed = scriptOf(`local clock = tonumber(table.remove(ARGV))\n${text}`);
      timed.set(script, changed);
    }
    return changed;
  }

  return {
    store: redisStore(runTimed, keyOf),
    keyOf,
    keys: () => [...ends.keys()],
    async expire() {
      const over = [...ends].filter(([, end]) => end <= now()).map(([key]) => key);
      for (const key of over) {
        lastEnd = Math.max(lastEnd, ends.get(key) ?? 0);
        ends.delete(key);
      }
      if (over.length > 0) await run(DELETE, over, []);
      return lastEnd;
    },
  };
}

const harvest = scriptOf(HARVEST);
const DELETE = scriptOf("return redis.call('DEL', unpack(KEYS))");
