import { PERIODS, type Period, withinMonth } from '../time/periods.ts';
import { isTooLongToRead, readDecimal, readHttpDate, readList, readSeconds, readWhole } from './values.ts';

/**
 * What a response said of one window of the blockchain-related quota. Where neither header of a period is
 * present, the older pair without `-stacks` in its names stands in for them.
 */
export interface WindowQuota {
  /** Units that the whole window holds, from `x-ratelimit-limit-stacks-<period>`. */
  readonly limit?: number;
  /** Units left in the window after this request, from `x-ratelimit-remaining-stacks-<period>`; never negative. */
  readonly remaining?: number;
}

/**
 * What a response said of the service's quota, from its headers alone. Everything but the bookkeeping is optional: any
 * header may be absent.
 */
export interface QuotaSnapshot {
  /** When the response was received, by the caller's wall clock, in milliseconds since the Unix epoch. */
  readonly receivedAt: number;
  /** The service's own clock from the header `date`, in milliseconds since the Unix epoch; whole seconds. */
  readonly date?: number;
  /** `ratelimit-limit`: the rate-limit ceiling for that endpoint, in requests. */
  readonly limit?: number;
  /** `ratelimit-remaining`: requests left in the current window; never negative. */
  readonly remaining?: number;
  /**
   * `ratelimit-reset`: when the window resets, by the service's clock, in milliseconds since the Unix epoch.
   */
  readonly resetAt?: number;
  /** `retry-after`: how long to wait before retrying, in milliseconds from `receivedAt`. */
  readonly retryAfterMs?: number;
  /** `age`: how old the answer is, in milliseconds, if it comes from a cache; then nothing else is read but this. */
  readonly ageMs?: number;
  /** The quota of the blockchain-related services. */
  readonly stacks: {
    /** `x-ratelimit-cost-stacks`: what this request cost, in units. */
    readonly cost?: number;
  } & { readonly [P in Period]?: WindowQuota };
  /** Names, in lower case, of the headers read here that were present and made no sense. */
  readonly malformed: readonly string[];
  /**
   * Rate-limit headers that this version does not know, by lower-case name; values are cut to 200 characters. `readFamilies` reads
   * those of other families and periods.
   */
  readonly unrecognised: Readonly<Record<string, string>>;
}

/** How much is kept of a header that is not known. */
export const LONGEST_UNRECOGNISED = 200;

/** When the window resets, by the service's clock; undefined if no header says so, or its value is impossible. */
export function resetOf({ resetAt, date, receivedAt }: QuotaSnapshot): number | undefined {
  const serverNow = date ?? receivedAt;
  if (resetAt === undefined || resetAt - serverNow > FURTHEST_RESET_MS) return undefined;
  return withinMonth(serverNow, resetAt);
}

/** Whether a reset so many milliseconds after its answer is a date: the seconds that are left are whole, and not below 0. */
export function isDateLeft(leftMs: number): boolean {
  return leftMs < 0 || leftMs % 1_000 >= 1;
}

/** What was said of each window that `x-ratelimit-*-stacks-<period>` names. */
export function windowsOf({ stacks }: QuotaSnapshot): readonly WindowQuota[] {
  const windows: WindowQuota[] = [];
  for (const period of PERIODS) {
    const window = stacks[period];
    if (window) windows.push(window);
  }
  return windows;
}

/** The lowest limit of these windows; Infinity: none was stated. */
export function leastLimitOf({ stacks }: QuotaSnapshot): number {
  let least = Infinity;
  for (const period of PERIODS) least = Math.min(least, stacks[period]?.limit ?? least);
  return least;
}

/** Whether one of these windows has nothing left. */
export function isAnyWindowFull(quota: QuotaSnapshot): boolean {
  return windowsOf(quota).some(({ remaining }) => remaining === 0);
}

/** Whether one of these windows, or the one that `ratelimit-*` describes, has nothing left. */
export function saysFull(quota: QuotaSnapshot): boolean {
  return quota.remaining === 0 || isAnyWindowFull(quota);
}

