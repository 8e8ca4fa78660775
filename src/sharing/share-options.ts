import { ConfigError, quote } from '../errors.ts';
import { ownProperties } from '../validation/own-properties.ts';

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
  if (unknown !== undefined) throw new ConfigError(unknown, `is not one of the options: ${known.join(', ')}`);
  return ownProperties(options);
}

/** @throws ConfigError if a share cannot have this name. */
export function checkShareName(name: string): void {
  if (typeof name !== 'string' || !/^[a-z0-9-]{1,32}$/.test(name))
    throw new ConfigError('name', `must be 1 to 32 lower-case letters, digits and hyphens, not ${quote(name)}`);
}
