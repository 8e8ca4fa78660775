import type { MockServiceOptions, ServiceLimits, ServicePeriod, WindowKind } from '../../testing/index.ts';
import { UsageError } from '../exit.ts';
import { assignment, duration, type KnownFlags, noArguments, oneOf, port, readFlags, whole } from '../flags.ts';
import { FAULT_KINDS, type PlannedFault, readFault } from './faults.ts';

const PERIODS = ['second', 'minute', 'hour', 'day', 'month'] as const;
const KINDS = ['aligned', 'aligned-30-days', 'first-request', 'sliding-log', 'sliding-counter', 'leaky'] as const;

const text = { type: 'string' } as const;
const texts = { type: 'string', multiple: true } as const;

const FLAGS = {
  port: { ...text, value: 'N', about: 'the port, on 127.0.0.1 only', fallback: 'any free one' },
  limit: {
    ...texts,
    value: 'P=N',
    about:
      'N units per period, for all callers: second, minute, hour, day or month; may be repeated; periods not named then ' +
      'have no limit',
    fallback: '20 a second, 500 a minute, 150000 a month; without a key 50 a minute',
  },
  keyless: { ...texts, value: 'P=N', about: 'the same, for callers without a key only' },
  window: {
    ...texts,
    value: '[P=]KIND',
    about:
      'aligned, aligned-30-days (the end of a month is stated as in Kong), first-request, sliding-log, sliding-counter or leaky',
    fallback: 'aligned: the UTC calendar',
    choices: KINDS,
  },
  charge: {
    ...text,
    value: 'WHEN',
    about: 'before, or after as some gateways do: costly and concurrent calls overshoot',
    choices: ['before', 'after'],
  },
  'count-refused': { type: 'boolean', about: 'charge refused requests, too' },
  cost: {
    ...texts,
    value: '[NAME=]N',
    about: 'units per request: of info, of assets (also if no name is given), or of a route such as "GET /v2/info"',
    fallback: '1',
  },
  routes: {
    ...text,
    value: 'FILE',
    about: 'a JSON file with the bodies of further endpoints: {"GET /v2/accounts/{principal}": {"nonce": 5}}',
  },
  'head-cost': { ...text, value: 'N', about: 'units per HEAD request', fallback: 'as much as the GET' },
  'unknown-key': {
    ...text,
    value: 'HOW',
    about: '401, 403 or keyless: treatment of an unknown key',
    fallback: '401',
    choices: ['401', '403', 'keyless'],
  },
  'limited-status': {
    ...text,
    value: 'N',
    about: '429, 403 or 503: status of a refusal because of a limit',
    fallback: '429',
    choices: ['429', '403', '503'],
  },
  'retry-after': {
    ...text,
    value: 'HOW',
    about: 'seconds, date, none, or a fixed number',
    fallback: 'seconds',
    choices: ['seconds', 'date', 'none'],
  },
  reset: {
    ...text,
    value: 'STYLE',
    about: 'epoch-seconds, epoch-ms or seconds-left',
    fallback: 'epoch-seconds',
    choices: ['epoch-seconds', 'epoch-ms', 'seconds-left'],
  },
  latency: { ...text, value: 'MS', about: 'duration of an exchange: 50, or 20-200', fallback: '0' },
  skew: { ...text, value: 'TIME', about: 'lead of its clock; --skew=-13s is behind', fallback: '0' },
  nodes: { ...text, value: 'N', about: 'gateway nodes that take turns, each with its own counters', fallback: '1' },
  info: {
    ...text,
    value: 'N',
    about: '200 or 404: status of /extended/v1/info',
    fallback: '200',
    choices: ['200', '404'],
  },
  events: { ...text, value: 'N', about: 'events per account', fallback: '0 to 149, by the account' },
  fault: {
    ...texts,
    value: 'KIND[=M]',
    about:
      'a status such as 503; edge-522, which is not counted and is a page of Cloudflare; reset, lost, hang, truncate, slow-body, ' +
      'no-quota-headers or store-down (neither counted nor refused): for all requests, for a part (=5%) or for the next ones (=3); ' +
      'may be repeated',
    choices: FAULT_KINDS,
  },
  seed: { ...text, value: 'N', about: 'seed of the random latencies and faults' },
  log: { type: 'boolean', about: 'log each request on standard error' },
  'key-file': {
    ...text,
    value: 'FILE',
    about: 'a file with the key to accept',
    fallback: 'STACKS_API_KEY, else "key-of-the-mock"',
  },
} as const satisfies KnownFlags;

/** The flags of `mock`. */
export const MOCK_FLAGS: KnownFlags = FLAGS;

