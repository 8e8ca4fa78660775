import { type Clock, systemClock } from '../clock.ts';
import { ConfigError, quote } from '../errors.ts';
import type { ClientEvent } from '../events.ts';
import type { EtagLimits } from '../http/cache/etag-cache.ts';
import type { BulkReservePolicy } from '../quota/window/bulk-reserve.ts';
import { type QuotaShare, wholeShare } from '../share.ts';
import { type Argument, argument, flag, optionsParser, unchecked, withDefault } from '../validation/arguments.ts';
import type { StandardSchemaV1 } from '../validation/standard-schema.ts';
import { type ReserveOptions, readReserve } from './bulk-reserve-options.ts';
import {
  type Credentials,
  environmentOf,
  type KeyEnvironment,
  type KeySource,
  readCredentials,
} from './credentials.ts';

/** Options of a client. All have defaults. */
export interface ClientOptions {
  /**
   * Where the service is (section 4, `{base_url}`): http or https, with or without a path, without credentials, query and
   * fragment. With a key it must be https, except on this very machine (`localhost`, `127.0.0.0/8`, `[::1]`).
   *
   * Default: the environment variable `STACKS_API_URL`, else `https://api.hiro.so`.
   */
  readonly baseUrl?: string | undefined;
  /**
   * The API key (section 5), or a function that gives it, which is asked anew before each request, so that a key can be
   * replaced while the client lives. A function that gives `undefined` calls without a key. Never sent in a URL, never
   * put into an error or an event.
   *
   * Default: the environment variable `STACKS_API_KEY`, else none.
   */
  readonly apiKey?: string | (() => string | undefined | Promise<string | undefined>) | undefined;
  /** Maximum number of requests in flight. Default: 32. */
  readonly concurrency?: number | undefined;
  /**
   * Maximum time to wait for quota while nothing can be sent, in milliseconds: a call that would wait longer fails with
   * QuotaExhaustedError as soon as that is clear. Not a total time-out, because the queue may keep moving; use a `signal` for
   * that. `Infinity` waits as long as it takes, even for the next month. Default: 300,000 (five minutes).
   */
  readonly maxWaitMs?: number | undefined;
  /** Maximum number of attempts of a request, the first included. Refusals because of a limit do not count. Default: 3. */
  readonly maxAttempts?: number | undefined;
  /** How long one attempt may take, its body included and the wait for quota not, in milliseconds. Default: 30,000. */
  readonly timeoutMs?: number | undefined;
  /**
   * Whether calls that ask the same at the same time share one request: a GET of the same URL with the same headers and
   * options. It goes on while any of its callers has not aborted. Default: false.
   */
  readonly shareInFlight?: boolean | undefined;
  /**
   * Keeps answers that carry an `ETag`, and has the service say whether they still hold instead of sending them again:
   * `true` for up to 500 answers of 16 MiB together, or how many and how much. What was not used for longest goes first.
   * An answer with the key in it is never kept. Whether a revalidation costs less is the service's to say. Default: false.
   */
  readonly etags?: boolean | { readonly entries?: number; readonly bytes?: number } | undefined;
  /** Used instead of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** How much of each window this client may spend: {@link wholeShare}, or one of `stacks-quota/redis`. Default: all of it. */
  readonly share?: QuotaShare | undefined;
  /**
   * The quota reserved for calls of a higher priority than bulk work: a share of each window, and the month spread until a date.
   * Default: nothing but what calls of higher priority are expected to need, by the rate at which they came lately.
   */
  readonly reserve?: ReserveOptions | undefined;
  /** Used instead of the system's clock and timers: a test may pass one that it moves by hand. */
  readonly clock?: Clock | undefined;
  /** Used instead of `Math.random` where waits are spread: from 0 up to but not including 1. */
  readonly random?: (() => number) | undefined;
  /** Called with every event. */
  readonly onEvent?: ((event: ClientEvent) => void) | undefined;
  /**
   * Allows a key in a browser, where every visitor can read it and spend its quota (section 5, rules 3 and 4).
   * Default: false, and a key in a browser is an error.
   */
  readonly dangerouslyAllowBrowser?: boolean | undefined;
}

