import type { QuotaSnapshot } from './quota/headers/snapshot.ts';

/** Constructor argument of an error: its own fields, and `cause` if it has one. */
export type ErrorFacts<E extends Error> = Omit<E, keyof Error> & { readonly cause?: unknown };

/**
 * The call would have to wait for quota longer than its `maxWaitMs`, and was not sent; or the service refused it five times
 * because of a limit (25 times if it says that a window is full), although the client waited as it asked. Retry at `retryAt`.
 */
export class QuotaExhaustedError extends Error {
  declare readonly name: 'QuotaExhaustedError';
  /** The window that ran out: `'second'`, `'minute'`, `'month'`, … or `'endpoint'`; `'queue'` if too many calls wait; if no window binds, the kind of the reason, such as `'cooldown'`. */
  declare readonly window: string | undefined;
  /** Limit of the window in units, if known; of `'queue'` the number of calls that may wait. */
  declare readonly limit: number | undefined;
  /** Units remaining in the window, if known. */
  declare readonly remaining: number | undefined;
  /** The earliest instant at which the quota allows the call behind those that wait, by this machine's wall clock. */
  declare readonly retryAt: Date;
  /** Time from this error to `retryAt`, in milliseconds; `Infinity` if no time is known, as for a call that costs more than a window holds. */
  declare readonly retryAfterMs: number;
  /** The reason, for people: `the minute has 0 of 60 units left and the request takes 1`. */
  declare readonly why: string;
  /** The longest wait that the call allowed, in milliseconds, if it would have had to wait longer. */
  declare readonly maxWaitMs?: number | undefined;
  /** The longest time until it is sent that the call allowed, in milliseconds, if it would have been sent later. */
  declare readonly maxQueueMs?: number | undefined;
  /** The endpoint that was asked for, by which costs are learned, such as `GET /extended/v1/address/{address}/assets`. */
  declare readonly endpoint: string;
  /** The URL that was asked for, if known. The key is never in it. */
  declare readonly url?: string | undefined;
  /** What the headers of the last answer to any call said of the quota; undefined before the first. */
  declare readonly quota: QuotaSnapshot | undefined;

  constructor(facts: ErrorFacts<QuotaExhaustedError>) {
    super(`${requestLine(facts)}: ${facts.why}${retryAdvice(facts)}`, causeOf(facts));
    this.window = facts.window;
    this.limit = facts.limit;
    this.remaining = facts.remaining;
    this.retryAt = facts.retryAt;
    this.retryAfterMs = facts.retryAfterMs;
    this.why = facts.why;
    this.maxWaitMs = facts.maxWaitMs;
    this.maxQueueMs = facts.maxQueueMs;
    this.endpoint = facts.endpoint;
    this.url = facts.url;
    this.quota = facts.quota;
  }
}

/** The service answered with an error: see `status` and `body`. */
export class ServiceError extends Error {
  declare readonly name: 'ServiceError';
  /** The HTTP status of the answer. */
  declare readonly status: number;
  /** The endpoint that was asked for, by which costs are learned, such as `GET /extended/v1/address/{address}/assets`. */
  declare readonly endpoint: string;
  /** The URL that was asked for, if known. The key is never in it. */
  declare readonly url?: string | undefined;
  /** The body: parsed if it was JSON, else its text, cut to 2,000 characters. Its shape is not guaranteed. */
  declare readonly body: unknown;
  /** What the answer's headers said of the quota. */
  declare readonly quota: QuotaSnapshot;

  constructor(facts: ErrorFacts<ServiceError>) {
    const said = serviceMessage(facts.body);
    super(`${requestLine(facts)}: the service answered ${facts.status}${said ? `: ${said}` : ''}`, causeOf(facts));
    this.status = facts.status;
    this.endpoint = facts.endpoint;
    this.url = facts.url;
    this.body = typeof facts.body === 'string' ? cut(facts.body, 2_000) : facts.body;
    this.quota = facts.quota;
  }
}

