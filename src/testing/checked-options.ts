import { SERVICE_PERIODS } from './calendar.ts';
import type { ServiceHeaderOptions } from './headers.ts';
import { checkNames } from './known-names.ts';
import type { MockServiceOptions } from './options.ts';
import { WINDOW_KINDS } from './windows/kinds.ts';

/** Whether a value may be given, and what may be, to be read after "must be". */
type Rule = readonly [is: (value: unknown) => boolean, be: string];

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);
const isNumber = (value: unknown, least: number): boolean =>
  typeof value === 'number' && Number.isFinite(value) && value >= least;

const oneOf = (...values: readonly unknown[]): Rule => [
  (value) => values.includes(value),
  `one of ${values.map((value) => JSON.stringify(value)).join(', ')}`,
];
const OBJECT: Rule = [isObject, 'an object'];
const FUNCTION: Rule = [(value) => typeof value === 'function', 'a function'];
const FLAG: Rule = oneOf(true, false);

/** What each option of a mock service may be. */
const RULES: Readonly<Record<keyof MockServiceOptions, Rule>> = {
  clock: OBJECT,
  skewMs: [(value) => isNumber(value, Number.NEGATIVE_INFINITY), 'milliseconds'],
  origin: [(value) => typeof value === 'string' && URL.canParse(value), 'a URL such as "https://api.mock.test"'],
  keyless: [isObject, 'limits such as { minute: 50 }'],
  keyed: [isObject, 'limits such as { second: 20, minute: 500 }'],
  families: OBJECT,
  routes: [isObject, 'an object of routes by method and path'],
  ceilings: OBJECT,
  keys: [
    (value) => Array.isArray(value) && value.every((key) => typeof key === 'string' && key !== ''),
    'a list of keys, each a text that is not empty',
  ],
  unknownKey: oneOf('keyless', 401, 403),
  windows: [
    (value) =>
      WINDOW_KINDS.includes(value as string) ||
      (isObject(value) &&
        Object.entries(value as object).every(
          ([period, kind]) =>
            (SERVICE_PERIODS as readonly string[]).includes(period) &&
            (kind === undefined || WINDOW_KINDS.includes(kind)),
        )),
    `one of ${WINDOW_KINDS.join(', ')}, or one by period: { minute: "aligned" }`,
  ],
  charge: oneOf('before', 'after'),
  countRefused: FLAG,
  cost: [
    (value) => typeof value === 'function' || isObject(value),
    'units by endpoint, such as { assets: 5 }, or a function',
  ],
  headCost: [(value) => isNumber(value, 0), 'units, 0 or more'],
  limited: OBJECT,
  headers: OBJECT,
  reset: oneOf('epoch-seconds', 'epoch-ms', 'seconds-left'),
  latencyMs: [
    (value) =>
      typeof value === 'function' ||
      isNumber(value, 0) ||
      (Array.isArray(value) && value.length === 2 && value.every((bound) => isNumber(bound, 0))),
    'milliseconds, two bounds such as [20, 200], or a function',
  ],
  random: FUNCTION,
  nodes: [(value) => Number.isInteger(value) && isNumber(value, 1), 'a whole number, 1 or more'],
  keepLog: [(value) => typeof value === 'boolean' || isNumber(value, 0), 'true, false, or a number of requests'],
  info: oneOf(200, 404),
  assetsOf: FUNCTION,
};

/** The options inside of an option, and those of each object that it holds by name. */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  limited: ['status', 'retryAfter', 'body'],
  headers: [
    'family',
    'generic',
    'date',
    'cost',
    'exhausted',
    'unknownKey',
    'only',
  ] satisfies (keyof ServiceHeaderOptions)[],
};
const MEMBERS_OF_EACH: Readonly<Record<string, readonly string[]>> = {
  families: ['keyless', 'keyed', 'cost'],
  ceilings: ['limit', 'period'],
};

/** The options as given; an error names the first that is unknown or cannot be. */
export function checkedOptions(options: MockServiceOptions): MockServiceOptions {
  if (!isObject(options)) throw new Error(`The options of a mock service must be an object, not ${shown(options)}.`);
  checkNames(options, Object.keys(RULES), 'the options of a mock service');
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    const [is, be] = RULES[name as keyof MockServiceOptions];
    if (!is(value)) throw new Error(`${name} must be ${be}, not ${shown(value)}.`);
    checkMembers(name, value);
  }
  return options;
}

/** Checks the names inside an option that has options of its own, or that holds objects by name which have. */
function checkMembers(option: string, value: unknown): void {
  const names = MEMBERS[option];
  if (names) checkNames(value as object, names, `the options of ${option}`);
  const namesOfEach = MEMBERS_OF_EACH[option];
  if (!namesOfEach) return;
  for (const [name, one] of Object.entries(value as object)) {
    const of = `${option}.${name}`;
    if (!isObject(one)) throw new Error(`${of} must be an object, not ${shown(one)}.`);
    checkNames(one, namesOfEach, `the options of ${of}`);
  }
}

function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return 'an array';
  return isObject(value) ? 'an object' : String(value);
}
