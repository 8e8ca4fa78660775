import { ConfigError, quote } from '../errors.ts';
import type { QuotaShare } from '../share.ts';
import { checkShareName, readShareOptions } from '../sharing/share-options.ts';
import type { ShareStore } from '../sharing/store.ts';
import { storeShare } from '../sharing/store-share.ts';
import { type RedisLike, scriptRunner } from './connection.ts';
import { keysOf } from './keys.ts';
import { redisStore } from './redis-store.ts';

/** Default of `secret`. It is public, so a guessed key can be recognised by its fingerprint. */
const COMMON_SECRET = 'stacks-quota';

/** Options of {@link redisShare}. */
export interface RedisShareOptions {
  /** A connected client of node-redis (5 or 6: client, pool or cluster) or ioredis. You own it and close it. */
  readonly redis: RedisLike;
  /** The name of the share, the same in all its processes: 1 to 32 lower-case letters, digits and hyphens. */
  readonly name: string;
  /**
   * Secret for the fingerprint of the API key in the names of Redis keys, the same in all processes. Default: a public value,
   * which is enough if the API key cannot be guessed.
   */
  readonly secret?: string | undefined;
  /**
   * What a process sends without a grant while Redis cannot be used. `partial`: requests at an even pace, at a part of each limit
   * that adapts to the usage of all processes. `closed`: nothing. `open`: as if the process had the key to itself. Default: `partial`.
   */
  readonly onStoreFailure?: 'partial' | 'closed' | 'open' | undefined;
  /** The number of processes to assume if Redis has never been reached. Default: 8. */
  readonly processes?: number | undefined;
  /** Time-out of a call to Redis, in milliseconds. It adapts to slow answers, up to a second. Default: 50. */
  readonly timeoutMs?: number | undefined;
}

const OPTIONS: readonly string[] = ['redis', 'name', 'secret', 'onStoreFailure', 'processes', 'timeoutMs'];

/**
 * Creates a share that divides the quota of an API key among processes, through Redis. Each process asks for units of the next
 * seconds as its calls need them; Redis grants no more than the windows have room for.
 *
 * @throws ConfigError if an option is invalid.
 *
 * @example
 * ```ts
 * const redis = new Redis(); // of ioredis, or a connected client of node-redis
 * const client = createClient({ share: redisShare({ redis, name: 'my-backend' }) });
 * ```
 */
export function redisShare(options: RedisShareOptions): QuotaShare {
  const { redis, name, secret, mode, processes, timeoutMs } = readOptions(options);
  const run = scriptRunner(redis);
  const storeOf = (credential: string): ShareStore => redisStore(run, keysOf(name, secret, credential));
  return storeShare({ storeOf, mode, processes, timeoutMs });
}

function readOptions(options: RedisShareOptions): {
  redis: RedisLike;
  name: string;
  secret: string;
  mode: 'partial' | 'closed' | 'open';
  processes: number;
  timeoutMs: number;
} {
  const {
    redis,
    name,
    secret = COMMON_SECRET,
    onStoreFailure: mode = 'partial',
    processes = 8,
    timeoutMs = 50,
  } = readShareOptions('redisShare', OPTIONS, options);
  checkShareName(name);
  if (typeof secret !== 'string' || secret === '') throw new ConfigError('secret', 'must be a non-empty string');
  if (!['partial', 'closed', 'open'].includes(mode))
    throw new ConfigError('onStoreFailure', `must be partial, closed or open, not ${quote(mode)}`);
  if (!Number.isSafeInteger(processes) || processes < 1)
    throw new ConfigError('processes', `must be a whole number, 1 or more, not ${quote(processes)}`);
  if (!(Number.isFinite(timeoutMs) && timeoutMs > 0))
    throw new ConfigError('timeoutMs', `must be milliseconds, more than 0, not ${quote(timeoutMs)}`);
  return { redis, name, secret, mode, processes, timeoutMs };
}