/** No usable response: a network failure, a time-out or a rejected redirect. The service may have counted the call all the same. */
export class ConnectionError extends Error {
  declare readonly name: 'ConnectionError';
  /** The endpoint that was asked for, by which costs are learned, such as `GET /extended/v1/address/{address}/assets`. */
  declare readonly endpoint: string;
  /** The URL that was asked for, if known. The key is never in it. */
  declare readonly url?: string | undefined;
  /** What went wrong, if known: `ECONNRESET`, `ENOTFOUND`, `TIMEOUT`, `REDIRECT`, …. */
  declare readonly code: string | undefined;
  /** Attempts made. 0: nothing was sent. */
  declare readonly attempts: number;

  constructor(facts: ErrorFacts<ConnectionError>) {
    const { attempts } = facts;
    const host = facts.url === undefined ? '' : ` ${new URL(facts.url).origin}`;
    const cause = facts.code ?? 'unknown cause';
    const what = attempts
      ? `no usable response${host && ` from${host}`} after ${attempts} attempt${attempts === 1 ? '' : 's'}`
      : `nothing was sent${host && ` to${host}`}`;
    super(`${requestLine(facts)}: ${what} (${cause}${explanation(facts)})`, causeOf(facts));
    this.endpoint = facts.endpoint;
    this.url = facts.url;
    this.code = facts.code;
    this.attempts = attempts;
  }
}

/** One deviation of a body from its schema. */
export interface ShapeIssue {
  /** Where in the body, such as `results.0.asset.amount`; empty for the body itself. */
  readonly path: string;
  /** What was expected there. */
  readonly message: string;
}

/** The service answered with success, but the body does not match its schema. */
export class ResponseShapeError extends Error {
  declare readonly name: 'ResponseShapeError';
  /** The endpoint that was asked for, by which costs are learned, such as `GET /extended/v1/address/{address}/assets`. */
  declare readonly endpoint: string;
  /** The URL that was asked for, if known. The key is never in it. */
  declare readonly url?: string | undefined;
  /** Every deviation from the schema. */
  declare readonly issues: readonly ShapeIssue[];
  /** What the answer's headers said of the quota. */
  declare readonly quota: QuotaSnapshot;
  /** The HTTP status of the answer. */
  declare readonly status: number;

  constructor(facts: ErrorFacts<ResponseShapeError>) {
    super(
      `${requestLine(facts)}: the body of a ${facts.status} is not as expected: ${issueList(facts.issues)}`,
      causeOf(facts),
    );
    this.endpoint = facts.endpoint;
    this.url = facts.url;
    this.issues = facts.issues;
    this.quota = facts.quota;
    this.status = facts.status;
  }
}

/** An option or an argument is invalid. Nothing was sent. */
export class ConfigError extends Error {
  declare readonly name: 'ConfigError';
  /** The invalid option, argument or environment variable. */
  declare readonly option: string;

  /**
   * @param option - the invalid option, argument or environment variable.
   * @param problem - what is wrong and what would be right, to be read after the option's name: `'must be …'`.
   */
  constructor(option: string, problem: string, causedBy?: { readonly cause?: unknown }) {
    super(`${option} ${problem}`, causedBy);
    this.option = option;
  }
}

/** The client was closed before the call could be sent, or sent again after a failure. */
export class ClosedError extends Error {
  declare readonly name: 'ClosedError';

  constructor(causedBy?: { readonly cause?: unknown }) {
    super('The client is closed.', causedBy);
  }
}

// `name` is set on the prototypes, so that `stack` begins with it; the brand distinguishes these classes from others of the same name.
const BRAND = Symbol.for('stacks-quota.error');
const KINDS = { QuotaExhaustedError, ServiceError, ConnectionError, ResponseShapeError, ConfigError, ClosedError };
for (const [name, kind] of Object.entries(KINDS)) {
  Object.defineProperty(kind.prototype, 'name', { value: name, writable: true, configurable: true });
  Object.defineProperty(kind.prototype, BRAND, { value: name });
}

/** Errors that wrap each other, at most: a chain of causes may be a circle. */
const DEEPEST_CAUSE = 8;

/**
 * The error of this package that a caught error is, or has as its cause; the caught error itself if there is none. Libraries such as
 * axios wrap what `client.fetch` rejects with: the guards see through that, and this hands out the error inside.
 *
 * @example
 * ```ts
 * await client.fetch('/v2/info').catch((error) => {
 *   const inner = unwrapError(error);
 *   if (isQuotaExhausted(inner)) console.log(inner.retryAt);
 * });
 * ```
 */
