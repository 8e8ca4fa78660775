import { readFile, stat } from 'node:fs/promises';
import type { ClientOptions } from '../index.ts';
import type { Environment } from './environment.ts';
import { UsageError } from './exit.ts';

/** Flags of every command that calls the service. */
export const ACCESS_FLAGS = {
  url: { type: 'string' },
  'key-file': { type: 'string' },
  timeout: { type: 'string' },
} as const;

/** Their help text. */
export const ACCESS_HELP = `  --url URL          URL of the service   (STACKS_API_URL, else https://api.hiro.so)
  --key-file FILE    a file that holds the key and nothing else   (STACKS_API_KEY, else no key)
  --timeout TIME     time limit of one request   (30s)`;

/** URL and key, from the flags, else from the environment. */
export async function accessOf(
  flags: { readonly url?: string | undefined; readonly 'key-file'?: string | undefined },
  { env, stderr }: Pick<Environment, 'env' | 'stderr'>,
): Promise<Pick<ClientOptions, 'baseUrl' | 'apiKey'>> {
  const path = flags['key-file'];
  const baseUrl = flags.url ?? (env.STACKS_API_URL || undefined);
  const apiKey = path === undefined ? env.STACKS_API_KEY || undefined : await readKey(path, stderr);
  return { ...(baseUrl === undefined ? {} : { baseUrl }), ...(apiKey === undefined ? {} : { apiKey }) };
}

/** Reads the only line of a file. No message quotes it. */
async function readKey(path: string, stderr: Environment['stderr']): Promise<string> {
  let text: string;
  try {
    const { mode, isFile } = await stat(path).then((file) => ({ mode: file.mode & 0o777, isFile: file.isFile() }));
    text = await readFile(path, 'utf8');
    // On Windows the mode is meaningless: every file appears readable by everyone.
    if (isFile && (mode & 0o077) !== 0 && process.platform !== 'win32') {
      await stderr.write(
        `Warning: ${path} holds a key and is readable by others (mode ${mode.toString(8)}): chmod 600 ${path}\n`,
      );
    }
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    throw new UsageError(`--key-file ${path} cannot be read: ${error.code}.`);
  }
  const key = text.trim();
  if (key === '') throw new UsageError(`--key-file ${path} is empty: omit it to call without a key.`);
  return key;
}
