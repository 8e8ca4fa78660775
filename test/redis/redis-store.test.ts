import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Redis } from 'ioredis';
import { createClient, createClientPool } from 'redis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RedisLike, type RunScript, scriptRunner } from '../../src/redis/connection.ts';
import { keysOf } from '../../src/redis/keys.ts';
import { redisStore } from '../../src/redis/redis-store.ts';
import { END_LOOK, LOOK } from '../../src/redis/scripts/look.ts';
import { PAUSE, RESUME, RESUMED } from '../../src/redis/scripts/pause.ts';
import { SHARE } from '../../src/redis/scripts/share.ts';
import { TAKE } from '../../src/redis/scripts/take.ts';
import { LOOK_MS, type ShareStore } from '../../src/sharing/store/store.ts';
import { asker, asking, slotAsk, telling, windowAsk } from '../../src/testing/share/asking.ts';
import { LONG_CASES, SHORT_CASES, storeContract } from '../sharing/store.contract.ts';
import { distant } from '../sharing/support/distant.ts';
import { cases, runs } from '../support/deep.ts';
import { startCluster } from './support/cluster.ts';
import { hasRedis, type RedisServer, startRedis } from './support/server.ts';
import { timedStore } from './support/timed-store.ts';

const DOZENS = runs(10, 400);

