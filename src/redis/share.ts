import { ConfigError, quote } from '../errors.ts';
import type { QuotaShare } from '../share.ts';
import type { ShareStore } from '../sharing/store.ts';
import { storeShare } from '../sharing/store-share.ts';
import { ownProperties } from '../validation/own-properties.ts';
import { type RedisLike, scriptRunner } from './connection.ts';
import { keysOf } from './keys.ts';
import { redisStore } from './redis-store.ts';

/** What stands in for a secret of the user's own: with it, whoever can guess a key can recognise it in Redis. */
const COMMON_SECRET = 'stacks-quota';

/** How the processes of a backend share their quota. */
export interface RedisShareOptions {
  /** A connected client of node-redis (5 or 6: client, pool or cluster) or ioredis. It stays yours: you close it. */
  readonly redis: RedisLike;
  /** What the share is called: the same in all processes that share. 1 to 32 small letters, digits and hyphens. */
  readonly name: string;
  /**
   * Makes the fingerprint of the API key, under which the share is kept, one that nobody can guess who does not know this;
   * the same in all processes. Default: one that everybody knows, which is enough for keys that cannot be guessed.
   */
  readonly secret?: string | undefined;
  /**
   * What a process does while Redis cannot be used, beyond what it has been granted. `partial`: it sends evenly, at a part of
   * each limit that adapts to what all processes together send. `closed`: it sends nothing. `open`: it sends as if the key
   * were its own. Default: `partial`.
   */
  readonly onStoreFailure?: 'partial' | 'closed' | 'open' | undefined;
  /** How many processes to reckon with where Redis could never be reached. Default: 8. */
  readonly processes?: number | undefined;
  /** How long Redis may take to answer before it counts as lost, in milliseconds. Default: 50. */
  readonly timeoutMs?: number | undefined;
}

const OPTIONS: readonly string[] = ['redis', 'name', 'secret', 'onStoreFailure', 'processes', 'timeoutMs'];

/**
 * Lets all processes that share an API key share its quota, through Redis: near the full quota, and no refusals. Each process
 * asks for units of the present second as its calls need them; Redis grants no more than the windows hold, and knows
 * nothing of pacing.
 *
 * @throws ConfigError if an option cannot be used.
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
  if (typeof options !== 'object' || options === null) throw new ConfigError('redisShare', 'must be given an object');
  const unknown = Object.keys(options).find((option) => !OPTIONS.includes(option));
  if (unknown !== undefined) throw new ConfigError(unknown, `is not one of the options: ${OPTIONS.join(', ')}`);
  const {
    redis,
    name,
    secret = COMMON_SECRET,
    onStoreFailure: mode = 'partial',
    processes = 8,
    timeoutMs = 50,
  } = ownProperties(options);
  if (typeof name !== 'string' || !/^[a-z0-9-]{1,32}$/.test(name))
    throw new ConfigError('name', `must be 1 to 32 small letters, digits and hyphens, not ${quote(name)}`);
  if (typeof secret !== 'string' || secret === '') throw new ConfigError('secret', 'must be text, and not empty');
  if (!['partial', 'closed', 'open'].includes(mode))
    throw new ConfigError('onStoreFailure', `must be partial, closed or open, not ${quote(mode)}`);
  if (!Number.isSafeInteger(processes) || processes < 1)
    throw new ConfigError('processes', `must be a whole number, 1 or more, not ${quote(processes)}`);
  if (!(Number.isFinite(timeoutMs) && timeoutMs > 0))
    throw new ConfigError('timeoutMs', `must be milliseconds, more than 0, not ${quote(timeoutMs)}`);
  return { redis, name, secret, mode, processes, timeoutMs };
}
