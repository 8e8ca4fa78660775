import { createHash } from 'node:crypto';
import { ConfigError } from '../errors.ts';
import { SCRIPT } from './script.ts';

/** The part of ioredis (its `Redis` and `Cluster`) that is used. */
export interface IoredisLike {
  /** Runs a script that the server knows by its SHA-1. */
  evalsha(sha: string, keys: number, ...rest: string[]): Promise<unknown>;
  /** Runs a script by its text. */
  eval(script: string, keys: number, ...rest: string[]): Promise<unknown>;
}

/** The part of node-redis (its client, pool and cluster, version 5 or 6) that is used. */
export interface NodeRedisLike {
  /** Runs a script that the server knows by its SHA-1. */
  evalSha(sha: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  /** Runs a script by its text. */
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
}

/** A connected client of Redis, of either kind. It stays the caller's, who also closes it. */
export type RedisLike = IoredisLike | NodeRedisLike;

/** Runs the script with its keys and its one argument. */
export type RunScript = (keys: readonly string[], request: string) => Promise<unknown>;

const SHA = createHash('sha1').update(SCRIPT).digest('hex');

/**
 * Makes one kind of client of all.
 *
 * @throws ConfigError if it is no client of Redis that is known.
 */
export function scriptRunner(redis: RedisLike): RunScript {
  if (has(redis, 'evalsha') && has(redis, 'eval')) {
    const client = redis as IoredisLike;
    return cached(
      (keys, request) => client.evalsha(SHA, keys.length, ...keys, request),
      (keys, request) => client.eval(SCRIPT, keys.length, ...keys, request),
    );
  }
  if (has(redis, 'evalSha') && has(redis, 'eval')) {
    const client = redis as NodeRedisLike;
    return cached(
      (keys, request) => client.evalSha(SHA, { keys: [...keys], arguments: [request] }),
      (keys, request) => client.eval(SCRIPT, { keys: [...keys], arguments: [request] }),
    );
  }
  throw new ConfigError('redis', 'must be a client of node-redis (5 or 6) or ioredis');
}

/** A server that has been restarted has forgotten the script, and is told it again. */
function cached(byName: RunScript, byText: RunScript): RunScript {
  return async (keys, request) => {
    try {
      return await byName(keys, request);
    } catch (error) {
      if (!/^NOSCRIPT\b/.test(messageOf(error))) throw error;
      return byText(keys, request);
    }
  };
}

/** What went wrong, in one word: the server's own (`READONLY`, `OOM`, `LOADING`), or the connection's (`ECONNREFUSED`). */
export function codeOf(error: unknown): string {
  const [word] = /^[A-Z]{2,24}\b/.exec(messageOf(error)) ?? [];
  const { code } = (error ?? {}) as { code?: unknown };
  if (typeof code === 'string' && /^[A-Z_]{2,32}$/.test(code)) return code;
  if (word !== undefined && word !== 'ERR') return word;
  return error instanceof Error && /^[A-Za-z]{3,40}$/.test(error.name) && error.name !== 'Error' ? error.name : 'ERR';
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function has(value: unknown, method: string): boolean {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, method) === 'function';
}
