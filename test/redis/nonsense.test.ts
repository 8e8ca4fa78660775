import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scriptRunner } from '../../src/redis/connection.ts';
import { keysOf } from '../../src/redis/keys.ts';
import { redisStore } from '../../src/redis/redis-store.ts';
import { LOOK_MS, type ShareStore } from '../../src/sharing/store/store.ts';
import { asking, slotAsk, windowAsk } from '../../src/testing/share/asking.ts';
import { DEEP } from '../support/deep.ts';
import { hasRedis, type RedisServer, startRedis } from './support/server.ts';

/** The keys that every process knows, and what each of them is after a trip of every kind. */
const KEYS = {
  f: 'string',
  'a:a': 'string',
  'w:minute:/0': 'string',
  n: 'zset',
  facts: 'hash',
  look: 'string',
  looks: 'string',
  probe: 'string',
  live: 'zset',
} as const;

/** What PTTL says of a key that has ended meanwhile. */
const GONE = -2;

const DIGITS = '9'.repeat(400);

const TEXTS = [
  ...['', ' ', 'text', '-5 3', '1e3 2', '0x10 1', 'nan nan', 'inf inf', '[1,2]', '{"units":1}', '\u0000\u0001', '٣ ٣'],
  ...[
    '7',
    '5 -5',
    '5.5 5',
    '5  5',
    '5 5 ',
    '5 5 5',
    '5 5 x y z',
    '5 5 -1 0 0',
    '5 5 1e3 0 0',
    'a=1 b=2',
    '1=x',
    '0 1=-4',
  ],
  ...[
    DIGITS,
    `${DIGITS} ${DIGITS}`,
    `${DIGITS} a`,
    `0 1=${DIGITS}`,
    '999999999999999999999 0',
    '0 999999999999999999999',
  ],
  ...[`5 5 ${DIGITS} 0 0`, `0 0 ${DIGITS} ${DIGITS} ${DIGITS}`, `0 ${DIGITS} 0 0 0`, `${DIGITS} 0 0 0 0`],
  ...[
    '1000000 0',
    '0 1000000',
    '9007199254740993 9007199254740993 1 1 1',
    '5 5 99999999999999999 5 5',
    'x'.repeat(100_000),
  ],
];

/** Texts of the form of one key, whose numbers are none that a script has written. */
const FORMED: Readonly<Partial<Record<keyof typeof KEYS, readonly string[]>>> = {
  f: [
    '5 5 99999999999999 5 5 5 5',
    `5 5 ${DIGITS} 0 0 0 0`,
    `${DIGITS} ${DIGITS} 0 0 0 0 0`,
    `5 5 0 ${DIGITS} ${DIGITS} 5 5`,
    `5 5 0 5 5 ${DIGITS} ${DIGITS}`,
  ],
  looks: [`${Date.now() + 60_000} ${DIGITS}`, `${Date.now() + 60_000} a`],
};

