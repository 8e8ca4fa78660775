import * as z from 'zod/mini';
import { ConfigError, quote } from '../errors.ts';
import { ownProperties } from './own-properties.ts';

/** One option or parameter that a caller may give. */
export type Argument<T> = z.ZodMiniType<T>;

/**
 * An argument that may be left out.
 *
 * @param is - whether a value is valid.
 * @param be - what is valid, to be read after "must be". The message quotes the value, so do not use it for secrets.
 */
export function argument<T>(is: (value: T) => boolean, be: string): Argument<T | undefined> {
  return z.optional(z.custom<T>(is, { error: ({ input }) => `must be ${be}, not ${quote(input)}` }));
}

/** An argument that is checked elsewhere. */
export function unchecked<T>(): Argument<T | undefined> {
  return z.optional(z.custom<T>());
}

/** An {@link argument} with a default. */
export function withDefault<T>(given: Argument<T | undefined>, value: T): Argument<T> {
  return z.pipe(
    given,
    z.transform((one) => (one === undefined ? value : one)),
  );
}

/** `true`, `false` or left out. */
export const flag: Argument<boolean | undefined> = argument<boolean>(
  (value) => typeof value === 'boolean',
  'true or false',
);

/**
 * Creates a parser for these arguments.
 *
 * The parser returns a copy that inherits nothing, so that options on a polluted `Object.prototype` are ignored. It throws a
 * ConfigError that names the first unknown or invalid argument.
 *
 * @param what - their name in messages: `'options'`.
 */
export function optionsParser<Values extends object>(
  what: string,
  known: { readonly [Name in keyof Values]: Argument<Values[Name]> },
): (given: unknown) => Values {
  const schema = z.strictObject(known);
  const check = (own: object): Values => {
    const result = z.safeParse(schema, own);
    if (result.success) return ownProperties(result.data as Values);
    const [issue] = result.error.issues;
    if (issue?.code === 'unrecognized_keys') {
      throw new ConfigError(issue.keys[0] ?? what, `is not one of the ${what}: ${Object.keys(known).join(', ')}`);
    }
    throw new ConfigError(String(issue?.path[0] ?? what), issue?.message ?? 'cannot be used');
  };
  // Most calls pass no options, so the result for none is computed once.
  const nothing = Object.freeze(check({}));
  return (given) => {
    if (typeof given !== 'object' || given === null || Array.isArray(given)) {
      // The message names only the type: createClient('the key') is an easy mistake.
      throw new ConfigError(what, `must be an object, not ${given === null ? 'null' : typeof given}`);
    }
    const own = ownProperties(given);
    return Object.keys(own).length === 0 ? nothing : check(own);
  };
}
