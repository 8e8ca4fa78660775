import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { inspect } from 'node:util';
import { Cluster, Redis } from 'ioredis';
import { createClient as connectRedis, createClientPool, createCluster } from 'redis';
import { createMockService } from 'stacks-quota/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ClientEvent } from '../../src/events.ts';
import { type Client, createClient, isConfigError } from '../../src/index.ts';
import { type RedisLike, type RedisShareOptions, redisShare } from '../../src/redis/index.ts';
import { ofShare } from '../sharing/fleet.ts';
import { hasRedis, type RedisServer, startRedis } from './server.ts';

/** How long a fingerprint or a real trip takes is the machine's affair, and one that has other things to do may spoil a run. */
const AGAIN = 2;

const KEY = 'a-key-that-nobody-may-see';

describe.skipIf(!hasRedis)('a real Redis server', { retry: AGAIN }, () => {
  const endings: (() => unknown)[] = [];
  let server: RedisServer;
  let ioredis: Redis;

  beforeEach(async () => {
    server = await startRedis();
    ioredis = new Redis(server.url, { maxRetriesPerRequest: 1 });
    ioredis.on('error', () => {});
    endings.push(() => ioredis.disconnect());
  });

  afterEach(async () => {
    for (const end of endings.splice(0).reverse()) await end();
    await server.stop();
  });

  function clientWith(
    redis: unknown,
    options: Partial<RedisShareOptions> = {},
  ): { client: Client; events: ClientEvent[]; said: () => ClientEvent[] } {
    const service = createMockService({ keys: [KEY], keyed: { minute: 1_000, month: 10_000 } });
    const events: ClientEvent[] = [];
    const share = redisShare({ redis: redis as RedisLike, name: 'store', timeoutMs: 500, ...options });
    const client = createClient({
      ...{ baseUrl: service.origin, apiKey: KEY, fetch: service.fetch, share },
      onEvent: (event) => void events.push(event),
    });
    endings.push(() => client.close());
    return { client, events, said: () => ofShare(events) };
  }

  it('is used through ioredis, node-redis and a pool of node-redis alike', async () => {
    const single = connectRedis({ url: server.url });
    const pool = createClientPool({ url: server.url });
    await Promise.all([single.connect(), pool.connect()]);
    endings.push(
      () => single.destroy(),
      () => pool.destroy(),
    );
    for (const redis of [ioredis, single, pool]) {
      const { client, said } = clientWith(redis);
      await Promise.all(Array.from({ length: 20 }, () => client.getInfo()));
      expect(said()).toEqual([]);
    }
    const [hash = ''] = await ioredis.keys('*:minute');
    const claims = Object.entries(await ioredis.hgetall(hash)).filter(([field]) => field.includes(':'));
    expect(claims).toHaveLength(3);
    expect(claims.reduce((sum, [, units]) => sum + Number(units), 0)).toBeGreaterThanOrEqual(60);
  });

  it('may be a cluster, of which one node holds all that belongs to a credential', async () => {
    const node = await startRedis(
      ...['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1'],
      '--cluster-config-file',
      `nodes-${randomUUID()}.conf`,
      '--dir',
      tmpdir(),
    );
    const plain = new Redis(node.url);
    await plain.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
    await vi.waitFor(async () => expect(await plain.call('CLUSTER', 'INFO')).toContain('cluster_state:ok'), 20_000);
    const viaIoredis = new Cluster([{ host: '127.0.0.1', port: node.port }]);
    const viaNodeRedis = createCluster({ rootNodes: [{ url: node.url }] });
    await viaNodeRedis.connect();
    endings.push(
      () => node.stop(),
      () => plain.disconnect(),
      () => viaIoredis.disconnect(),
      () => viaNodeRedis.destroy(),
    );
    for (const redis of [viaIoredis, viaNodeRedis]) {
      const { client, said } = clientWith(redis);
      await Promise.all(Array.from({ length: 20 }, () => client.getInfo()));
      expect(said()).toEqual([]);
    }
    expect(await plain.keys('sq1:*')).not.toEqual([]);
  });

  it('is told the script again when it has forgotten it', async () => {
    const { client, said } = clientWith(ioredis);
    await client.getInfo();
    await ioredis.script('FLUSH');
    await Promise.all(Array.from({ length: 300 }, () => client.getInfo()));
    expect(said()).toEqual([]);
  });

  it.each([
    ['cannot be written to', 'READONLY', async (): Promise<unknown> => ioredis.replicaof('127.0.0.1', '1')],
    ['is full', 'OOM', async (): Promise<unknown> => ioredis.config('SET', 'maxmemory', '1')],
    ['forbids scripts', 'NOPERM', async (): Promise<unknown> => ioredis.acl('SETUSER', 'default', '-evalsha', '-eval')],
  ] as const)('that %s is not waited for, and its client says why', async (_, code, spoil) => {
    const { client, said } = clientWith(ioredis);
    await client.getInfo();
    await spoil();
    await Promise.all(Array.from({ length: 100 }, () => client.getInfo()));
    await vi.waitFor(() => expect(said()).toMatchObject([{ type: 'share lost', code, mode: 'partial' }]));
  });

  it('that is frozen holds a call up for no longer than it may', async () => {
    const { client, said } = clientWith(ioredis, { timeoutMs: 50 });
    await Promise.all(Array.from({ length: 40 }, () => client.getInfo()));
    process.kill(server.pid, 'SIGSTOP');
    endings.push(() => process.kill(server.pid, 'SIGCONT'));
    await new Promise((resolve) => setTimeout(resolve, 200));
    const from = performance.now();
    await client.getInfo();
    expect(performance.now() - from).toBeLessThan(1_000);
    await vi.waitFor(() => expect(said()[0]).toMatchObject({ type: 'share lost', code: 'TIMEOUT' }));
  });

  it('in which something else stands under its keys is put right, and that is told', async () => {
    const { client, said } = clientWith(ioredis);
    await client.getInfo();
    const [hash = ''] = await ioredis.keys('*:knowledge');
    await ioredis.set(hash, 'somebody else’s');
    await Promise.all(Array.from({ length: 300 }, () => client.getInfo()));
    expect(said()).toEqual([{ type: 'share unreadable', what: 'knowledge' }]);
  });

  it('cannot make a client believe in a higher limit than it has seen', async () => {
    const { client } = clientWith(ioredis);
    await client.getInfo();
    const [hash = ''] = await ioredis.keys('*:knowledge');
    await ioredis.hset(hash, 'l:minute', '1e12', 'lead', '-1e99 9e99 junk', 's:minute', '999999 31', 'version', '77');
    const minute = (): number => Math.floor(Date.now() / 60_000);
    const from = minute();
    const calls = await Promise.allSettled(Array.from({ length: 1_100 }, () => client.getInfo({ maxWaitMs: 0 })));
    const minutes = minute() - from + 1;
    expect(calls.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(minutes * 1_000);
    expect(client.quota().windows.find(({ window }) => window === 'minute')).toMatchObject({ limit: 1_000 });
  });

  it('never sees the key, and neither does whoever inspects the share', async () => {
    const seen: string[] = [];
    const evalsha = ioredis.evalsha.bind(ioredis) as (...all: string[]) => Promise<unknown>;
    const spy = {
      evalsha(...all: string[]) {
        seen.push(...all);
        return evalsha(...all);
      },
      eval: ioredis.eval.bind(ioredis),
    };
    const { client, events } = clientWith(spy);
    await Promise.all(Array.from({ length: 50 }, () => client.getInfo()));
    expect(seen.length).toBeGreaterThan(0);
    expect(`${seen.join()}${inspect(events, { depth: 9 })}${inspect(client, { depth: 9 })}`).not.toContain(KEY);
  });
});

describe('the options of a share', { retry: AGAIN }, () => {
  const redis = { evalsha: async () => '', eval: async () => '' };

  it.each([
    [{ redis: {}, name: 'a' }, 'redis must be a client of node-redis (5 or 6) or ioredis'],
    [{ redis, name: 'A b' }, 'name must be 1 to 32 small letters, digits and hyphens, not "A b"'],
    [{ redis, name: 'a', secret: '' }, 'secret must be text, and not empty'],
    [{ redis, name: 'a', onStoreFailure: 'panic' }, 'onStoreFailure must be partial, closed or open, not "panic"'],
    [{ redis, name: 'a', processes: 0 }, 'processes must be a whole number, 1 or more, not 0'],
    [{ redis, name: 'a', timeoutMs: Infinity }, 'timeoutMs must be milliseconds, more than 0, not Infinity'],
    [
      { redis, name: 'a', nome: 'b' },
      'nome is not one of the options: redis, name, secret, onStoreFailure, processes, timeoutMs',
    ],
  ])('are refused with %o, saying what would be right', (options, message) => {
    let error: unknown;
    try {
      redisShare(options as never);
    } catch (thrown) {
      error = thrown;
    }
    expect(isConfigError(error)).toBe(true);
    expect((error as Error).message).toContain(message);
  });

  it('are kept apart by name: two shares know nothing of each other', () => {
    expect(() => redisShare({ redis: redis as never, name: `a-${randomUUID().slice(0, 8)}` })).not.toThrow();
  });
});