/** Settings of the mock. */
export interface MockFlags {
  readonly port: number;
  readonly keyFile: string | undefined;
  /** A file with the bodies of further endpoints. */
  readonly routes: string | undefined;
  readonly seed: number;
  readonly log: boolean;
  readonly faults: readonly PlannedFault[];
  /** Omits everything that has the service's default. */
  readonly service: MockServiceOptions;
}

/**
 * Reads the flags of the mock.
 *
 * @throws UsageError with one sentence about the problem.
 */
export function readMockFlags(args: readonly string[]): MockFlags {
  const { values, positionals } = readFlags(args, FLAGS);
  noArguments('mock', positionals);
  const given = <T>(name: keyof typeof values & string, read: (flag: string, value: string) => T): T | undefined => {
    const value = values[name];
    return typeof value === 'string' ? read(`--${name}`, value) : undefined;
  };
  const word = <Word extends string>(name: keyof typeof values & string, words: readonly Word[]): Word | undefined =>
    given(name, (flag, value) => oneOf(flag, value, words));
  const number = (name: keyof typeof values & string, least: number): number | undefined =>
    given(name, (flag, value) => whole(flag, value, least));

  const allCallers = values.limit && limitsOf('--limit', values.limit);
  const events = number('events', 0);
  const status = word('limited-status', FLAGS['limited-status'].choices);
  const unknownKey = word('unknown-key', FLAGS['unknown-key'].choices);
  const info = word('info', FLAGS.info.choices);
  return {
    port: port(values.port ?? '0'),
    keyFile: values['key-file'],
    routes: values.routes,
    seed: number('seed', 0) ?? 1,
    log: values.log ?? false,
    faults: (values.fault ?? []).map(readFault),
    service: defined({
      keyed: allCallers,
      keyless: values.keyless ? limitsOf('--keyless', values.keyless) : allCallers,
      windows: values.window && windowsOf(values.window),
      charge: word('charge', FLAGS.charge.choices),
      countRefused: values['count-refused'],
      cost: values.cost && costsOf(values.cost),
      headCost: number('head-cost', 0),
      unknownKey: unknownKey === undefined || unknownKey === 'keyless' ? unknownKey : (Number(unknownKey) as 401 | 403),
      limited: defined({
        status: status && (Number(status) as 429 | 403 | 503),
        retryAfter: given('retry-after', retryAfterOf),
      }),
      reset: word('reset', FLAGS.reset.choices),
      latencyMs: given('latency', latencyOf),
      skewMs: given(
        'skew',
        (flag, value) => (value.startsWith('-') ? -1 : 1) * duration(flag, value.replace(/^-/, '')),
      ),
      nodes: number('nodes', 1),
      info: info && (Number(info) as 200 | 404),
      assetsOf: events === undefined ? undefined : () => events,
    }),
  };
}

function limitsOf(flag: string, values: readonly string[]): ServiceLimits {
  return Object.fromEntries(
    values.map((value) => periodOf(flag, value, (units) => whole(flag, units, 0), 'minute=500')),
  );
}

function windowsOf(values: readonly string[]): NonNullable<MockServiceOptions['windows']> {
  const kindOf = (value: string): WindowKind => oneOf('--window', value, KINDS);
  const [first = ''] = values;
  if (values.length === 1 && assignment(first).name === undefined) return kindOf(first);
  return Object.fromEntries(values.map((value) => periodOf('--window', value, kindOf, 'minute=sliding-log')));
}

function periodOf<T>(flag: string, text: string, read: (value: string) => T, example: string): [ServicePeriod, T] {
  const { name, value } = assignment(text);
  if (name === undefined) throw new UsageError(`${flag} must name a period, such as ${example}, not "${text}".`);
  return [oneOf(flag, name, PERIODS), read(value)];
}

function costsOf(values: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    values.map((text) => {
      const { name = 'assets', value } = assignment(text);
      const endpoint = name.includes(' /') ? name : oneOf('--cost', name, ['assets', 'info']);
      return [endpoint, whole('--cost', value, 0)];
    }),
  );
}

function retryAfterOf(flag: string, value: string): 'seconds' | 'date' | 'none' | number {
  if (/^\d{1,9}$/.test(value)) return Number(value);
  return oneOf(flag, value, FLAGS['retry-after'].choices);
}

function latencyOf(flag: string, value: string): [number, number] {
  const [, least, most = least] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(value) ?? [];
  if (least !== undefined && Number(most) >= Number(least)) return [Number(least), Number(most)];
  throw new UsageError(`${flag} must be milliseconds such as 50 or 20-200, not "${value}".`);
}

type Defined<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> };

/** Removes undefined fields, so that defaults apply. */
function defined<T extends object>(options: T): Defined<T> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Defined<T>;
}
