import { inspect } from 'node:util';
import { Redis } from 'ioredis';
import { createClient as connectRedis, createClientPool } from 'redis';
import { createMockService, type MockService, type MockServiceOptions } from 'stacks-quota/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it, type TestContext, vi } from 'vitest';
import type { ClientEvent } from '../../src/events.ts';
import { type Client, createClient } from '../../src/index.ts';
import { type RedisLike, type RedisShareOptions, redisShare } from '../../src/redis/index.ts';
import { ofShare } from '../sharing/support/fleet.ts';
import { cases } from '../support/deep.ts';
import { startCluster } from './support/cluster.ts';
import { hasRedis, type RedisServer, startRedis } from './support/server.ts';

const KEY = 'a-key-that-nobody-may-see';

/** An answer of Redis may take this long, in milliseconds, so that a busy machine does not make it lost. */
const TIMEOUT_MS = 1_000;

/** Limits far above what the tests send, so that a process which sends evenly does not take long. */
const ROOMY = { minute: 20_000, month: 100_000 };

interface Shared {
  readonly client: Client;
  readonly service: MockService;
  /** What was told of the share. */
  readonly said: () => ClientEvent[];
  readonly events: readonly ClientEvent[];
}

/** What a test uses, until it has finished. */
function stageOf({ onTestFinished }: TestContext) {
  function connect({ url }: RedisServer): Redis {
    const redis = connectTo(url);
    onTestFinished(() => redis.disconnect());
    return redis;
  }

  /** A server that the test may harm. */
  async function ownServer(): Promise<RedisServer> {
    const own = await startRedis();
    onTestFinished(() => own.stop());
    return own;
  }

  function join(redis: unknown, service = serviceWith(), options: Partial<RedisShareOptions> = {}): Shared {
    const events: ClientEvent[] = [];
    const share = redisShare({ redis: redis as RedisLike, name: 'store', timeoutMs: TIMEOUT_MS, ...options });
    const client = createClient({
      ...{ baseUrl: service.origin, apiKey: KEY, fetch: service.fetch, share },
      onEvent: (event) => void events.push(event),
    });
    onTestFinished(async () => void (await client.close()));
    return { client, service, events, said: () => ofShare(events) };
  }

  return { connect, ownServer, join };
}

function connectTo(url: string): Redis {
  const redis = new Redis(url, { maxRetriesPerRequest: 1 });
  redis.on('error', () => {});
  return redis;
}

function serviceWith(options: MockServiceOptions = {}): MockService {
  return createMockService({ keys: [KEY], keyed: { minute: 1_000, month: 10_000 }, ...options });
}

