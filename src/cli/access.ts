import { readFile, stat } from 'node:fs/promises';
import type { ClientOptions } from '../index.ts';
import type { Environment } from './environment.ts';
import { UsageError } from './exit.ts';

/** The flags of every command that asks the service. */
export const ACCESS_FLAGS = {
  url: { type: 'string' },
  'key-file': { type: 'string' },
  timeout: { type: 'string' },
} as const;

/** What the help says of them. */
export const ACCESS_HELP = `  --url URL          where the service is   (STACKS_API_URL, else https://api.hiro.so)
  --key-file FILE    a file that holds the key and nothing else   (STACKS_API_KEY, else no key)
  --timeout TIME     how long one answer may take   (30s)`;

/** Where the service is and what opens it, from the flags and then from the environment. */
export async function accessOf(
  flags: { readonly url?: string | undefined; readonly 'key-file'?: string | undefined },
  { env, stderr }: Pick<Environment, 'env' | 'stderr'>,
): Promise<Pick<ClientOptions, 'baseUrl' | 'apiKey'>> {
  const path = flags['key-file'];
  const baseUrl = flags.url ?? (env.STACKS_API_URL || undefined);
  const apiKey = path === undefined ? env.STACKS_API_KEY || undefined : await readKey(path, stderr);
  return { ...(baseUrl === undefined ? {} : { baseUrl }), ...(apiKey === undefined ? {} : { apiKey }) };
}

/** The only line of a file. What it holds is in no message. */
async function readKey(path: string, stderr: Environment['stderr']): Promise<string> {
  let text: string;
  try {
    const { mode, isFile } = await stat(path).then((file) => ({ mode: file.mode & 0o777, isFile: file.isFile() }));
    text = await readFile(path, 'utf8');
    // Windows keeps its permissions elsewhere, and says that everybody may read everything.
    if (isFile && (mode & 0o077) !== 0 && process.platform !== 'win32') {
      await stderr.write(
        `Warning: others may read ${path} (mode ${mode.toString(8)}), and it holds a key: chmod 600 ${path}\n`,
      );
    }
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    throw new UsageError(`--key-file ${path} cannot be read: ${error.code}.`);
  }
  const key = text.trim();
  if (key === '') throw new UsageError(`--key-file ${path} is empty: leave it out to call without a key.`);
  return key;
}
