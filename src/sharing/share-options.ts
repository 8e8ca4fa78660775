import { ConfigError, quote } from '../errors.ts';
import { count, unknownOption } from '../validation/arguments.ts';
import { ownProperties } from '../validation/own-properties.ts';

/** Default of `secret`. It is public, so a guessed key can be recognised by its fingerprint. */
const COMMON_SECRET = 'stacks-quota';

/** Options of every share that has a store. One that is invalid or unknown is a ConfigError that names it. */
export interface StoreOptions {
  /**
   * Secret for the fingerprint of the API key in the store, not empty, the same in all processes. Default: a public value,
   * which is enough if the API key cannot be guessed.
   */
  readonly secret?: string | undefined;
  /**
   * What a process sends without a grant while the store cannot be reached. `partial`: requests at an even pace, at a part of each limit
   * that adapts to the usage of all processes. `closed`: nothing. `open`: as if the process had the key to itself. Default: `partial`.
   */
  readonly onStoreFailure?: 'partial' | 'closed' | 'open' | undefined;
  /** The number of processes to assume if the store has never been reached: a whole number, 1 or more. Default: 8. */
  readonly processes?: number | undefined;
  /** Time-out of a call of the store, in milliseconds: finite and more than 0. It adapts to slow answers, up to a second. Default: 50. */
  readonly timeoutMs?: number | undefined;
}

/** The names of {@link StoreOptions}. */
export const STORE_OPTIONS: readonly string[] = ['secret', 'onStoreFailure', 'processes', 'timeoutMs'];

/**
 * Returns a share's own options.
 *
 * @param factory - the name of the function that was given them.
 * @throws ConfigError if they are no object, or one of them is unknown.
 */
export function readShareOptions<Options extends object>(
  factory: string,
  known: readonly string[],
  options: Options,
): Options {
  if (typeof options !== 'object' || options === null) throw new ConfigError(factory, 'requires an object of options');
  const unknown = Object.keys(options).find((option) => !known.includes(option));
  if (unknown !== undefined) throw unknownOption(unknown, 'options', known);
  return ownProperties(options);
}

/** @throws ConfigError if a share cannot have this name. */
export function checkShareName(name: string): void {
  if (typeof name !== 'string' || !/^[a-z0-9-]{1,32}$/.test(name))
    throw new ConfigError('name', `must be 1 to 32 lower-case letters, digits and hyphens, not ${quote(name)}`);
}

/**
 * Returns the options of a store with their defaults.
 *
 * @throws ConfigError if one is invalid.
 */
export function readStoreOptions({
  secret = COMMON_SECRET,
  onStoreFailure: mode = 'partial',
  processes = 8,
  timeoutMs = 50,
}: StoreOptions): { secret: string; mode: 'partial' | 'closed' | 'open'; processes: number; timeoutMs: number } {
  if (typeof secret !== 'string' || secret === '') throw new ConfigError('secret', 'must be a non-empty string');
  if (!['partial', 'closed', 'open'].includes(mode))
    throw new ConfigError('onStoreFailure', `must be partial, closed or open, not ${quote(mode)}`);
  count(processes, 'processes');
  if (!(Number.isFinite(timeoutMs) && timeoutMs > 0))
    throw new ConfigError('timeoutMs', `must be a finite number of milliseconds, more than 0, not ${quote(timeoutMs)}`);
  return { secret, mode, processes, timeoutMs };
}