/** Whether each of these windows has units left for such a request, so that none of them refused it; undefined: none was stated. */
export function hasRoom(quota: QuotaSnapshot): boolean | undefined {
  const windows = windowsOf(quota);
  const { cost = 1 } = quota.stacks;
  return windows.length === 0 ? undefined : windows.every(({ remaining = 0 }) => remaining >= cost);
}

/** The longest of these windows that `ratelimit-*` may describe, too, wherever a lagging clock puts its end; undefined: none. */
export function repeatedWindow({ limit, remaining, stacks }: QuotaSnapshot): Period | undefined {
  return PERIODS.findLast((period) => stacks[period]?.limit === limit && stacks[period]?.remaining === remaining);
}

/** No window is longer than a month, so no reset is believed that is further off, in milliseconds. */
const FURTHEST_RESET_MS = 32 * 86_400_000;

/** A header read here. Its place among them finds its value sooner than its name would. */
interface Known {
  readonly name: string;
  readonly place: number;
}

/** The two headers that describe one window. */
interface Pair {
  readonly limit: Known;
  readonly remaining: Known;
}

const KNOWN = new Map<string, Known>();

function known(name: string): Known {
  const header = { name, place: KNOWN.size };
  KNOWN.set(name, header);
  return header;
}

function pair(window: string): Pair {
  return { limit: known(`x-ratelimit-limit-${window}`), remaining: known(`x-ratelimit-remaining-${window}`) };
}

const AGE = known('age');
const DATE = known('date');
const RETRY_AFTER = known('retry-after');
/** The name of the header that says how long to wait: what answers for the service sends it, too. */
export const RETRY_AFTER_HEADER: string = RETRY_AFTER.name;
const RESET = known('ratelimit-reset');
const ENDPOINT: Pair = { limit: known('ratelimit-limit'), remaining: known('ratelimit-remaining') };
const COST = known('x-ratelimit-cost-stacks');
const WINDOWS = PERIODS.map((period) => ({ period, own: pair(`stacks-${period}`), older: pair(period) }));

/** No unrecognised headers, as in nearly all answers. */
const NONE: Record<string, string> = Object.freeze({});

/** The last instant that a `Date` can hold. */
export const LAST_INSTANT = 8.64e15;

/**
 * Reads every rate-limit header of a response. Pure, and never throws: a header that
 * cannot be read is named in `malformed` and its field is absent, and so are both of a pair that says more remains
 * than the limit. Of a header sent twice the more cautious value counts.
 *
 * A response that comes from a cache (`age` above 0) tells of a quota that has moved on since, so its snapshot is
 * empty, as the IETF's draft of these headers demands; its `date` and `retry-after` are as old.
 *
 * @param receivedAt - when the response was received, in milliseconds since the Unix epoch.
 */
export function readQuota(headers: Headers, receivedAt: number): QuotaSnapshot {
  const said = new SaidHeaders(headers);
  const { malformed } = said;
  const ageMs = said.read(AGE, readSeconds, Math.max);
  if (ageMs !== undefined && ageMs > 0) return { receivedAt, ageMs, stacks: {}, malformed, unrecognised: {} };

  const date = said.read(DATE, readHttpDate, same, receivedAt);
  const serverNow = date ?? receivedAt;
  const resetAt = said.read(RESET, readReset, Math.max, serverNow);
  const wait = said.read(RETRY_AFTER, readRetryAfter, Math.max, serverNow);
  const cost = said.read(COST, readDecimal, Math.max);

  const stacks: Draft<QuotaSnapshot['stacks']> = {};
  if (cost !== undefined) stacks.cost = cost;
  for (const { period, own, older } of WINDOWS) {
    // Never half of one pair and half of the other: they need not count the same window.
    const quota = said.readPair(said.has(own) ? own : older);
    if (quota) stacks[period] = quota;
  }
  const snapshot: Draft<QuotaSnapshot> = { receivedAt, stacks, malformed, unrecognised: said.unrecognised };
  const { limit, remaining } = said.readPair(ENDPOINT) ?? {};
  if (limit !== undefined) snapshot.limit = limit;
  if (remaining !== undefined) snapshot.remaining = remaining;
  if (date !== undefined) snapshot.date = date;
  if (resetAt !== undefined) snapshot.resetAt = resetAt;
  // Capped, because `Date` throws a RangeError beyond its range.
  if (wait !== undefined) snapshot.retryAfterMs = Math.min(wait, LAST_INSTANT - receivedAt);
  return snapshot;
}

