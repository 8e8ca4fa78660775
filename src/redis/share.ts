import { ConfigError } from '../errors.ts';
import type { QuotaShare } from '../share.ts';
import {
  checkShareName,
  readShareOptions,
  readStoreOptions,
  STORE_OPTIONS,
  type StoreOptions,
} from '../sharing/share-options.ts';
import type { ShareStore } from '../sharing/store/store.ts';
import { storeShare } from '../sharing/store-share.ts';
import { hasMethod, problemOf, type RedisLike, scriptRunner } from './connection.ts';
import { keysOf } from './keys.ts';
import { redisStore } from './redis-store.ts';

/** Options of {@link redisShare}. */
export interface RedisShareOptions extends StoreOptions {
  /** A client of node-redis (4 to 6: client, pool or cluster) whose `connect()` was called, or of ioredis. You own it and close it. */
  readonly redis: RedisLike;
  /** The name of the share, the same in all its processes: 1 to 32 lower-case letters, digits and hyphens. */
  readonly name: string;
}

const OPTIONS: readonly string[] = ['redis', 'name', ...STORE_OPTIONS];

/**
 * Creates a share that divides the quota of an API key among processes, through Redis. Each process asks for units of the next
 * seconds as its calls need them; Redis grants no more than the windows have room for.
 *
 * @throws ConfigError if an option is invalid.
 *
 * @example
 * ```ts
 * const redis = new Redis(); // of ioredis, or a client of node-redis whose `connect()` was called
 * const client = createClient({ share: redisShare({ redis, name: 'my-backend' }) });
 * ```
 */
export function redisShare(options: RedisShareOptions): QuotaShare {
  if (hasMethod(options, 'eval')) throw new ConfigError('redisShare', 'takes the client as an option: { redis, name }');
  const own = readShareOptions('redisShare', OPTIONS, options);
  const { redis, name } = own;
  checkShareName(name);
  const { secret, ...store } = readStoreOptions(own);
  const run = scriptRunner(redis);
  const storeOf = (credential: string): ShareStore => redisStore(run, keysOf(name, secret, credential));
  return storeShare({ storeOf, problem: problemOf(redis), ...store });
}
