/**
 * What it costs to share a quota through a real Redis: round trips and time a call, by the number of processes, beside
 * bottleneck's cluster and rate-limiter-flexible. The quota is so large that nobody has to wait for it, and the service
 * answers at once, in the same process: what is measured is the sharing. Needs redis-server.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import Bottleneck from 'bottleneck';
import { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { createClient } from '../src/index.ts';
import { redisShare } from '../src/redis/index.ts';
import { createMockService } from '../src/testing/index.ts';
import { startRedis } from '../test/redis/server.ts';

const PROCESSES = [1, 8];
const CALLS = 2_000;
const WARM_UP = 500;
const AT_ONCE = 32;
const LIMITS = { second: 100_000, minute: 1_000_000 };
const KEY = 'the-key-of-all';

type Call = () => Promise<unknown>;

/** Those that are compared, each with its own calls of a service that is the same for all. */
const SUBJECTS: Readonly<Record<string, (redis: Redis, call: Call) => { call: Call; end: () => Promise<unknown> }>> = {
  'stacks-quota': (redis) => {
    const service = createMockService({ keys: [KEY], keyed: LIMITS, keepLog: false });
    const share = redisShare({ redis: redis as never, name: 'bench', timeoutMs: 1_000 });
    const client = createClient({ baseUrl: service.origin, apiKey: KEY, fetch: service.fetch, share });
    return { call: () => client.getInfo(), end: () => client.close() };
  },
  'stacks-quota, not sharing': () => {
    const service = createMockService({ keys: [KEY], keyed: LIMITS, keepLog: false });
    const client = createClient({ baseUrl: service.origin, apiKey: KEY, fetch: service.fetch });
    return { call: () => client.getInfo(), end: () => client.close() };
  },
  'bottleneck, cluster': (redis, call) => {
    const limiter = new Bottleneck({
      ...{ id: 'bench', datastore: 'ioredis', clearDatastore: false },
      ...{ reservoir: LIMITS.second, reservoirRefreshAmount: LIMITS.second, reservoirRefreshInterval: 5_000 },
      connection: new Bottleneck.IORedisConnection({ client: redis }),
    });
    return { call: () => limiter.schedule(call), end: () => limiter.disconnect(false) };
  },
  'rate-limiter-flexible': (redis, call) => {
    const limiter = new RateLimiterRedis({
      storeClient: redis,
      points: LIMITS.second,
      duration: 1,
      keyPrefix: 'bench',
    });
    return { call: () => limiter.consume('all').then(call), end: async () => {} };
  },
};

const [, file, subject, url] = process.argv;
if (subject && url && file === fileURLToPath(import.meta.url)) await work(subject, url);
else await compare();

/** One process: makes its calls when it is told to, and says how long they took. */
async function work(name: string, url: string): Promise<void> {
  const redis = new Redis(url);
  const service = createMockService({ keys: [KEY], keyed: LIMITS, keepLog: false });
  const plain: Call = () => service.fetch(`${service.origin}/extended/v1/info`, { headers: { 'x-api-key': KEY } });
  const { call, end } = SUBJECTS[name]?.(redis, plain) ?? { call: plain, end: async () => {} };
  // By then everybody knows the windows.
  await calls(WARM_UP, call);
  process.send?.('ready');
  await once(process, 'message');
  const from = performance.now();
  await calls(CALLS, call);
  process.send?.({ tookMs: performance.now() - from });
  await once(process, 'message');
  await end();
  redis.disconnect();
  // bottleneck’s heartbeat would go on for ever.
  process.exit();
}

async function calls(count: number, call: Call): Promise<void> {
  let left = count;
  const walk = async (): Promise<void> => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, walk));
}

async function compare(): Promise<void> {
  console.log(`${CALLS} calls a process, ${AT_ONCE} at once; the mean of all processes\n`);
  console.log('                            processes  commands/call  µs/call');
  for (const name of Object.keys(SUBJECTS)) {
    for (const size of PROCESSES) {
      const server = await startRedis();
      const redis = new Redis(server.url);
      const crew = Array.from({ length: size }, () => fork(fileURLToPath(import.meta.url), [name, server.url]));
      await Promise.all(crew.map((child) => once(child, 'message')));
      const before = await commandsOf(redis);
      const ends = crew.map((child) => once(child, 'message'));
      for (const child of crew) child.send('go');
      const took = (await Promise.all(ends)).map(([{ tookMs }]) => tookMs as number);
      const commands = (await commandsOf(redis)) - before;
      for (const child of crew) child.send('end');
      await Promise.all(crew.map((child) => once(child, 'exit')));
      const mean = took.reduce((sum, ms) => sum + ms, 0) / size;
      const cells = [commands / (CALLS * size), (mean * 1_000) / CALLS].map((cell) => cell.toFixed(3).padStart(13));
      console.log(`${name.padEnd(28)}${String(size).padStart(9)}${cells.join('')}`);
      redis.disconnect();
      await server.stop();
    }
  }
}

/** Commands that clients have sent: those that scripts call are not counted. */
async function commandsOf(redis: Redis): Promise<number> {
  const stats = await redis.info('commandstats');
  const lines = stats.matchAll(/^cmdstat_(evalsha|eval|multi|exec|publish|expire|hget|set|get):calls=(\d+)/gm);
  let calls = 0;
  for (const [, command, count] of lines) if (command?.startsWith('eval')) calls += Number(count);
  return calls;
}
