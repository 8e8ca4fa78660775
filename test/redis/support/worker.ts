/** A process of a backend: it makes the calls that it is told to, and says what became of them. */
import type { Redis } from 'ioredis';
import type { ClientEvent } from '../../../src/events.ts';
import { createClient } from '../../../src/index.ts';
import { localShare } from '../../../src/local/index.ts';
import type { RedisLike } from '../../../src/redis/connection.ts';
import { redisShare } from '../../../src/redis/index.ts';
import type { QuotaShare } from '../../../src/share.ts';

/** What a worker is told to do. */
export interface Job {
  readonly service: string;
  /** The URL of Redis, or the directory of a share on this machine. */
  readonly store: string;
  /** The name of the share. */
  readonly share: string;
  readonly library: 'ioredis' | 'redis' | 'none';
  readonly calls: number;
  readonly atOnce: number;
  readonly key: string;
  /** Another key, and when this process takes it, in milliseconds since the Unix epoch. */
  readonly next?: { readonly key: string; readonly at: number };
}

/** What a worker says. */
export type Word =
  | { readonly kind: 'ready' }
  | { readonly kind: 'served'; readonly count: number }
  | { readonly kind: 'event'; readonly event: ClientEvent }
  | {
      readonly kind: 'done';
      readonly served: number;
      readonly failed: string[];
      readonly limited: number;
      readonly trips: number;
    };

const job = JSON.parse(process.argv[2] ?? '') as Job;
const say = (word: Word): void => void process.send?.(word);

let trips = 0;
let limited = 0;
let served = 0;
const failed: string[] = [];
const { share, end } = await join();
const client = createClient({
  baseUrl: job.service,
  apiKey: () => (job.next && Date.now() >= job.next.at ? job.next.key : job.key),
  share,
  onEvent: (event) => {
    if (event.type === 'limited') limited++;
    if (event.type.startsWith('share')) say({ kind: 'event', event });
  },
});

process.once('message', async () => {
  let left = job.calls;
  const walk = async (): Promise<void> => {
    while (left-- > 0) {
      await client.getInfo().then(
        () => {
          served++;
          if (served % 10 === 0) say({ kind: 'served', count: served });
        },
        (error: Error) => failed.push(`${error.name}: ${error.message}`),
      );
    }
  };
  await Promise.all(Array.from({ length: job.atOnce }, walk));
  await client.close();
  say({ kind: 'done', served, failed, limited, trips });
  end();
  process.disconnect?.();
});
say({ kind: 'ready' });

async function join(): Promise<{ share: QuotaShare; end: () => void }> {
  if (job.library === 'none') return { share: localShare({ name: job.share, directory: job.store }), end: () => {} };
  const { redis, end } = await connect();
  return { share: redisShare({ redis, name: job.share }), end };
}

async function connect(): Promise<{ redis: RedisLike; end: () => void }> {
  if (job.library === 'ioredis') {
    const { Redis } = await import('ioredis');
    const redis = new Redis(job.store, { maxRetriesPerRequest: 1 });
    redis.on('error', () => {});
    const evalsha: Redis['evalsha'] = redis.evalsha.bind(redis);
    redis.evalsha = ((...args: Parameters<Redis['evalsha']>) => {
      trips++;
      return evalsha(...args);
    }) as Redis['evalsha'];
    return { redis: redis as unknown as RedisLike, end: () => redis.disconnect() };
  }
  const { createClient: connectRedis } = await import('redis');
  const redis = connectRedis({ url: job.store });
  redis.on('error', () => {});
  await redis.connect();
  const evalSha = redis.evalSha.bind(redis);
  (redis as { evalSha: typeof evalSha }).evalSha = ((...args: Parameters<typeof evalSha>) => {
    trips++;
    return evalSha(...args);
  }) as typeof redis.evalSha;
  return { redis: redis as unknown as RedisLike, end: () => redis.destroy() };
}
