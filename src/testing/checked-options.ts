import type { ServiceHeaderOptions } from './headers.ts';
import { SERVICE_PERIODS } from './limits/calendar.ts';
import { WINDOW_KINDS } from './limits/windows/kinds.ts';
import type { MockServiceOptions } from './options.ts';
import {
  checkFields,
  FLAG,
  FUNCTION,
  isNumber,
  isObject,
  MS,
  OBJECT,
  oneOf,
  type Rule,
  type Rules,
  shown,
  UNITS,
} from './rules.ts';

const CLOCK: Rule = [
  (value) => ['now', 'wall', 'timer'].every((name) => typeof Reflect.get(Object(value), name) === 'function'),
  'a clock with now, wall and timer, such as virtualClock() makes',
];

/** What each option of a mock service may be. */
export const OPTION_RULES: Readonly<Record<keyof MockServiceOptions, Rule>> = {
  clock: CLOCK,
  skewMs: MS,
  origin: [
    (value) => typeof value === 'string' && URL.canParse(value) && new URL(value).href === `${new URL(value).origin}/`,
    'a URL without a path, such as "https://api.mock.test"',
  ],
  keyless: [isObject, 'limits such as { minute: 50 }'],
  keyed: [isObject, 'limits such as { second: 20, minute: 500 }'],
  families: OBJECT,
  routes: [isObject, 'an object of routes by method and path'],
  ceilings: OBJECT,
  keys: [
    (value) =>
      Array.isArray(value) &&
      new Set(value).size === value.length &&
      value.every((key) => typeof key === 'string' && key !== ''),
    'a list of different keys, each a text that is not empty',
  ],
  unknownKey: oneOf('keyless', 401, 403),
  windows: [
    (value) =>
      WINDOW_KINDS.includes(value as string) ||
      (isObject(value) &&
        Object.entries(value).every(
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
  headCost: UNITS,
  limited: OBJECT,
  headers: OBJECT,
  reset: oneOf('epoch-seconds', 'epoch-ms', 'seconds-left'),
  latencyMs: [
    (value) =>
      typeof value === 'function' ||
      isNumber(value, 0) ||
      (Array.isArray(value) && value.length === 2 && isNumber(value[0], 0) && isNumber(value[1], value[0])),
    'milliseconds, two bounds such as [20, 200], or a function',
  ],
  random: FUNCTION,
  nodes: [(value) => Number.isInteger(value) && isNumber(value, 1), 'a whole number, 1 or more'],
  keepLog: [(value) => typeof value === 'boolean' || isNumber(value, 0), 'true, false, or a number of requests'],
  info: oneOf(200, 404),
  assetsOf: FUNCTION,
};

/** What the options inside of an option may be. */
const MEMBERS = {
  limited: {
    status: oneOf(429, 403, 503),
    retryAfter: [
      (value) =>
        ['seconds', 'date', 'none'].includes(value as string) || isNumber(value, 0) || typeof value === 'function',
      '"seconds", "date", "none", a number of seconds, or a function',
    ],
    body: oneOf('json', 'text', 'html', 'empty'),
  },
  headers: {
    family: FLAG,
    generic: oneOf(true, false, 'per endpoint ceiling'),
    date: FLAG,
    cost: FLAG,
    exhausted: oneOf(0, -1),
    unknownKey: FLAG,
    only: FUNCTION,
  } satisfies Record<keyof ServiceHeaderOptions, Rule>,
} as const satisfies Record<string, Rules>;

/** What the options of each object may be that an option holds by name. */
const MEMBERS_OF_EACH = {
  families: { keyless: OBJECT, keyed: OBJECT, cost: FUNCTION },
  ceilings: { limit: UNITS, period: [() => true, 'a period'] },
} as const satisfies Record<string, Rules>;

/** The options as given; an error names the first that is unknown or cannot be. */
export function checkedOptions(options: MockServiceOptions): MockServiceOptions {
  checkFields(options, OPTION_RULES, 'the options of a mock service');
  const { limited = {}, headers = {} } = options;
  checkFields(limited, MEMBERS.limited, 'the options of limited', 'limited.');
  checkFields(headers, MEMBERS.headers, 'the options of headers', 'headers.');
  return options;
}

/** Checks the objects that an option holds by name. */
export function checkEach(option: 'families' | 'ceilings', value: object): void {
  for (const [name, one] of Object.entries(value)) {
    const of = `${option}.${name}`;
    if (!isObject(one)) throw new Error(`${of} must be an object, not ${shown(one)}.`);
    checkFields(one, MEMBERS_OF_EACH[option], `the options of ${of}`, `${of}.`);
  }
}
