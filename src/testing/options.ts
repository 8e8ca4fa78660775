import type { Clock } from '../clock.ts';
import { someAssets } from './assets.ts';
import type { ServicePeriod } from './calendar.ts';
import type { ResetStyle, ServiceHeaderOptions } from './headers.ts';
import { type Latency, type LatencyOption, latencyFrom, seeded } from './latency.ts';
import type { ServiceLimits } from './ledger.ts';
import type { ServiceEndpoint } from './routes.ts';
import type { WindowKind } from './windows/kinds.ts';

/** What the cost of a request may depend on. */
export interface CostQuestion {
  readonly method: string;
  readonly endpoint: ServiceEndpoint;
  readonly url: URL;
}

/** What a refused request is told (section 7 leaves all but `retry-after` open). */
export interface LimitedOptions {
  /** Default: 429. */
  readonly status?: 429 | 403 | 503 | undefined;
  /**
   * `retry-after`: whole seconds, rounded up; an HTTP-date; no such header; that many seconds whatever the truth; or any text.
   * Default: `'seconds'`.
   */
  readonly retryAfter?: 'seconds' | 'date' | 'none' | number | (() => string) | undefined;
  /** Default: `'json'`. */
  readonly body?: 'json' | 'text' | 'html' | 'empty' | undefined;
}

/** What the service is like. Everything has a default, and the defaults are as much like the real service as is known. */
export interface MockServiceOptions {
  /** Default: real time. */
  readonly clock?: Clock | undefined;
  /** How far the service's clock is ahead of the clock's wall when the service is made, in milliseconds. Default: 0. */
  readonly skewMs?: number | undefined;
  /** Where `fetch`, and the handlers of `stacks-quota/testing/msw`, find the service. Default: `https://api.mock.test`. */
  readonly origin?: string | undefined;
  /** What everybody without a key may use together, in units. Default: 50 a minute. */
  readonly keyless?: ServiceLimits | undefined;
  /** What each key may use, in units. Default: 20 a second, 500 a minute, 150 000 a month. */
  readonly keyed?: ServiceLimits | undefined;
  /** Limits of single endpoints beside the quota, in requests of one identity. Default: none. */
  readonly ceilings?: Readonly<Record<string, { readonly limit: number; readonly period: ServicePeriod }>> | undefined;
  /** Keys that exist from the start. Default: none. */
  readonly keys?: readonly string[] | undefined;
  /** What becomes of a key that does not exist or was revoked: refused, or silently taken for no key. Default: 401. */
  readonly unknownKey?: 'keyless' | 401 | 403 | undefined;
  /** What shape the windows have, for all periods or each. Default: `'aligned'`. */
  readonly windows?: WindowKind | { readonly [P in ServicePeriod]?: WindowKind } | undefined;
  /**
   * When usage is booked. `'before'`: on arrival; what does not fit is refused. `'after'`: when the answer leaves, as Kong's
   * response-ratelimiting does; only who finds nothing left is refused, so dear and concurrent requests overshoot.
   * Default: `'before'`.
   */
  readonly charge?: 'before' | 'after' | undefined;
  /** Whether refused requests are charged too. Default: false. */
  readonly countRefused?: boolean | undefined;
  /** What a request costs, in units, by endpoint or as reckoned. Default: 1. */
  readonly cost?: (((request: CostQuestion) => number) | { readonly [E in ServiceEndpoint]?: number }) | undefined;
  /** What a HEAD costs, in units. Default: as much as the GET. */
  readonly headCost?: number | undefined;
  /** What a refused request is told. */
  readonly limited?: LimitedOptions | undefined;
  /** Which headers are sent. */
  readonly headers?: ServiceHeaderOptions | undefined;
  /** How `ratelimit-reset` names the instant. Default: `'epoch-seconds'`, as section 8 has it. */
  readonly reset?: ResetStyle | undefined;
  /** How long an exchange takes, in milliseconds: always, between two bounds, or as told each time. Default: 0. */
  readonly latencyMs?: LatencyOption | undefined;
  /** Numbers from 0 to 1 for latencies and new keys. Default: the same row in every run. */
  readonly random?: (() => number) | undefined;
  /** How many gateway nodes take turns, each with counters of its own. Default: 1. */
  readonly nodes?: number | undefined;
  /** Whether to keep a log of all requests, or of how many of the last. Default: true. */
  readonly keepLog?: boolean | number | undefined;
  /** What `/extended/v1/info` answers; the real service is said to answer 404. Default: 200. */
  readonly info?: 200 | 404 | undefined;
  /** How many events an address has. Default: 0 to 149, by the address. */
  readonly assetsOf?: ((address: string) => number) | undefined;
}