describe.skipIf(!hasRedis)('the store in Redis', () => {
  const endings: (() => unknown)[] = [];
  let server: RedisServer;
  let redis: Redis;
  let nodeRedis: ReturnType<typeof createClient>;

  beforeAll(async () => {
    server = await startRedis();
    redis = new Redis(server.url);
    nodeRedis = createClient({ url: server.url });
    await nodeRedis.connect();
    endings.push(
      () => server.stop(),
      () => redis.disconnect(),
      () => nodeRedis.destroy(),
    );
  });

  afterAll(async () => {
    for (const end of endings.splice(0).reverse()) await end();
  });

  function timed(client: unknown, now: () => number): ShareStore {
    const { store, expire } = timedStore(client as RedisLike, now);
    return distant(store, async (work) => {
      await expire();
      return await work();
    });
  }

  function open(client: unknown = redis): { readonly store: ShareStore; readonly keyOf: (what: string) => string } {
    const keyOf = keysOf(randomUUID(), 'secret', 'key');
    return { store: redisStore(scriptRunner(client as RedisLike), keyOf), keyOf };
  }

  storeContract('through ioredis', (now) => timed(redis, now));
  storeContract('through node-redis', (now) => timed(nodeRedis, now), cases(SHORT_CASES, LONG_CASES));

  it('keeps everything of a credential under one hash tag that does not show it', async () => {
    const keyOf = keysOf('name', 'secret', 'credential');
    // As `openssl dgst -sha256 -hmac secret` says: processes of another version must find the same keys.
    expect(keyOf('f')).toBe('sq6:{name:ZF4XaUoMBSXoOXnBG5YkD1}:f');
    expect(keysOf('name', 'other secret', 'credential')('f')).not.toBe(keyOf('f'));
    expect(keyOf('n')).toBe(keyOf('f').replace(/f$/, 'n'));
    const store = redisStore(scriptRunner(redis as never), keyOf);
    await useAll(store);
    const keys = await redis.keys('sq6:{name:*');
    expect(keys.map((key) => key.replace(/^.*\}/, '')).sort()).toEqual(
      [':a:a', ':a:b1', ':f', ':facts', ':live', ':look', ':looks', ':n', ':probe', ':r', ':w:minute:/0'].sort(),
    );
    for (const key of keys) expect(await redis.pttl(key)).toBeGreaterThan(0);
  });

  it('takes its time from Redis', async () => {
    const { store } = open();
    const before = Date.now();
    const answer = await store.take(asking());
    expect(answer).not.toBe('stale');
    if (answer === 'stale') return;
    expect(answer.now).toBeGreaterThanOrEqual(before);
    expect(answer.now).toBeLessThanOrEqual(Date.now());
  });

  it('is told each script again when Redis has forgotten it', async () => {
    for (const client of [redis, nodeRedis]) {
      const { store } = open(client);
      await useAll(store);
      await redis.script('FLUSH');
      await useAll(store, 10);
    }
  });

  it('needs of an ACL what the page of sharing names', async () => {
    const [, named = ''] =
      /commands of the scripts, too: `([^`]+)`/.exec(readFileSync('docs/sharing.md', 'utf8')) ?? [];
    const rules = named.split(/\s+/);
    const scripts = [TAKE, SHARE, LOOK, END_LOOK, PAUSE, RESUME, RESUMED].join();
    const called = Array.from(
      scripts.matchAll(/\bp?call\('([A-Z]+)'/g),
      ([, command = '']) => `+${command.toLowerCase()}`,
    );
    expect(rules.toSorted()).toEqual([...new Set(['+eval', '+evalsha', ...called])].sort());
    await redis.acl('SETUSER', 'limited', 'on', '>password', 'resetkeys', '~sq6:*', '-@all', ...rules);
    const limited = createClient({ url: server.url, username: 'limited', password: 'password' });
    endings.push(() => limited.destroy());
    await limited.connect();
    await useAll(open(limited).store);
  });

  it('may be reached through a pool', async () => {
    const pool = createClientPool({ url: server.url });
    await pool.connect();
    await useAll(open(pool).store);
    pool.destroy();
  });

  it('may be a cluster, of which one node holds all that belongs to a credential', async () => {
    const { clients, stop } = await startCluster();
    for (const client of clients) await useAll(open(client).store);
    await stop();
  });

  it('leaves nothing in Redis of processes that left, and of those that did not only what ends within a minute', async () => {
    const { store, keyOf } = open();
    const dozens = Array.from({ length: DOZENS }, (_, index) => index);
    for (const dozen of dozens) {
      await Promise.all(
        Array.from({ length: 25 }, async (_, index) => {
          const member = `m${dozen}-${index}`;
          await store.take(asking({ member, want: index, isSign: true }));
          if (index === 0) return;
          await store.take(telling(0, { member, sequence: 2, isLeaving: true }));
        }),
      );
    }
    const keys = await redis.keys(keyOf('*'));
    expect(keys.length).toBeLessThanOrEqual(DOZENS + 4);
    for (const key of keys.filter((name) => name.includes(':a:'))) {
      const left = await redis.pttl(key);
      expect(left === -2 || (left > 0 && left <= 60_000)).toBe(true);
    }
    expect(await redis.zcard(keyOf('n'))).toBeLessThanOrEqual(DOZENS);
    expect(await redis.zcard(keyOf('live'))).toBeLessThanOrEqual(DOZENS);
  });

  it('remembers the version of the facts for as long as it is asked, although no ask changes it', async () => {
    let time = 1_700_000_000_000;
    const { store, expire } = timedStore(redis, () => time);
    await store.share(-1, new Map([['l:minute', '500']]));
    for (let sequence = 1; sequence <= 6; sequence++) {
      time += 1_800_000;
      await expire();
      expect(await store.take(asking({ sequence, version: 1 }))).toMatchObject({ version: 1 });
    }
  });

  it('keeps the facts as long as their version, although no process tells any', async () => {
    const { store, keyOf } = open();
    await store.share(-1, new Map([['l:minute', '500']]));
    const state = (await redis.get(keyOf('f')))?.split(' ') ?? [];
    await redis.set(keyOf('f'), state.with(5, String(Number(state[5]) - 600_000)).join(' '), 'PX', 60_000);
    await redis.pexpire(keyOf('facts'), 60_000);
    await store.take(asking({ version: 1 }));
    for (const key of ['f', 'facts']) expect(await redis.pttl(keyOf(key))).toBeGreaterThan(60_000);
  });

  it('forgets which processes lacked units that ended since, also where the clock was set back', async () => {
    let time = 1_700_000_000_000;
    const { store, keyOf, expire } = timedStore(redis, () => time);
    for (const [member, ms] of [
      ['a', 0],
      ['b', 100_000],
      ['c', -3_600_000],
    ] as const) {
      time += ms;
      await expire();
      await store.take(asking({ member, want: 30 }));
      expect(await redis.zcard(keyOf('n'))).toBe(1);
    }
  });

  it('grants nothing to a process that does not know the facts, where the state was lost and they were not', async () => {
    const { store, keyOf } = open();
    await store.share(-1, new Map([['l:minute', '20']]));
    await redis.del(keyOf('f'));
    const { version } = await store.share(0, new Map());
    const told = { granted: [0], facts: new Map([['l:minute', '20']]) };
    expect(await store.take(asking({ version: 0, want: 1 }))).toMatchObject(told);
    expect(await store.take(asking({ version, sequence: 2, want: 1 }))).toMatchObject({ granted: [1] });
  });

  it('keeps short strings, whatever the numbers', async () => {
    const { store, keyOf } = open();
    const slots = Array.from({ length: 5 }, (_, index) => slotAsk({ name: String(index), total: 1e30 }));
    await store.take(
      asking({ sequence: 1e30, urgent: 1e30, usual: 1e30, slots, windows: [windowAsk({ limit: 1e30, ttlMs: 0.1 })] }),
    );
    await store.take(asking({ member: 'b', want: 1e-7, slots, windows: [windowAsk({ limit: 1e30, ttlMs: 1e9 })] }));
    for (const key of await redis.keys(keyOf('*'))) {
      if ((await redis.type(key)) !== 'string') continue;
      if (/:(w:|r$)/.test(key)) expect(await redis.strlen(key)).toBeLessThanOrEqual(80);
      else expect(await redis.get(key)).toMatch(/^[\d =]{1,150}$/);
    }
  });
});

describe('a reply of Redis', () => {
  const ask = asking({ want: 5, version: 3, slots: [slotAsk(), slotAsk({ name: '2' })] });
  const storeOf = (reply: unknown): ShareStore => redisStore((async () => reply) as RunScript, (what) => what);
  const answer = [1, 1_700_000_000_000, 3, 0, 0, 2, 8, 1_500, 60_000, 700, 2_500, 4, 1, 17];

  it('is read as an answer', async () => {
    expect(await storeOf(answer).take(ask)).toEqual({
      ...{ sequence: 1, now: 1_700_000_000_000, version: 3, facts: undefined, pauseMs: 0, lookMs: 0, others: 2 },
      ...{ live: 8, urgent: { units: 1.5, forMs: 60_000 }, usual: 2.5, freeMs: 700, granted: [4, 1], used: [17] },
    });
    expect(await storeOf([1, -1]).take(ask)).toBe('stale');
  });

  it('may have its numbers as text, as bytes or as big integers', async () => {
    const expected = await storeOf(answer).take(ask);
    expect(await storeOf(answer.map(String)).take(ask)).toEqual(expected);
    expect(await storeOf(answer.map(BigInt)).take(ask)).toEqual(expected);
    expect(await storeOf(answer.map((number) => Buffer.from(String(number)))).take(ask)).toEqual(expected);
    const told = [Buffer.from('5'), 1n, Buffer.from('lead'), Buffer.from('1')];
    expect(await storeOf(told).share(0, new Map())).toEqual({ now: 5, version: 1, facts: new Map([['lead', '1']]) });
  });

  it('tells what is used of each window of an ask, in whatever order Redis keeps them', async () => {
    const windows = ['minute:2', 'second:9', 'minute:1'].map((name) => windowAsk({ name }));
    const replied = storeOf([1, 5, 3, 0, 0, 2, 8, 0, 0, 0, 0, 4, 1, 11, 12, 13]);
    expect(await replied.take({ ...ask, windows })).toMatchObject({ used: [12, 13, 11] });
  });

  it('never grants more than was wanted, nor makes a pause or look longer than they may be', async () => {
    const large = answer.with(3, 9e12).with(4, 9e12).with(11, 4).with(12, 9_999);
    expect(await storeOf(large).take(ask)).toMatchObject({ granted: [4, 1], pauseMs: 3_600_000, lookMs: LOOK_MS });
    expect(await storeOf(9e12).look('a')).toBe(LOOK_MS);
    expect(await storeOf(9e12).resume('a')).toBe(3_600_000);
    expect(await storeOf(-9).resume('a')).toBe(1);
  });

  it.each([
    ['nothing', null],
    ['text', 'OK'],
    ['an answer to another ask', answer.with(0, 2)],
    ['an answer that is too short', answer.slice(0, -1)],
    ['an answer that is too long', [...answer, 1]],
    ['a negative number', answer.with(10, -1)],
    ['half a unit', answer.with(10, 0.5)],
    ['no number', answer.with(10, Number.NaN)],
    ['empty text', (answer as unknown[]).with(10, '')],
    ['an object', (answer as unknown[]).with(10, {})],
    ['words around a number', (answer as unknown[]).with(10, 'x5')],
    ['a number and words', (answer as unknown[]).with(10, '5x')],
    ['the beginning of an answer', answer.slice(0, 2)],
    ['an answer of a time below nothing', answer.with(1, -1)],
    ['an answer with facts of the version that is known', [...answer, 'lead', '1']],
    ['a number after a blank', (answer as unknown[]).with(10, ' 4')],
    ['a number with an exponent', (answer as unknown[]).with(10, '4e0')],
  ])('that is %s is malformed', async (_, reply) => {
    await expect(storeOf(reply).take(ask)).rejects.toMatchObject({ code: 'MALFORMED' });
  });

  it.each([
    [-1, 1],
    [5, -1],
  ])('that tells facts of a time or a version below nothing is malformed: %i, %i', async (...told) => {
    await expect(storeOf(told).share(0, new Map())).rejects.toMatchObject({ code: 'MALFORMED' });
    expect(await storeOf([0, 0]).share(0, new Map())).toEqual({ now: 0, version: 0, facts: undefined });
  });

  it('that is no answer to another operation is malformed', async () => {
    for (const reply of [null, 'OK', [], ['x', 'y'], [1, 2, 'lead'], [1, 2, {}, {}]])
      await expect(storeOf(reply).share(0, new Map())).rejects.toMatchObject({ code: 'MALFORMED' });
    for (const reply of [null, 'OK', [], Number.NaN]) {
      await expect(storeOf(reply).look('a')).rejects.toMatchObject({ code: 'MALFORMED' });
      await expect(storeOf(reply).resume('a')).rejects.toMatchObject({ code: 'MALFORMED' });
    }
  });

  it('that is an error is one of the operation that was asked for', async () => {
    const away = new Error('away');
    const store = redisStore(
      () => Promise.reject(away),
      (what) => what,
    );
    for (const operate of [
      () => store.take(ask),
      () => store.share(0, new Map()),
      () => store.look('a'),
      () => store.endLook('a'),
      () => store.pause(1),
      () => store.resume('a'),
      () => store.resumed(),
    ])
      await expect(operate()).rejects.toBe(away);
  });

  it('brings no facts that no process could have told', async () => {
    const reply = [5, 1, 'lead', '1', 'planted', '1', 's:minute', 'x', 'l:minute', '9'.repeat(500)];
    expect((await storeOf(reply).share(0, new Map())).facts).toEqual(new Map([['lead', '1']]));
  });
});

/** Makes each kind of trip. */
async function useAll(store: ShareStore, sequence = 1): Promise<void> {
  await store.take(asking({ sequence, want: 30, isSign: true }));
  await store.share(-1, new Map([['lead', String(sequence)]]));
  await store.look('a');
  await store.endLook('b');
  await store.pause(1);
  await new Promise((resolve) => setTimeout(resolve, 5));
  await store.resume('a');
  expect(await asker(store)({ member: `b${sequence}` })).toMatchObject({ sequence: 1 });
}
