import { didYouMean } from '../did-you-mean.ts';
import { ConfigError, kindOf, quote } from '../errors.ts';

/** Reads one option or parameter: returns the value to use, or throws a ConfigError that has its name. */
export type Argument<T> = (given: unknown, name: string) => T;

/**
 * An argument that may be left out.
 *
 * @param expected - what is valid, to be read after "must be". The message quotes the value, so do not use it for secrets.
 */
export function argument<T>(isValid: (value: T) => boolean, expected: string): Argument<T | undefined> {
  return (given, name) => {
    if (given === undefined || isValid(given as T)) return given as T | undefined;
    throw new ConfigError(name, `must be ${expected}, not ${quote(given)}`);
  };
}

/** An argument that is checked elsewhere. */
export function unchecked<T>(): Argument<T | undefined> {
  return (given) => given as T | undefined;
}

/** An {@link argument} with a default. */
export function withDefault<T>(read: Argument<T | undefined>, value: T): Argument<T> {
  return (given, name) => {
    const one = read(given, name);
    return one === undefined ? value : one;
  };
}

/** @throws ConfigError if this is no client: a function that needs one would fail later, and say less. */
export function checkClient(client: { readonly subscribe: unknown } | null | undefined): void {
  if (typeof client?.subscribe === 'function') return;
  throw new ConfigError('client', `must be a client, as createClient makes, not ${quote(client)}`);
}

/** `true`, `false` or left out. */
export const flag: Argument<boolean | undefined> = argument<boolean>(
  (value) => typeof value === 'boolean',
  'true or false',
);

/** Whether a value is a whole number, 0 or more. */
export function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** Whether a value is text, possibly empty. */
export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** The error of a function of the caller's that returned something else. If that is a promise, its rejection is ignored, so that it does not end the process. */
export function wrongReturn(option: string, expected: string, given: unknown): ConfigError {
  Promise.resolve(given).catch(() => {});
  return new ConfigError(option, `must return ${expected}, not ${quote(given)}`);
}

/** Text, possibly empty. */
export const text: Argument<string | undefined> = argument<string>(isText, 'text');

/** A finite number. */
export const number: Argument<number | undefined> = argument<number>(Number.isFinite, 'a finite number');

/** A whole number, 0 or more. */
export const whole: Argument<number | undefined> = argument<number>(isWhole, 'a whole number, 0 or more');

/** A whole number, 1 or more. */
export const count: Argument<number | undefined> = argument<number>(
  (value) => isWhole(value) && value >= 1,
  'a whole number, 1 or more',
);

/** Units of a quota. */
export const units: Argument<number | undefined> = argument<number>(
  (value) => Number.isFinite(value) && value >= 0,
  'a finite number of units, 0 or more',
);

/** A function. */
export function callback<F>(): Argument<F | undefined> {
  return argument<F>((value) => typeof value === 'function', 'a function');
}

/** An object with these methods. */
export function withMethods<T>(methods: readonly (string & keyof T)[], expected: string): Argument<T | undefined> {
  const has = (value: object | null, name: string): boolean =>
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    typeof Reflect.get(value, name) === 'function';
  return argument<T>((value) => methods.every((name) => has(value as object | null, name)), expected);
}

/** A signal that aborts. */
export const signal: Argument<AbortSignal | undefined> = withMethods<AbortSignal>(
  ['addEventListener', 'throwIfAborted'],
  'an AbortSignal',
);

/**
 * Whether a value is an object of names and values: no `Headers`, array, map, URL or promise, whose contents are not properties. An instance of
 * a class is one, also if it has no property yet.
 */
export function isRecord(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Symbol.iterator in value) return false;
  return Object.keys(value).length > 0 || Object.prototype.toString.call(value) === '[object Object]';
}

/**
 * The error of an unknown option.
 *
 * @param what - the known options together, in messages: `'call options'`.
 * @param within - the prefix of each name in messages: `'reserve.'`.
 */
export function unknownOption(name: string, what: string, known: readonly string[], within: string = ''): ConfigError {
  const meant = didYouMean(name, known);
  return new ConfigError(within + name, `is not one of the ${what}: ${known.join(', ')}${meant && `.${meant}`}`);
}

/** A reader for each of several arguments, by name. */
export type Arguments<Values extends object> = { readonly [Name in keyof Values]: Argument<Values[Name]> };

/**
 * Creates a parser for these arguments.
 *
 * The parser returns a copy that inherits nothing, so that options on a polluted `Object.prototype` are ignored. It throws a
 * ConfigError that names the first invalid argument or, if there is none, the first unknown one.
 *
 * @param what - the arguments together, in messages: `'options'`.
 * @param within - the prefix of each name in messages: `'reserve.'`.
 */
export function optionsParser<Values extends object>(
  what: string,
  known: Arguments<Values>,
  within: string = '',
): (given: unknown) => Values {
  const readers = Object.entries<Argument<unknown>>(known);
  const check = (given: Readonly<Record<string, unknown>>, names: readonly string[]): Values => {
    const values = Object.create(null);
    for (const [name, read] of readers) {
      const value = read(names.includes(name) ? given[name] : undefined, within + name);
      if (value !== undefined) values[name] = value;
    }
    const unknown = names.find((name) => !Object.hasOwn(known, name) && given[name] !== undefined);
    if (unknown === undefined) return values;
    throw unknownOption(unknown, what, Object.keys(known), within);
  };
  // Most calls pass no options, so the result for none is computed once: by the first of them, because it would delay an import.
  let defaults: Values | undefined;
  return (given) => {
    // The message names only the kind: createClient('the key') is an easy mistake, and so is a promise of options that is not awaited.
    if (!isRecord(given)) throw new ConfigError(within.slice(0, -1) || what, `must be an object, not ${kindOf(given)}`);
    const names = Object.keys(given);
    if (names.length > 0) return check(given as Readonly<Record<string, unknown>>, names);
    defaults ??= Object.freeze(check({}, names));
    return defaults;
  };
}