/** The options with their defaults in place. */
export interface ServiceSettings {
  readonly clock: Clock;
  readonly skewMs: number;
  readonly origin: string;
  readonly keyless: ServiceLimits;
  readonly keyed: ServiceLimits;
  readonly ceilings: Readonly<Record<string, ServiceLimits>>;
  readonly keys: readonly string[];
  readonly unknownKey: 'keyless' | 401 | 403;
  readonly kindOf: (period: ServicePeriod) => WindowKind;
  readonly charge: 'before' | 'after';
  readonly countRefused: boolean;
  readonly costOf: (request: CostQuestion) => number;
  readonly limited: { readonly [Option in keyof LimitedOptions]-?: NonNullable<LimitedOptions[Option]> };
  readonly headers: ServiceHeaderOptions;
  readonly reset: ResetStyle;
  readonly latency: () => Latency;
  readonly random: () => number;
  readonly nodes: number;
  readonly logSize: number;
  readonly info: 200 | 404;
  readonly assetsOf: (address: string) => number;
}

/** Real time, told again here because the mock shares no code with the client. */
const realClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  timer(ms, fire) {
    const timeout = setTimeout(fire, ms);
    return () => clearTimeout(timeout);
  },
};

/** Puts the defaults in place. */
export function settingsFrom(options: MockServiceOptions): ServiceSettings {
  const random = options.random ?? seeded(1);
  const { windows = 'aligned', keepLog = true } = options;
  return {
    clock: options.clock ?? realClock,
    skewMs: options.skewMs ?? 0,
    origin: new URL(options.origin ?? 'https://api.mock.test').origin,
    keyless: options.keyless ?? { minute: 50 },
    keyed: options.keyed ?? { second: 20, minute: 500, month: 150_000 },
    ceilings: ceilingsFrom(options.ceilings ?? {}),
    keys: options.keys ?? [],
    unknownKey: options.unknownKey ?? 401,
    kindOf: (period) => (typeof windows === 'string' ? windows : (windows[period] ?? 'aligned')),
    charge: options.charge ?? 'before',
    countRefused: options.countRefused ?? false,
    costOf: costFrom(options),
    limited: limitedFrom(options.limited),
    headers: options.headers ?? {},
    reset: options.reset ?? 'epoch-seconds',
    latency: latencyFrom(options.latencyMs ?? 0, random),
    random,
    nodes: options.nodes ?? 1,
    logSize: keepLog === true ? Number.POSITIVE_INFINITY : Number(keepLog),
    info: options.info ?? 200,
    assetsOf: options.assetsOf ?? someAssets,
  };
}

function limitedFrom({
  status = 429,
  retryAfter = 'seconds',
  body = 'json',
}: LimitedOptions = {}): ServiceSettings['limited'] {
  return { status, retryAfter, body };
}

/** Ceilings as limits of one period each. */
export function ceilingsFrom(ceilings: NonNullable<MockServiceOptions['ceilings']>): ServiceSettings['ceilings'] {
  return Object.fromEntries(Object.entries(ceilings).map(([name, { limit, period }]) => [name, { [period]: limit }]));
}

function costFrom({ cost = {}, headCost }: MockServiceOptions): ServiceSettings['costOf'] {
  const costOf = typeof cost === 'function' ? cost : ({ endpoint }: CostQuestion) => cost[endpoint] ?? 1;
  return (request) => (request.method === 'HEAD' && headCost !== undefined ? headCost : costOf(request));
}