describe.skipIf(!hasRedis)('what others left in a key', () => {
  let server: RedisServer;
  let redis: Redis;

  beforeAll(async () => {
    server = await startRedis();
    redis = new Redis(server.url);
  });

  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });

  /** Things of each type that Redis knows. */
  const plants: Record<string, (key: string) => Promise<unknown>> = {
    'a list': (key) => redis.rpush(key, 'a', '5 5'),
    'a set': (key) => redis.sadd(key, 'a', '5 5'),
    'a stream': (key) => redis.xadd(key, '*', 'a', '5'),
    'a hash': (key) => redis.hset(key, { a: '5', 's:minute': 'x', 'l:minute': 'y'.repeat(500), nonsense: '1' }),
    'a hash with too many shapes': (key) => redis.hset(key, { 's:minute': '0 4294967295' }),
    'a hash with too high an epoch': (key) => redis.hset(key, { 's:minute': '999999999999999 1' }),
    'a large hash': (key) => redis.hset(key, Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`f${i}`, i]))),
    'a sorted set': (key) => redis.zadd(key, '-inf', 'a', '+inf', 'b', -5, 'c', 1e300, 'd', 0.5, 'e'),
    'a large sorted set': (key) =>
      redis.zadd(key, ...Array.from({ length: 3_000 }, (_, i) => [1e15 + i, `m${i}`]).flat()),
    'a sorted set of now': (key) =>
      redis.zadd(key, ...Array.from({ length: 1_500 }, (_, i) => [Date.now() + 30_000, `m${i}`]).flat()),
  };

  const textOf = (text: string) =>
    [`the text ${JSON.stringify(text.slice(0, 60))}`, (key: string) => redis.set(key, text)] as const;
  const texts = TEXTS.map(textOf);

  const strings = Object.values(KEYS).filter((type) => type === 'string').length;
  let nth = 0;
  for (const [what, type] of Object.entries(KEYS)) {
    // What a text says matters only where there should be one. Each is tried in one such key each time, and in every key in the deep run.
    const turn = type === 'string' ? nth++ : Number.NaN;
    const formed = (FORMED[what as keyof typeof KEYS] ?? []).map(textOf);
    const planted = [...formed, ...(DEEP ? texts : texts.filter((_, at) => at % strings === turn))];
    it.concurrent.each([...Object.entries(plants), ...planted])(`does no harm in ${what}: %s`, async (_, plant) => {
      const keyOf = keysOf(randomUUID(), 'secret', 'key');
      const store = redisStore(scriptRunner(redis as never), keyOf);
      await plant(keyOf(what));
      await useAll(store, keyOf);
      for (const key of await redis.keys(keyOf('*'))) {
        const name = key.slice(keyOf('').length);
        const [type, lasts, length] = await Promise.all([
          redis.type(key),
          redis.pttl(key),
          redis.strlen(key).catch(() => 0),
        ]);
        if (type === 'none' || lasts === GONE) continue;
        expect([name, type]).toEqual([name, KEYS[name as keyof typeof KEYS] ?? 'string']);
        expect(lasts).toBeGreaterThan(0);
        expect(length).toBeLessThan(200);
      }
    });
  }

  /** Makes trips of every kind, and checks that they do what they are for. */
  async function useAll(store: ShareStore, keyOf: (what: string) => string): Promise<void> {
    // A plausible number may have been planted, which is believed: a process's sequence, a look, a pause that is over.
    const first = await store.take(asking({ want: 0 }));
    const { version } = await store.share(
      -1,
      new Map([
        ['lead', '1'],
        ['s:minute', '0 1'],
      ]),
    );
    expect((await store.share(-1, new Map([['l:minute', '20']]))).facts).toEqual(
      new Map([
        ['lead', '1'],
        ['s:minute', '0 1'],
        ['l:minute', '20'],
      ]),
    );
    await store.resume('a');
    await store.resumed();
    expect(await store.resume('a')).toBe('free');
    // Sent together, so that a busy machine does not let the look end before the second of them.
    const [own, foreign] = await Promise.all([store.look('a'), store.look('b')]);
    expect(own).toBe('granted');
    expect(foreign).toBeGreaterThan(LOOK_MS / 2);
    await store.endLook('a');

    const member = first === 'stale' ? 'new' : 'a';
    const bounds = [windowAsk({ limit: 100, reading: 3, bounds: 'both' })];
    const told = { version: version + 1, sequence: 2, member, windows: bounds, isSign: true };
    const answer = await store.take(asking({ ...told, want: 8, slots: [slotAsk({ name: 'x' })] }));
    expect(answer).toMatchObject({ granted: [8], pauseMs: 0, lookMs: 0, urgent: { units: expect.any(Number) } });
    if (answer !== 'stale') expect(answer.others).toBeLessThanOrEqual(1_000);
    if (answer !== 'stale') expect(answer.live).toBeLessThanOrEqual(1_501);
    if (member !== 'a') await redis.del(keyOf('a:a'));
    await store.take(asking({ ...told, sequence: 3, want: 999, urgent: 1 }));
    await store.pause(1);
    await new Promise((resolve) => setTimeout(resolve, 3));
    await store.resume('a');
    await store.look('a');
  }
});
