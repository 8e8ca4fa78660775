import { type Clock, systemClock } from '../clock.ts';
import { ConfigError, quote } from '../errors.ts';
import type { ClientEvent } from '../events.ts';
import type { EtagLimits } from '../http/cache/etag-cache.ts';
import type { Period } from '../quota/time/periods.ts';
import type { BulkReservePolicy } from '../quota/window/bulk-reserve.ts';
import { type QuotaShare, wholeShare } from '../share.ts';
import { debugLogger, isDebugged, type Logger } from '../trace/log.ts';
import {
  type Argument,
  type Arguments,
  argument,
  callback,
  count,
  flag,
  isRecord,
  isWhole,
  number,
  optionsParser,
  signal,
  text,
  unchecked,
  units,
  withDefault,
  withMethods,
} from '../validation/arguments.ts';
import type { StandardSchemaV1 } from '../validation/standard-schema.ts';
import { VERSION, wrongWithNode } from '../version.ts';
import { periodShares, type ReserveOptions, readReserve, sharesOf } from './bulk-reserve-options.ts';
import {
  type Credentials,
  environmentOf,
  type KeyEnvironment,
  type KeySource,
  readCredentials,
} from './credentials.ts';

/** Options of a client. All have defaults. One that is invalid or unknown is a ConfigError of `createClient` that names it. */
export interface ClientOptions {
  /**
   * URL of the service: http or https, with or without a path, without credentials, query and
   * fragment. With a key it must be https, except on this machine (`localhost`, `127.0.0.0/8`, `[::1]`).
   *
   * Default: the environment variable `STACKS_API_URL`, else `https://api.hiro.so`.
   */
  readonly baseUrl?: string | undefined;
  /**
   * The API key, or a function that returns it and is called before each request, so that a key can be replaced
   * while the client is in use. If it returns `undefined`, the request has no key. No URL, error or event contains the key.
   *
   * Default: the environment variable `STACKS_API_KEY`, else none.
   */
  readonly apiKey?: string | (() => string | undefined | Promise<string | undefined>) | undefined;
  /** Maximum number of requests in flight: a whole number, 1 or more. {@link Client.concurrency} changes it. Default: 32. */
  readonly concurrency?: number | undefined;
  /**
   * Maximum time to wait for quota while nothing can be sent, in milliseconds, 0 or more: a call that would wait longer fails with
   * QuotaExhaustedError as soon as that is clear. Not a total time-out, because the queue may keep moving; use a `signal` for
   * that. `Infinity` waits as long as it takes, even for the next month. Default: 300,000 (five minutes).
   */
  readonly maxWaitMs?: number | undefined;
  /**
   * Maximum time from a call until it is first sent, in milliseconds, 0 or more. A call that would be sent later, as {@link Client.estimate}
   * has it, fails at once with QuotaExhaustedError, whose `retryAt` is that instant; one that still waits when this time is over, or 250 ms if
   * that is longer, fails then. A pause without an end is not counted. Default: Infinity.
   */
  readonly maxQueueMs?: number | undefined;
  /** Maximum number of calls that wait: a whole number, 0 or more. Calls beyond it are rejected with QuotaExhaustedError, as `onOverflow` says. Default: Infinity. */
  readonly maxWaiting?: number | undefined;
  /**
   * The call that is rejected when one more than `maxWaiting` would wait: the new one, or the waiting call of the lowest priority that came
   * last, if its priority is below that of the new one. Default: `'reject-new'`.
   */
  readonly onOverflow?: 'reject-new' | 'reject-lowest' | undefined;
  /** Maximum number of attempts of a request, the first included: a whole number, 1 or more. Refusals because of a limit do not count. Default: 3. */
  readonly maxAttempts?: number | undefined;
  /**
   * Time limit of one attempt, from sending it to the end of its body, in milliseconds: finite and more than 0. An attempt that exceeds it
   * counts as lost; when none is left, the call fails with ConnectionError (`TIMEOUT`). Default: 30,000.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Whether identical GETs made at the same time (same URL, headers and options) share one request. It is aborted only when all
   * of its callers have aborted. Default: false.
   */
  readonly shareInFlight?: boolean | undefined;
  /**
   * Caches responses that have an `ETag`, and revalidates them: `true` for up to 500 responses and 16 MiB, or `{ entries, bytes }`, whole numbers from 1 on.
   * The least recently used response is dropped first. A response that contains the key is never cached. A revalidation uses
   * quota, too; its cost is the service's decision. Default: false.
   */
  readonly etags?: boolean | { readonly entries?: number | undefined; readonly bytes?: number | undefined } | undefined;
  /**
   * The cost of a request in units, if you know the service's table of costs; `undefined`: learned from the responses, as without this
   * option. For typed calls and `fetch` alike; the option `cost` of a single call takes precedence. Any other result than a number
   * of 0 or more is a ConfigError of that call.
   *
   * @example
   * ```ts
   * createClient({ cost: ({ url }) => (url.searchParams.get('limit') === '100' ? 5 : 1) });
   * ```
   */
  readonly cost?:
    | ((request: { readonly method: string; readonly endpoint: string; readonly url: URL }) => number | undefined)
    | undefined;
  /** Used instead of the global `fetch`. Default: the global `fetch`, looked up for each request. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /**
   * How much of each window this client may use: {@link wholeShare}, `redisShare` of `stacks-quota/redis`, `localShare` or `fixedShare`
   * of `stacks-quota/local`, or `customShare` of `stacks-quota/sharing`. Default: all of it.
   */
  readonly share?: QuotaShare | undefined;
  /**
   * Quota reserved for calls with a higher priority than bulk work: a part of each window, and the month spread until a date.
   * Default: only the learned reserve, which is what higher priorities are expected to need by their recent rate.
   */
  readonly reserve?: ReserveOptions | undefined;
  /** The event `low` is emitted when less than this part of a window is left, from 0 up to but not including 1: `0.1` of every window, or `{ month: 0.1 }`. Default: never. */
  readonly low?: number | Readonly<Partial<Record<Period, number | undefined>>> | undefined;
  /** Used instead of the system's clock and timers, for example a virtual clock in tests. Default: {@link systemClock}. */
  readonly clock?: Clock | undefined;
  /** Randomises waits: returns a number from 0 up to but not including 1. Default: `Math.random`. */
  readonly random?: (() => number) | undefined;
  /** Called with every event. Errors it throws are ignored. Default: none. */
  readonly onEvent?: ((event: ClientEvent) => void) | undefined;
  /**
   * Logs every event: `console`, a logger of pino, or anything with `debug`, `info` and `warn`. Refusals, failures and a lost store
   * are warnings, waits of a second or more are infos. No line has the key, a body or a query.
   *
   * Default: none, or standard error if the environment variable `DEBUG` has `stacks-quota`.
   */
  readonly logger?: Logger | undefined;
  /**
   * Allows a key in a browser, where every visitor can read it and use its quota.
   * Default: false; a key in a browser is then a ConfigError.
   */
  readonly dangerouslyAllowBrowser?: boolean | undefined;
}