/** The headers of one response that tell of limits. */
class SaidHeaders {
  /** Names of those that made no sense. */
  readonly malformed: string[] = [];
  /** Those of other names. */
  unrecognised: Record<string, string> = NONE;
  /** Values of the known ones, by their places. */
  readonly #values = new Array<string | undefined>(KNOWN.size);

  constructor(headers: Headers) {
    // One walk, because `headers.get` of each known name takes several times as long.
    headers.forEach((value, name) => {
      const header = KNOWN.get(name);
      if (header) this.#values[header.place] = value;
      else if (name.startsWith('x-ratelimit-') || name.startsWith('ratelimit')) {
        if (this.unrecognised === NONE) this.unrecognised = {};
        this.unrecognised[name] = value.slice(0, LONGEST_UNRECOGNISED);
      }
    });
  }

  /** Whether either header of a pair was sent. */
  has({ limit, remaining }: Pair): boolean {
    return this.#values[limit.place] !== undefined || this.#values[remaining.place] !== undefined;
  }

  read({ name, place }: Known, readOne: ReadOne, choose: Choose, now?: number): number | undefined {
    const value = this.#values[place];
    if (value === undefined) return undefined;
    const number = readList(value, readOne, choose, now);
    if (number === undefined) this.malformed.push(name);
    return number;
  }

  /** What a pair says; undefined: nothing that can be used. */
  readPair(pair: Pair): WindowQuota | undefined {
    const limit = this.read(pair.limit, readWhole, Math.min);
    const remaining = this.read(pair.remaining, readRemaining, Math.min);
    if (limit === undefined) return remaining === undefined ? undefined : { remaining };
    if (remaining === undefined) return { limit };
    if (remaining <= limit) return { limit, remaining };
    this.malformed.push(pair.limit.name, pair.remaining.name);
    return undefined;
  }
}

type Draft<T> = { -readonly [K in keyof T]: T[K] };
type ReadOne = (text: string, now: number) => number | undefined;
type Choose = (a: number, b: number) => number | undefined;

function same(a: number, b: number): number | undefined {
  return a === b ? a : undefined;
}

/** What remains, in whole units. The service has been seen to say -1 when nothing is left. */
export function readRemaining(text: string): number | undefined {
  const isBelowZero = text.startsWith('-');
  const units = readDecimal(isBelowZero ? text.slice(1) : text);
  if (!Number.isInteger(units)) return undefined;
  return isBelowZero ? 0 : units;
}

/**
 * A guess by size: the documentation says a Unix timestamp, but gateways send the seconds left (no timestamp since 2001 is
 * as small as 1e9), and a timestamp in milliseconds costs nothing to accept.
 */
function readReset(text: string, serverNow: number): number | undefined {
  const ms = readSeconds(text);
  if (ms === undefined) return undefined;
  const stated = Number(text);
  if (stated >= 1e12) return Math.ceil(stated);
  return stated < 1e9 ? Math.ceil(serverNow + ms) : ms;
}

/** Seconds, or a date by the service's clock; one that has passed means no wait. A number too long to read is no short wait. */
function readRetryAfter(text: string, serverNow: number): number | undefined {
  const seconds = readSeconds(text);
  if (seconds !== undefined) return seconds;
  if (isTooLongToRead(text)) return LAST_INSTANT;
  const date = readHttpDate(text, serverNow);
  return date === undefined ? undefined : Math.max(0, Math.ceil(date - serverNow));
}
