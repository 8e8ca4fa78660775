import { stat } from 'node:fs/promises';
import type { ClientOptions } from '../index.ts';
import type { Environment } from './environment.ts';
import { UsageError } from './exit.ts';
import { duration, type TextFlag, textIn, whole } from './flags.ts';
import { writeErrors } from './notices.ts';

const TIMEOUT = '30s';

/** Flags of every command that calls the service. */
export const ACCESS_FLAGS: Readonly<Record<'url' | 'key-file' | 'timeout', TextFlag>> = {
  url: {
    type: 'string',
    value: 'URL',
    about: 'URL of the service',
    fallback: 'STACKS_API_URL, else https://api.hiro.so',
  },
  'key-file': {
    type: 'string',
    value: 'FILE',
    about: 'a file that holds the key and nothing else',
    fallback: 'STACKS_API_KEY, else no key',
  },
  timeout: { type: 'string', value: 'TIME', about: 'time limit of one request', fallback: TIMEOUT },
};

/** What {@link ACCESS_FLAGS} say of the service and the key. */
export interface AccessFlags {
  readonly url?: string | undefined;
  readonly 'key-file'?: string | undefined;
}

/** The flag of commands that wait for the quota of one call. */
export const WAIT_FLAG = {
  type: 'string',
  value: 'TIME',
  about: 'maximum time to wait for quota',
  fallback: '1m',
} as const;

/** The flag of commands that make many calls. */
export const CONCURRENCY_FLAG = {
  type: 'string',
  value: 'N',
  about: 'maximum number of requests in flight',
  fallback: '32',
} as const;

/** How many requests may be in flight. */
export function concurrencyOf({ concurrency = CONCURRENCY_FLAG.fallback }: { readonly concurrency?: string }): number {
  return whole('--concurrency', concurrency, 1);
}

/** The time limit of one request, in milliseconds. */
export function timeoutOf({ timeout = TIMEOUT }: { readonly timeout?: string | undefined }): number {
  return duration('--timeout', timeout);
}

/** How long a call may wait for quota, in milliseconds; no time: not at all. */
export function maxWaitOf(
  values: { readonly 'max-wait'?: string | undefined },
  flags: { readonly 'max-wait': { readonly fallback: string } },
): number {
  return duration('--max-wait', values['max-wait'] ?? flags['max-wait'].fallback, true);
}

/** What every client of the program is made with: URL and key, from the flags, else from the environment; network and clock of the world. */
export async function accessOf(
  flags: AccessFlags,
  world: Environment,
): Promise<Pick<ClientOptions, 'baseUrl' | 'apiKey' | 'fetch' | 'clock'>> {
  const { env, fetch, clock } = world;
  const path = flags['key-file'];
  const baseUrl = flags.url ?? (env.STACKS_API_URL || undefined);
  const apiKey = path === undefined ? env.STACKS_API_KEY || undefined : await readKey(path, world);
  return { baseUrl, apiKey, fetch, clock };
}

/** Reads the only line of a file. No message quotes it. */
async function readKey(path: string, world: Pick<Environment, 'env' | 'stderr'>): Promise<string> {
  const key = (await textIn('--key-file', path)).trim();
  const file = await stat(path);
  const mode = file.mode & 0o777;
  // On Windows the mode is meaningless: every file appears readable by everyone.
  if (file.isFile() && (mode & 0o077) !== 0 && process.platform !== 'win32') {
    const rights = mode.toString(8);
    await writeErrors(
      [`Warning: ${path} holds a key and is readable by others (mode ${rights}): chmod 600 ${path}`],
      world,
    );
  }
  if (key === '') throw new UsageError(`--key-file ${path} is empty: omit it to call without a key.`);
  return key;
}