/** Options of one call. One that is invalid or unknown is a ConfigError that names it; nothing is sent then. */
export interface CallOptions<Body = unknown> {
  /** Aborts the call at any stage; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Your own name for the call in events and in `client.queue()`, such as the number of a job. Default: none. */
  readonly label?: string | undefined;
  /** Calls with a higher number go first: any finite number. Default: 0. */
  readonly priority?: number | undefined;
  /** See {@link ClientOptions.maxWaitMs}; for this call. Default: the client's. */
  readonly maxWaitMs?: number | undefined;
  /** See {@link ClientOptions.maxQueueMs}; for this call. Default: the client's. */
  readonly maxQueueMs?: number | undefined;
  /** See {@link ClientOptions.timeoutMs}; for each attempt of this call. Default: the client's. */
  readonly timeoutMs?: number | undefined;
  /**
   * Units that the call will cost, 0 or more, if you know better than the responses so far. More than a whole window has is a
   * QuotaExhaustedError, unless the service has served such a request. Default: learned.
   */
  readonly cost?: number | undefined;
  /** Any Standard Schema for the body. Its output becomes the type of `data`; a body that does not match is a ResponseShapeError. Default: the method's own, or none. */
  readonly schema?: StandardSchemaV1<unknown, Body> | undefined;
  /** Additional request headers. A key among them is a ConfigError: use {@link ClientOptions.apiKey}. Default: none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** How long a call may take, in milliseconds. */
export interface CallBounds {
  readonly maxWaitMs: number;
  readonly maxQueueMs: number;
  readonly timeoutMs: number;
}

/** {@link ClientOptions}, checked and with defaults. */
export interface Settings extends Credentials, CallBounds {
  readonly concurrency: number;
  readonly maxWaiting: number;
  readonly onOverflow: NonNullable<ClientOptions['onOverflow']>;
  readonly maxAttempts: number;
  readonly shareInFlight: boolean;
  readonly etags: EtagLimits | undefined;
  readonly cost: ClientOptions['cost'];
  readonly fetch: typeof globalThis.fetch | undefined;
  readonly share: QuotaShare;
  readonly reserve: BulkReservePolicy | undefined;
  readonly low: Readonly<Partial<Record<Period, number | undefined>>> | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly onEvent: ((event: ClientEvent) => void) | undefined;
  readonly logger: Logger | undefined;
  /** Undefined in a browser, which has its own. */
  readonly userAgent: string | undefined;
}

const maxWait = argument<number>((ms) => typeof ms === 'number' && ms >= 0, 'milliseconds, 0 or more, or Infinity');
const timeout = argument<number>((ms) => Number.isFinite(ms) && ms > 0, 'a finite number of milliseconds, more than 0');

const clientOptions = optionsParser('options', {
  baseUrl: text,
  apiKey: unchecked<KeySource>(),
  concurrency: withDefault(count, 32),
  maxWaitMs: withDefault(maxWait, 300_000),
  maxQueueMs: withDefault(maxWait, Infinity),
  maxWaiting: withDefault(
    argument<number>((n) => n === Infinity || isWhole(n), 'a whole number, 0 or more, or Infinity'),
    Infinity,
  ),
  onOverflow: withDefault(
    argument<NonNullable<ClientOptions['onOverflow']>>(
      (value) => value === 'reject-new' || value === 'reject-lowest',
      "'reject-new' or 'reject-lowest'",
    ),
    'reject-new',
  ),
  maxAttempts: withDefault(count, 3),
  timeoutMs: withDefault(timeout, 30_000),
  shareInFlight: withDefault(flag, false),
  etags: withDefault(
    argument<NonNullable<ClientOptions['etags']>>(isEtags, 'true, false, or an object such as { entries: 500 }'),
    false,
  ),
  cost: callback<NonNullable<ClientOptions['cost']>>(),
  fetch: callback<typeof globalThis.fetch>(),
  share: withDefault(
    withMethods<QuotaShare>(['join'], 'a share of the quota, as redisShare({ redis, name }) makes'),
    wholeShare,
  ),
  reserve: unchecked<ReserveOptions>(),
  low: periodShares,
  clock: withDefault(withMethods<Clock>(['now', 'wall', 'timer'], 'a clock with now, wall and timer'), systemClock),
  random: withDefault(callback<() => number>(), Math.random),
  onEvent: callback<(event: ClientEvent) => void>(),
  logger: withMethods<Logger>(['debug', 'info', 'warn'], 'a logger with the methods debug, info and warn'),
  dangerouslyAllowBrowser: withDefault(flag, false),
});

const etagLimits = optionsParser(
  'limits of etags',
  { entries: withDefault(count, 500), bytes: withDefault(count, 2 ** 24) },
  'etags.',
);

/** Options of every function that sends a request. */
export const sending: Readonly<
  Record<'priority' | 'maxWaitMs' | 'maxQueueMs' | 'timeoutMs' | 'cost', Argument<number | undefined>>
> = {
  priority: number,
  maxWaitMs: maxWait,
  maxQueueMs: maxWait,
  timeoutMs: timeout,
  cost: units,
};

const CALL_OPTIONS: Arguments<CallOptions> = {
  signal,
  label: text,
  ...sending,
  schema: argument<StandardSchemaV1>(isSchema, 'a Standard Schema'),
  headers: argument<Readonly<Record<string, string>>>(isRecord, 'an object of names and values'),
};

/**
 * Checks a client's options once and adds defaults.
 *
 * @throws ConfigError that names the invalid option or environment variable, or an unsupported Node.
 */
export function readSettings(options: ClientOptions = {}, environment: KeyEnvironment = environmentOf()): Settings {
  // An older Node fails at the first call that waits, with an incomprehensible error.
  const problem = environment.node === undefined ? undefined : wrongWithNode(environment.node);
  if (problem !== undefined) throw new ConfigError('Node', problem);
  const { baseUrl, apiKey, dangerouslyAllowBrowser, etags, reserve, low, logger, ...rest } = clientOptions(options);
  return {
    ...rest,
    etags: etags ? etagLimits(etags === true ? {} : etags) : undefined,
    reserve: reserve === undefined ? undefined : readReserve(reserve),
    logger: logger ?? (isDebugged(environment.variables.DEBUG) ? debugLogger : undefined),
    userAgent: environment.browser ? undefined : `stacks-quota/${VERSION}`,
    low: low === undefined ? undefined : sharesOf(low),
    ...readCredentials({ baseUrl, apiKey, dangerouslyAllowBrowser }, environment),
  };
}

/**
 * Checks a new value of the option `concurrency`.
 *
 * @throws ConfigError if it is invalid.
 */
export function checkConcurrency(given: number): number {
  const concurrency = count(given, 'concurrency');
  if (concurrency !== undefined) return concurrency;
  throw new ConfigError('concurrency', 'must be a whole number, 1 or more, not undefined');
}

/** The bounds of a call: its own, else those of the client. */
export function boundsOf(own: Pick<CallOptions, keyof CallBounds>, client: CallBounds): CallBounds {
  return {
    maxWaitMs: own.maxWaitMs ?? client.maxWaitMs,
    maxQueueMs: own.maxQueueMs ?? client.maxQueueMs,
    timeoutMs: own.timeoutMs ?? client.timeoutMs,
  };
}

/**
 * Creates a check for the options of one call.
 *
 * @param own - options that only this call has.
 */
export function callOptionsParser<Own extends object>(own: Arguments<Own>): (options: unknown) => Own & CallOptions {
  const parse = optionsParser<Own & CallOptions>('call options', { ...own, ...CALL_OPTIONS } as Arguments<
    Own & CallOptions
  >);
  return (options) => {
    const checked = parse(options);
    if (!checked.headers) return checked;
    // A copy: the caller may change its own, for another call, while this one waits.
    const headers = { ...checked.headers };
    for (const [name, value] of Object.entries(headers)) checkHeader(name, value);
    return Object.assign(checked, { headers });
  };
}

/**
 * Rejects headers that `fetch` would reject, because its error would quote the value.
 *
 * @throws ConfigError, also for a header with the key, which has an option of its own.
 */
export function checkHeader(name: string, value: unknown): void {
  const wrong = (problem: string): ConfigError => new ConfigError('headers', problem);
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) throw wrong(`cannot have the name ${quote(name)}`);
  if (/^x-(hiro-)?api-key$/i.test(name)) throw wrong(`cannot carry a key in ${name}: it is the option apiKey`);
  if (typeof value !== 'string' || !/^[\x20-\x7e\x80-\xff]*$/.test(value)) {
    throw wrong(`must have Latin-1 text for ${name}, without line breaks and other control characters`);
  }
}

function isEtags(value: unknown): boolean {
  return typeof value === 'boolean' || isRecord(value);
}

/** In some libraries schemas are functions. */
function isSchema(value: unknown): boolean {
  const standard = (value as Partial<StandardSchemaV1> | null)?.['~standard'];
  return standard?.version === 1 && typeof standard.validate === 'function';
}
