import type { RedisClientType } from 'redis';
import type { QuotaShare } from '../../index.ts';
import { redisShare } from '../../redis/index.ts';
import { UsageError } from '../exit.ts';

/** A share that the proxy has joined, and how to leave it. */
export interface JoinedShare {
  readonly share: QuotaShare;
  close(): Promise<void>;
}

/** Connects to Redis with the package `redis`, which is not installed along with this one. */
export async function connectShare(url: string, name: string): Promise<JoinedShare> {
  // Version 3 has no clusters.
  const { createClient, createCluster } = await import('redis').catch((): Partial<typeof import('redis')> => ({}));
  if (!createClient || !createCluster) {
    throw new UsageError(
      '--redis needs the package redis, 4 or later: npm install redis, or npx --package redis --package stacks-quota …',
    );
  }
  const redis = createConnection(createClient, url);
  const share = redisShare({ redis, name });
  // While Redis cannot be reached, the share goes on without it, and says why; the client connects again by itself.
  redis.on('error', () => {});
  void redis.connect().catch(() => {});
  return {
    share,
    // Version 4 has no `destroy`.
    close: () => redis.disconnect(),
  };
}

/** The message does not quote the URL, which may hold a password. */
function createConnection(create: typeof import('redis').createClient, url: string): RedisClientType {
  try {
    // The package takes an empty one, such as that of a variable that is not set, for the Redis of this machine.
    if (url !== '') return create({ url }) as RedisClientType;
  } catch {}
  throw new UsageError('--redis (or STACKS_REDIS_URL) must be a URL such as redis://127.0.0.1:6379.');
}