/** Options of one call. */
export interface CallOptions<Body = unknown> {
  /** Ends the call, wherever it is; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Your own name for the call in events and in `client.queue()`, such as the number of a job. */
  readonly label?: string | undefined;
  /** Calls with a higher number go first. Default: 0. */
  readonly priority?: number | undefined;
  /** See {@link ClientOptions.maxWaitMs}; this call's own. */
  readonly maxWaitMs?: number | undefined;
  /** See {@link ClientOptions.timeoutMs}. */
  readonly timeoutMs?: number | undefined;
  /** Units that the call will cost (section 8), if you know better than the answers so far. 0 is free. */
  readonly cost?: number | undefined;
  /** Any Standard Schema for the body. Its output becomes the type of the call's result. */
  readonly schema?: StandardSchemaV1<unknown, Body> | undefined;
  /** Headers to send beside the client's own; not the key, which is {@link ClientOptions.apiKey}. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** {@link ClientOptions}, checked and complete. */
export interface Settings extends Credentials {
  readonly concurrency: number;
  readonly maxWaitMs: number;
  readonly maxAttempts: number;
  readonly timeoutMs: number;
  readonly shareInFlight: boolean;
  readonly etags: EtagLimits | undefined;
  readonly fetch: typeof globalThis.fetch;
  readonly share: QuotaShare;
  readonly reserve: BulkReservePolicy | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly onEvent: ((event: ClientEvent) => void) | undefined;
}

/** Looked up at each call, because the global `fetch` may be replaced at any time. */
export const latestFetch: typeof globalThis.fetch = (input, init) => globalThis.fetch(input, init);

const maxWait = argument<number>((ms) => typeof ms === 'number' && ms >= 0, 'milliseconds, 0 or more, or Infinity');
const timeout = argument<number>((ms) => Number.isFinite(ms) && ms > 0, 'milliseconds, more than 0');
const text = argument<string>((value) => typeof value === 'string', 'text');
const count = argument<number>((n) => Number.isSafeInteger(n) && n >= 1, 'a whole number, 1 or more');

const clientOptions = optionsParser('options', {
  baseUrl: text,
  apiKey: unchecked<KeySource>(),
  concurrency: withDefault(count, 32),
  maxWaitMs: withDefault(maxWait, 300_000),
  maxAttempts: withDefault(count, 3),
  timeoutMs: withDefault(timeout, 30_000),
  shareInFlight: withDefault(flag, false),
  etags: withDefault(
    argument<NonNullable<ClientOptions['etags']>>(isEtags, 'true, or an object such as { entries: 500 }'),
    false,
  ),
  fetch: withDefault(callback<typeof globalThis.fetch>(), latestFetch),
  share: withDefault(withMethods<QuotaShare>(['join'], 'a share of the quota'), wholeShare),
  reserve: unchecked<ReserveOptions>(),
  clock: withDefault(withMethods<Clock>(['now', 'wall', 'timer'], 'a clock'), systemClock),
  random: withDefault(callback<() => number>(), Math.random),
  onEvent: callback<(event: ClientEvent) => void>(),
  dangerouslyAllowBrowser: withDefault(flag, false),
});

const etagLimits = optionsParser('limits of etags', {
  entries: withDefault(count, 500),
  bytes: withDefault(count, 2 ** 24),
});

/** Options of everything that sends a request. */
export const sending: Readonly<Record<'priority' | 'maxWaitMs' | 'timeoutMs' | 'cost', Argument<number | undefined>>> =
  {
    priority: argument<number>(Number.isFinite, 'a number'),
    maxWaitMs: maxWait,
    timeoutMs: timeout,
    cost: argument<number>((units) => Number.isFinite(units) && units >= 0, 'a number of units, 0 or more'),
  };

const callOptions = optionsParser('call options', {
  signal: withMethods<AbortSignal>(['addEventListener', 'throwIfAborted'], 'an AbortSignal'),
  label: text,
  ...sending,
  schema: argument<StandardSchemaV1>(isSchema, 'a Standard Schema'),
  headers: argument<Readonly<Record<string, string>>>(isRecord, 'an object of names and values'),
});

/**
 * Checks a client's options once and completes them.
 *
 * @throws ConfigError that names the option, or the environment variable, that cannot be used.
 */
export function readSettings(options: ClientOptions = {}, environment: KeyEnvironment = environmentOf()): Settings {
  const { baseUrl, apiKey, dangerouslyAllowBrowser, etags, reserve, ...rest } = clientOptions(options);
  return {
    ...rest,
    etags: etags ? etagLimits(etags === true ? {} : etags) : undefined,
    reserve: reserve && readReserve(reserve),
    ...readCredentials({ baseUrl, apiKey, dangerouslyAllowBrowser }, environment),
  };
}

/**
 * Checks the options of one call.
 *
 * @throws ConfigError that names the option that cannot be used.
 */
export function checkCallOptions<Body>(options: CallOptions<Body> = {}): CallOptions<Body> {
  const checked = callOptions(options);
  for (const [name, value] of Object.entries(checked.headers ?? {})) checkHeader(name, value);
  return checked as CallOptions<Body>;
}

/**
 * What `fetch` would refuse is refused here, without the value that its error would quote.
 *
 * @throws ConfigError, for a key too: it has an option of its own.
 */
export function checkHeader(name: string, value: unknown): void {
  const wrong = (problem: string): ConfigError => new ConfigError('headers', problem);
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) throw wrong(`cannot have the name ${quote(name)}`);
  if (/^x-(hiro-)?api-key$/i.test(name)) throw wrong(`cannot carry a key in ${name}: it is the option apiKey`);
  if (typeof value !== 'string' || !/^[\x20-\x7e\xa0-\xff]*$/.test(value)) {
    throw wrong(`must have text for ${name}, without line breaks and other control characters`);
  }
}

function isEtags(value: unknown): boolean {
  return typeof value === 'boolean' || isRecord(value);
}

/** Not `Headers`, an array or a map, whose entries are no properties. */
function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !(Symbol.iterator in value);
}

/** Some libraries make their schemas functions. */
function isSchema(value: unknown): boolean {
  const standard = (value as Partial<StandardSchemaV1> | null)?.['~standard'];
  return standard?.version === 1 && typeof standard.validate === 'function';
}

/** An argument that is a function. */
export function callback<F>(): Argument<F | undefined> {
  return argument<F>((value) => typeof value === 'function', 'a function');
}

function withMethods<T>(methods: readonly (string & keyof T)[], be: string): Argument<T | undefined> {
  const has = (value: object | null, name: string): boolean =>
    typeof value === 'object' && value !== null && typeof Reflect.get(value, name) === 'function';
  return argument<T>((value) => methods.every((name) => has(value as object | null, name)), be);
}