export function unwrapError(error: unknown): unknown {
  return ownErrorIn(error) ?? error;
}

function ownErrorIn(error: unknown): { readonly [BRAND]?: unknown } | undefined {
  return causesOf(error).find((one) => BRAND in one);
}

function isKind(error: unknown, name: keyof typeof KINDS): boolean {
  return ownErrorIn(error)?.[BRAND] === name;
}

/** An error and its causes, from the outside in. */
export function causesOf(error: unknown): readonly object[] {
  const causes: object[] = [];
  for (let one = error; typeof one === 'object' && one !== null && causes.length < DEEPEST_CAUSE; ) {
    causes.push(one);
    one = (one as { readonly cause?: unknown }).cause;
  }
  return causes;
}

/**
 * Is it a {@link QuotaExhaustedError}? True also for one from another copy of this package, and for an error that wraps one:
 * see {@link unwrapError}.
 *
 * @example
 * ```ts
 * await client.getAddressAssets(address, { maxWaitMs: 2_000 }).catch((error) => {
 *   if (!isQuotaExhausted(error)) throw error;
 *   console.log(`Retry in ${Math.ceil(error.retryAfterMs / 1_000)} s.`);
 * });
 * ```
 */
export const isQuotaExhausted = (error: unknown): error is QuotaExhaustedError => isKind(error, 'QuotaExhaustedError');

/**
 * Is it a {@link ServiceError}? True also for one from another copy of this package, and for an error that wraps one:
 * see {@link unwrapError}.
 *
 * @example
 * ```ts
 * await client.getInfo().catch((error) => {
 *   if (!isServiceError(error) || error.status !== 404) throw error;
 * });
 * ```
 */
export const isServiceError = (error: unknown): error is ServiceError => isKind(error, 'ServiceError');

/**
 * Is it a {@link ConnectionError}? True also for one from another copy of this package, and for an error that wraps one:
 * see {@link unwrapError}.
 *
 * @example
 * ```ts
 * await client.getAddressAssets(address).catch((error) => {
 *   if (isConnectionError(error)) console.warn(`${error.code} after ${error.attempts} attempts`);
 * });
 * ```
 */
export const isConnectionError = (error: unknown): error is ConnectionError => isKind(error, 'ConnectionError');

/**
 * Is it a {@link ResponseShapeError}? True also for one from another copy of this package, and for an error that wraps one:
 * see {@link unwrapError}.
 *
 * @example
 * ```ts
 * await client.getAddressAssets(address).catch((error) => {
 *   if (isResponseShape(error)) console.warn(error.issues); // [{ path: 'results.0.tx_id', message: '…' }]
 * });
 * ```
 */
export const isResponseShape = (error: unknown): error is ResponseShapeError => isKind(error, 'ResponseShapeError');

/**
 * Is it a {@link ConfigError}? True also for one from another copy of this package, and for an error that wraps one:
 * see {@link unwrapError}.
 *
 * @example
 * ```ts
 * await client.getAddressAssets('no address').catch((error) => {
 *   if (isConfigError(error)) console.warn(error.option); // 'address'
 * });
 * ```
 */
export const isConfigError = (error: unknown): error is ConfigError => isKind(error, 'ConfigError');

/**
 * Is it a {@link ClosedError}? True also for one from another copy of this package, and for an error that wraps one:
 * see {@link unwrapError}.
 *
 * @example
 * ```ts
 * await client.close();
 * await client.getInfo().catch((error) => {
 *   if (!isClosed(error)) throw error;
 * });
 * ```
 */
export const isClosed = (error: unknown): error is ClosedError => isKind(error, 'ClosedError');

/** Whether a status may say that the key is refused. */
export function isKeyRefusal(status: number): boolean {
  return status === 401 || status === 403;
}

/** Quotes a value in a message: text cut to fit a line, anything else by its kind. */
export function quote(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(cut(value, 60));
  if (Array.isArray(value)) return 'an array';
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'an invalid Date' : value.toISOString();
  if (typeof value === 'object' && value !== null) return quoteObject(value);
  if (typeof value === 'bigint') return `${value}n`;
  return typeof value === 'function' ? 'a function' : String(value);
}

