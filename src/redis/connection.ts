import { createHash } from 'node:crypto';
import { type EventEmitter, errorMonitor } from 'node:events';
import { ConfigError } from '../errors.ts';

/** The methods of ioredis (`Redis` or `Cluster`) that the share uses. */
export interface IoredisLike {
  /** Runs a script that the server knows by its SHA-1. */
  evalsha(sha: string, keys: number, ...rest: string[]): Promise<unknown>;
  /** Runs a script by its text. */
  eval(script: string, keys: number, ...rest: string[]): Promise<unknown>;
}

/** The methods of node-redis (client, pool or cluster, version 4 to 6) that the share uses. */
export interface NodeRedisLike {
  /** Runs a script that the server knows by its SHA-1. */
  evalSha(sha: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  /** Runs a script by its text. */
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
}

/** A Redis client of either kind. The caller connects and closes it. */
export type RedisLike = IoredisLike | NodeRedisLike;

/** A script and its SHA-1, by which a server finds it. */
export interface Script {
  readonly text: string;
  readonly sha: string;
}

/** Runs a script. All keys have the same hash tag. */
export type RunScript = (script: Script, keys: readonly string[], args: readonly string[]) => Promise<unknown>;

/** Creates a script from its text. */
export function scriptOf(text: string): Script {
  return { text, sha: createHash('sha1').update(text).digest('hex') };
}

/**
 * Adapts a client of either kind.
 *
 * @throws ConfigError if `redis` is not a client of node-redis or ioredis.
 */
export function scriptRunner(redis: RedisLike): RunScript {
  if (hasMethod(redis, 'evalsha') && hasMethod(redis, 'eval')) {
    const client = redis as IoredisLike;
    return cached(
      redis,
      ({ sha }, keys, args) => client.evalsha(sha, keys.length, ...keys, ...args),
      ({ text }, keys, args) => client.eval(text, keys.length, ...keys, ...args),
    );
  }
  if (hasMethod(redis, 'evalSha') && hasMethod(redis, 'eval')) {
    const client = redis as NodeRedisLike;
    return cached(
      redis,
      ({ sha }, keys, args) => client.evalSha(sha, { keys: [...keys], arguments: [...args] }),
      ({ text }, keys, args) => client.eval(text, { keys: [...keys], arguments: [...args] }),
    );
  }
  throw new ConfigError('redis', 'must be a client of node-redis (4 to 6) or ioredis');
}

/** Runs scripts by SHA-1, and sends the text if the server does not have the script, as after a restart. */
function cached(redis: RedisLike, byName: RunScript, byText: RunScript): RunScript {
  return async (script, keys, args) => {
    try {
      const reply = await byName(script, keys, args);
      problems.set(redis, undefined);
      return reply;
    } catch (error) {
      if (!/^NOSCRIPT\b/.test(messageOf(error))) throw error;
      return byText(script, keys, args);
    }
  };
}

/** The latest error of each client that is not connected since. Its calls meanwhile wait, and only time out. */
const problems = new WeakMap<RedisLike, unknown>();

/** Watches the connection of a client. @returns why it is not connected, if the client has said so. */
export function problemOf(redis: RedisLike): () => unknown {
  const keep = (problem?: unknown): void => void problems.set(redis, problem);
  if (!problems.has(redis) && hasMethod(redis, 'on')) {
    keep();
    const client = redis as unknown as EventEmitter;
    // With a listener of `error` a client would no longer report an error that its caller does not listen to.
    client.on(errorMonitor, keep).on('ready', () => keep());
  }
  return () => problems.get(redis);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Whether a value is an object with a method of this name. */
export function hasMethod(value: unknown, method: string): boolean {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, method) === 'function';
}