describe.skipIf(!hasRedis)('clients that share a key through a real Redis server', () => {
  let server: RedisServer;
  let ioredis: Redis;

  beforeAll(async () => {
    server = await startRedis();
    ioredis = connectTo(server.url);
  });

  afterAll(async () => {
    ioredis.disconnect();
    await server.stop();
  });

  beforeEach(() => ioredis.flushall());

  it('may use ioredis, node-redis and a pool of node-redis side by side', async (context) => {
    const { join } = stageOf(context);
    const single = connectRedis({ url: server.url });
    const pool = createClientPool({ url: server.url });
    await Promise.all([single.connect(), pool.connect()]);
    context.onTestFinished(() => single.destroy());
    context.onTestFinished(() => pool.destroy());
    const service = serviceWith({ keyed: { minute: 60, month: 10_000 } });
    const all = [ioredis, single, pool].map((redis) => join(redis, service));
    await Promise.all(all.map(({ client }) => client.getInfo()));
    // Together they want twice what the minute holds: without each other's claims they would be refused.
    const calls = all.flatMap(({ client }) => Array.from({ length: 40 }, () => client.getInfo({ maxWaitMs: 0 })));
    await Promise.allSettled(calls);
    expect(refused(service)).toBe(0);
    expect(service.log.length).toBeGreaterThanOrEqual(40);
    for (const { said } of all) expect(said()).toEqual([]);
  });

  it('may use a cluster, of which one node holds all that belongs to a credential', async (context) => {
    const { join } = stageOf(context);
    const { plain, clients, stop } = await startCluster();
    context.onTestFinished(stop);
    const service = serviceWith();
    for (const redis of clients) {
      const { client, said } = join(redis, service);
      await Promise.all(Array.from({ length: 20 }, () => client.getInfo()));
      expect(said()).toEqual([]);
    }
    const tags = (await plain.keys('*')).map((key) => /\{.*\}/.exec(key)?.[0]);
    expect(tags.length).toBeGreaterThan(3);
    expect(new Set(tags).size).toBe(1);
  });

  it('go on when Redis has forgotten the scripts', async (context) => {
    const { join } = stageOf(context);
    const { client, said, service } = join(ioredis);
    await client.getInfo();
    await ioredis.script('FLUSH');
    await Promise.all(Array.from({ length: 120 }, () => client.getInfo()));
    expect(said()).toEqual([]);
    expect(refused(service)).toBe(0);
  });

  it('put right what else stands under their keys', async (context) => {
    const { join } = stageOf(context);
    const { client, said, service } = join(ioredis);
    await client.getInfo();
    for (const key of await ioredis.keys('*')) {
      await ioredis.multi().del(key).rpush(key, 'not of this package').exec();
    }
    await Promise.all(Array.from({ length: 120 }, () => client.getInfo()));
    expect(said()).toEqual([]);
    expect(refused(service)).toBe(0);
    const [account = ''] = await ioredis.keys('*:a:*');
    expect(await ioredis.type(account)).toBe('string');
  });

  it('do not believe in a higher limit than they have seen', async (context) => {
    const { join } = stageOf(context);
    const service = serviceWith({ keyed: { minute: 100, month: 10_000 } });
    const all = [join(ioredis, service), join(ioredis, service)];
    for (const { client } of all) await client.getInfo();
    const [hash = ''] = await ioredis.keys('*:facts');
    await ioredis.hset(hash, 'l:minute', '1e6', 'lead', '-1e99 9e99 junk', 's:minute', '999999 31');
    // A process reads facts whose version it does not know, and that is beside the end of the pause and the like.
    const [state = ''] = await ioredis.keys('*:f');
    const [version, ...rest] = ((await ioredis.get(state)) ?? '').split(' ');
    await ioredis.set(state, [Number(version) + 1, ...rest].join(' '), 'KEEPTTL');
    const calls = all.flatMap(({ client }) => Array.from({ length: 100 }, () => client.getInfo({ maxWaitMs: 0 })));
    await Promise.allSettled(calls);
    expect(refused(service)).toBe(0);
    for (const { client } of all)
      expect(client.quota().windows.find(({ window }) => window === 'minute')).toMatchObject({ limit: 100 });
  });

  it('know nothing of what a share of another name has stored', async (context) => {
    const { join } = stageOf(context);
    const service = serviceWith({ keyed: { minute: 5, month: 10_000 } });
    const one = join(ioredis, service, { name: 'one' });
    const two = join(ioredis, serviceWith(), { name: 'two' });
    await Promise.all([one, two].map(({ client }) => client.getInfo()));
    const names = (await ioredis.keys('*')).map((key) => /\{(\w+):/.exec(key)?.[1]);
    expect(new Set(names)).toEqual(new Set(['one', 'two']));
    expect(two.client.quota().windows.find(({ window }) => window === 'minute')).toMatchObject({ limit: 1_000 });
  });

  it('never show the key to Redis, in events or in an inspected client', async (context) => {
    const { connect, join } = stageOf(context);
    const seen: string[] = [];
    const monitor = await connect(server).monitor();
    context.onTestFinished(() => monitor.disconnect());
    monitor.on('monitor', (_time, args: string[]) => seen.push(...args));
    const { client, events } = join(ioredis);
    await Promise.all(Array.from({ length: 50 }, () => client.getInfo()));
    await vi.waitFor(() => expect(seen.length).toBeGreaterThan(10));
    expect(`${seen.join()}${inspect(events, { depth: 9 })}${inspect(client, { depth: 9 })}`).not.toContain(KEY);
  });
});

// They mostly wait, so they run side by side.
describe.skipIf(!hasRedis).concurrent('clients that share a key through a Redis server of their own', () => {
  it.for(
    cases<[how: string, code: string, spoil: (redis: Redis) => unknown]>(
      [['is a replica that cannot be written to', 'READONLY', (redis) => redis.replicaof('127.0.0.1', '1')]],
      [
        ['is full', 'OOM', (redis) => redis.config('SET', 'maxmemory', '1')],
        ['forbids scripts', 'NOPERM', (redis) => redis.acl('SETUSER', 'default', '-evalsha', '-eval')],
      ],
    ),
  )('go on without a Redis that %s, and say why', async ([, code, spoil], context) => {
    const { connect, join, ownServer } = stageOf(context);
    const redis = connect(await ownServer());
    const { client, said, service } = join(redis, serviceWith({ keyed: ROOMY }));
    await client.getInfo();
    await spoil(redis);
    await Promise.all(Array.from({ length: 60 }, () => client.getInfo()));
    await vi.waitFor(() => expect(said()).toMatchObject([{ type: 'share-lost', code, mode: 'partial' }]), 10_000);
    expect(refused(service)).toBe(0);
  });

  it.for(
    cases<[how: string, spoil: (redis: Redis) => unknown]>(
      [['forbids scripts', (redis) => redis.acl('SETUSER', 'default', '-evalsha', '-eval')]],
      [['is a replica that cannot be written to', (redis) => redis.replicaof('127.0.0.1', '1')]],
    ),
  )('begin without a Redis that %s', async ([, spoil], context) => {
    const { connect, join, ownServer } = stageOf(context);
    const redis = connect(await ownServer());
    await spoil(redis);
    const { client, service } = join(redis, serviceWith({ keyed: ROOMY }));
    await Promise.all(Array.from({ length: 30 }, () => client.getInfo({ maxWaitMs: 20_000 })));
    expect(service.log).toHaveLength(30);
    expect(refused(service)).toBe(0);
  });

  it('go on without a Redis that is frozen, and use it again when it has thawed', async (context) => {
    const { connect, join, ownServer } = stageOf(context);
    const own = await ownServer();
    const { client, said, service } = join(connect(own), serviceWith({ keyed: ROOMY }), { timeoutMs: 100 });
    await Promise.all(Array.from({ length: 40 }, () => client.getInfo()));
    process.kill(own.pid, 'SIGSTOP');
    const thaw = (): unknown => process.kill(own.pid, 'SIGCONT');
    context.onTestFinished(() => void thaw());
    const during = Array.from({ length: 60 }, () => client.getInfo());
    await vi.waitFor(() => expect(said()[0]).toMatchObject({ type: 'share-lost', code: 'TIMEOUT' }), 20_000);
    await Promise.all(during);
    thaw();
    await vi.waitFor(async () => {
      await client.getInfo();
      expect(said().map(({ type }) => type)).toEqual(['share-lost', 'share-regained']);
    }, 20_000);
    expect(refused(service)).toBe(0);
  });
});

function refused(service: MockService): number {
  return service.log.filter(({ limited }) => limited).length;
}
