import { checkNames } from './known-names.ts';

/** Whether a value may be given, and what may be, to be read after "must be". */
export type Rule = readonly [isValid: (value: unknown) => boolean, expected: string];

/** Rules by name. */
export type Rules = Readonly<Record<string, Rule>>;

/** Whether a value is an object of names and values: no array, map, date, URL or promise, whose contents are not properties. */
export const isObject = (value: unknown): value is object =>
  typeof value === 'object' &&
  value !== null &&
  !(Symbol.iterator in value) &&
  (Object.keys(value).length > 0 || Object.prototype.toString.call(value) === '[object Object]');
export const isNumber = (value: unknown, least: number): boolean =>
  typeof value === 'number' && Number.isFinite(value) && value >= least;

/** One of these values. */
export const oneOf = (...values: readonly unknown[]): Rule => [
  (value) => values.includes(value),
  `one of ${values.map((value) => JSON.stringify(value)).join(', ')}`,
];

export const OBJECT: Rule = [isObject, 'an object'];
export const FUNCTION: Rule = [(value) => typeof value === 'function', 'a function'];
export const FLAG: Rule = oneOf(true, false);
export const UNITS: Rule = [(value) => isNumber(value, 0), 'units, 0 or more'];
export const MS: Rule = [(value) => isNumber(value, -Infinity), 'milliseconds'];

/**
 * Checks the properties of an object; one that is undefined counts as left out.
 *
 * @param fields - what they are, such as `the options of a mock service`.
 * @param within - the prefix of each name in messages: `ceilings.assets.`.
 */
export function checkFields(given: object, rules: Rules, fields: string, within: string = ''): void {
  if (!isObject(given)) throw new Error(`${capital(fields)} must be an object, not ${shown(given)}.`);
  checkNames(given, Object.keys(rules), fields);
  for (const [name, value] of Object.entries(given)) {
    const rule = rules[name];
    if (value !== undefined && rule) checkValue(within + name, value, rule);
  }
}

/** Checks a value; an error says what it must be. */
export function checkValue(name: string, value: unknown, [isValid, expected]: Rule): void {
  if (!isValid(value)) throw new Error(`${name} must be ${expected}, not ${shown(value)}.`);
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** A value in a message. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return 'an array';
  if (isObject(value)) return 'an object';
  if (value === null) return 'null';
  // A map is [object Map].
  return typeof value === 'object' ? Object.prototype.toString.call(value).slice(8, -1) : String(value);
}
