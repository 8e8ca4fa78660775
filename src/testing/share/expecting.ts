/** What a case says of a value. Each throws an error that shows both values, as every test runner reports them. */
export interface Expectation {
  /** It is the same primitive value. */
  toBe(expected: unknown): void;
  /** It has the same content. A property that is `undefined` counts as missing. */
  toEqual(expected: unknown): void;
  /** It has these properties with the same content, and may have others. */
  toMatchObject(expected: object): void;
  /** It differs by less than this. */
  toBeWithin(distance: number, of: number): void;
}

/** Expects something of a value, without a test runner. */
export function expect(actual: unknown): Expectation {
  const check = (isRight: boolean, expected: string): void => {
    if (!isRight) throw new Error(`The store answered ${show(actual)}; expected ${expected}`);
  };
  return {
    toBe: (expected) => check(Object.is(actual, expected), show(expected)),
    toEqual: (expected) => check(isEqual(actual, expected), show(expected)),
    toMatchObject: (expected) => check(hasAll(actual, expected), `an object with ${show(expected)}`),
    toBeWithin: (distance, of) => check(Math.abs(Number(actual) - of) < distance, `${of}, give or take ${distance}`),
  };
}

/** Whether all entries of `expected` are in `actual`; those of nested objects as well, and lists must have the same length. */
function hasAll(actual: unknown, expected: unknown): boolean {
  if (!isObject(actual) || !isObject(expected)) return Object.is(actual, expected);
  if (actual instanceof Map !== expected instanceof Map || Array.isArray(actual) !== Array.isArray(expected))
    return false;
  const known = entriesOf(actual);
  const wanted = entriesOf(expected);
  if (Array.isArray(expected) && known.size !== wanted.size) return false;
  return [...wanted].every(([name, value]) => hasAll(known.get(name), value));
}

function isEqual(actual: unknown, expected: unknown): boolean {
  return hasAll(actual, expected) && hasAll(expected, actual);
}

function entriesOf(value: object): ReadonlyMap<unknown, unknown> {
  return value instanceof Map ? value : new Map(Object.entries(value));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function show(value: unknown): string {
  return JSON.stringify(value, (_, part) => (part instanceof Map ? [...part] : part)) ?? String(value);
}