/** What a value is, and nothing of what it says: it may be a secret. */
export function kindOf(value: unknown): string {
  return typeof value === 'object' ? quote(value) : typeof value;
}

/** An object by its class, if it has one: `an object (URLSearchParams)`. */
function quoteObject(value: object): string {
  const kind: unknown = value.constructor;
  const isPlain = typeof kind !== 'function' || kind === Object || kind.name === '';
  return isPlain ? 'an object' : `an object (${cut(kind.name, 60)})`;
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

/** `cause` is set only where there is one: `new Error(m, { cause: undefined })` would show an undefined one. */
function causeOf(facts: { readonly cause?: unknown }): { cause?: unknown } | undefined {
  return facts.cause === undefined ? undefined : { cause: facts.cause };
}

/** What was asked for: the path itself rather than its endpoint, where it is known. */
function requestLine({ endpoint, url }: { readonly endpoint: string; readonly url?: string | undefined }): string {
  if (url === undefined) return endpoint;
  const { pathname, search } = new URL(url);
  return `${endpoint.split(' ', 1)[0]} ${cut(pathname + search, 300)}`;
}

function exceededBound({ maxWaitMs, maxQueueMs }: Pick<QuotaExhaustedError, 'maxWaitMs' | 'maxQueueMs'>): string {
  if (maxQueueMs !== undefined) return `, which is later than maxQueueMs (${duration(maxQueueMs)}) allows`;
  return maxWaitMs === undefined ? '' : `, and the wait is longer than maxWaitMs (${duration(maxWaitMs)})`;
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
] as const;

/** A duration as people say it: `250 ms`, `2.5 s`, `5 min`, `6 h`, `9 d`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const [unit, length] = UNITS.find((one) => ms >= one[1]) ?? ['s', 1_000];
  return `${Math.round((ms / length) * 10) / 10} ${unit}`;
}

/** What the codes of frequent mistakes mean. */
export const MEANINGS = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'no such host',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the port speaks no https',
  TIMEOUT: 'it took longer than timeoutMs',
  ERR_INVALID_URL: 'fetch must take a Request',
  ERR_ACCESS_DENIED: 'node --permission needs --allow-net',
  REDIRECT: 'to another origin, or too often',
  TOO_LARGE: 'more than 32 MiB; client.fetch streams it',
  KEY_REFUSED: 'the service refused the API key five times in a row; check it, it is tried again after a minute',
} as const;

/** What a code means, or what the innermost cause says beyond it, such as the port that `fetch` blocks. The cause of a redirect names its target. */
function explanation({ code = '', cause }: { readonly code: string | undefined; readonly cause?: unknown }): string {
  const said = (causesOf(cause).at(-1) as Error | undefined)?.message ?? code;
  const meaning = (MEANINGS as Readonly<Record<string, string>>)[code] ?? '';
  const text = said.includes(code) || (meaning && code !== 'REDIRECT') ? meaning : cut(said, 200);
  return text ? `: ${text}` : '';
}

/** When the call may be sent; for one that may never be, the longest wait that it allowed says nothing. */
function retryAdvice(facts: ErrorFacts<QuotaExhaustedError>): string {
  const { retryAt, retryAfterMs } = facts;
  const isKnown = Number.isFinite(retryAfterMs) && !Number.isNaN(retryAt.getTime());
  return isKnown ? `${exceededBound(facts)}. Retry at ${retryAt.toISOString()}.` : '. No time to retry is known.';
}

/** The service's own words, on one line: `message` or `error` of a JSON body (both seen), or a text that is not a page. */
function serviceMessage(body: unknown): string {
  const { message, error } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const words = [message, error, body].find((said) => typeof said === 'string' && said.trim() !== '');
  if (typeof words !== 'string' || words.trimStart().startsWith('<')) return '';
  return cut(oneLine(words), 200);
}

/** The beginning of a text on one line. */
export function oneLine(given: string): string {
  return given
    .slice(0, 2_000)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}

function issueList(issues: readonly ShapeIssue[]): string {
  const first = issues.slice(0, 3).map(({ path, message }) => (path ? `${path}: ${message}` : message));
  return first.join('; ') + (issues.length > 3 ? `; and ${issues.length - 3} more` : '');
}
