import type { MockServiceOptions, ServiceLimits, ServicePeriod, WindowKind } from '../../testing/index.ts';
import { UsageError } from '../exit.ts';
import { assignment, duration, oneOf, readFlags, whole } from '../flags.ts';
import { type PlannedFault, readFault } from './faults.ts';

const text = { type: 'string' } as const;
const texts = { type: 'string', multiple: true } as const;

const FLAGS = {
  port: text,
  limit: texts,
  keyless: texts,
  window: texts,
  charge: text,
  'count-refused': { type: 'boolean' },
  cost: texts,
  'head-cost': text,
  'key-file': text,
  'unknown-key': text,
  'limited-status': text,
  'retry-after': text,
  reset: text,
  latency: text,
  skew: text,
  nodes: text,
  info: text,
  events: text,
  fault: texts,
  seed: text,
  log: { type: 'boolean' },
} as const;

const PERIODS = ['second', 'minute', 'hour', 'day', 'month'] as const;
const KINDS = ['aligned', 'first-request', 'sliding-log', 'sliding-counter', 'leaky'] as const;

/** Settings of the mock. */
export interface MockFlags {
  readonly port: number;
  readonly keyFile: string | undefined;
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
  if (positionals.length > 0) throw new UsageError('mock takes no arguments, only flags.');
  const given = <T>(name: keyof typeof values & string, read: (flag: string, value: string) => T): T | undefined => {
    const value = values[name];
    return typeof value === 'string' ? read(`--${name}`, value) : undefined;
  };
  const word = <Word extends string>(name: keyof typeof values & string, words: readonly Word[]): Word | undefined =>
    given(name, (flag, value) => oneOf(flag, value, words));
  const number = (name: keyof typeof values & string, least: number): number | undefined =>
    given(name, (flag, value) => whole(flag, value, least));

  const everybody = values.limit && limitsOf('--limit', values.limit);
  const events = number('events', 0);
  const status = word('limited-status', ['429', '403', '503']);
  const unknownKey = word('unknown-key', ['keyless', '401', '403']);
  const info = word('info', ['200', '404']);
  const port = number('port', 0) ?? 0;
  if (port > 65_535) throw new UsageError(`--port must be at most 65535, not "${port}".`);
  return {
    port,
    keyFile: values['key-file'],
    seed: number('seed', 0) ?? 1,
    log: values.log ?? false,
    faults: (values.fault ?? []).map(readFault),
    service: said({
      keyed: everybody,
      keyless: values.keyless ? limitsOf('--keyless', values.keyless) : everybody,
      windows: values.window && windowsOf(values.window),
      charge: word('charge', ['before', 'after']),
      countRefused: values['count-refused'],
      cost: values.cost && costsOf(values.cost),
      headCost: number('head-cost', 0),
      unknownKey: unknownKey === undefined || unknownKey === 'keyless' ? unknownKey : (Number(unknownKey) as 401 | 403),
      limited: said({
        status: status && (Number(status) as 429 | 403 | 503),
        retryAfter: given('retry-after', retryAfterOf),
      }),
      reset: word('reset', ['epoch-seconds', 'epoch-ms', 'seconds-left']),
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
      return [oneOf('--cost', name, ['assets', 'info']), whole('--cost', value, 0)];
    }),
  );
}

function retryAfterOf(flag: string, value: string): 'seconds' | 'date' | 'none' | number {
  if (/^\d{1,9}$/.test(value)) return Number(value);
  return oneOf(flag, value, ['seconds', 'date', 'none'] as const);
}

function latencyOf(flag: string, value: string): [number, number] {
  const [, least, most = least] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(value) ?? [];
  if (least !== undefined && Number(most) >= Number(least)) return [Number(least), Number(most)];
  throw new UsageError(`${flag} must be milliseconds such as 50 or 20-200, not "${value}".`);
}

type Said<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> };

/** Removes undefined fields, so that defaults apply. */
function said<T extends object>(options: T): Said<T> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Said<T>;
}
