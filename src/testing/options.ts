import type { Clock } from '../clock.ts';
import { someAssets } from './assets.ts';
import { SERVICE_PERIODS, type ServicePeriod } from './calendar.ts';
import { checkEach, checkedOptions, checkValue, OPTION_RULES, UNITS } from './checked-options.ts';
import type { ResetStyle, ServiceHeaderOptions } from './headers.ts';
import { didYouMean } from './known-names.ts';
import { type Latency, type LatencyOption, latencyFrom, seeded } from './latency.ts';
import type { ServiceLimits } from './ledger.ts';
import { ownRoutes } from './own-routes.ts';
import type { RouteName } from './request.ts';
import { type RouteHandler, Routes, type ServiceEndpoint } from './routes.ts';
import type { WindowKind } from './windows/kinds.ts';

/** Properties of a request that its cost may depend on. */
export interface CostQuestion {
  readonly method: string;
  readonly endpoint: ServiceEndpoint;
  readonly url: URL;
}

/** The response to a refused request. */
export interface LimitedOptions {
  /** Default: 429. */
  readonly status?: 429 | 403 | 503 | undefined;
  /**
   * `retry-after`: whole seconds, rounded up; an HTTP-date; no such header; a fixed number of seconds; or any text.
   * Default: `'seconds'`.
   */
  readonly retryAfter?: 'seconds' | 'date' | 'none' | number | (() => string) | undefined;
  /** Default: `'json'`. */
  readonly body?: 'json' | 'text' | 'html' | 'empty' | undefined;
}

/** A family of windows, which headers such as `x-ratelimit-remaining-<family>-minute` name. */
export interface FamilyOptions {
  /** Limits of all callers without a key together, in units. Default: none. */
  readonly keyless?: ServiceLimits | undefined;
  /** Limits of each key, in units. Default: none. */
  readonly keyed?: ServiceLimits | undefined;
  /** Cost of a request in units of this family; `undefined` if it does not count there. Default: 1. */
  readonly cost?: ((request: CostQuestion) => number | undefined) | undefined;
}

/** Options of the mock service. The defaults imitate the real service, as far as it is known. */
export interface MockServiceOptions<Route extends RouteName = RouteName> {
  /** Default: real time. */
  readonly clock?: Clock | undefined;
  /** Initial lead of the service's clock over the wall time of `clock`, in milliseconds. Default: 0. */
  readonly skewMs?: number | undefined;
  /** The origin of the service for `fetch` and for the handlers of `stacks-quota/testing/msw`. Default: `https://api.mock.test`. */
  readonly origin?: string | undefined;
  /** Limits of all callers without a key together, in units. Default: 50 a minute. */
  readonly keyless?: ServiceLimits | undefined;
  /** Limits of each key, in units. Default: 20 a second, 500 a minute, 150,000 a month. */
  readonly keyed?: ServiceLimits | undefined;
  /** Further families of windows, beside `stacks`, by name. A response names those that its request counts in. Default: none. */
  readonly families?: Readonly<Record<string, FamilyOptions>> | undefined;
  /**
   * Answers for further endpoints, by method and path: `'GET /extended/v2/blocks/{height}': ({ params }) => ({ height: params.height })`.
   * The gateway counts and refuses their requests like all others. A path without a route is a 404, another method a 405.
   */
  readonly routes?: { readonly [R in Route]: RouteHandler<R> } | undefined;
  /** Limits of single endpoints in addition to the quota, in requests of one key. Default: none. */
  readonly ceilings?: Readonly<Record<string, { readonly limit: number; readonly period: ServicePeriod }>> | undefined;
  /** Keys that exist from the start. Default: none. */
  readonly keys?: readonly string[] | undefined;
  /** Treatment of an unknown or revoked key: this status, or as a request without a key. Default: 401. */
  readonly unknownKey?: 'keyless' | 401 | 403 | undefined;
  /** Shape of the windows, for all periods or by period. Default: `'aligned'`. */
  readonly windows?: WindowKind | { readonly [P in ServicePeriod]?: WindowKind } | undefined;
  /**
   * When usage is booked. `'before'`: on arrival; a request that does not fit is refused. `'after'`: when the response is sent, as in
   * Kong's response-ratelimiting; a request is refused only if nothing remains, so costly and concurrent requests overshoot.
   * Default: `'before'`.
   */
  readonly charge?: 'before' | 'after' | undefined;
  /** Whether refused requests are charged, too. Default: false. */
  readonly countRefused?: boolean | undefined;
  /**
   * Cost of a request in units: by endpoint, such as `assets` or the name of a route; or a function, which returns `undefined` for
   * requests that do not count. Default: 1.
   */
  readonly cost?:
    | (((request: CostQuestion) => number | undefined) | { readonly [E in ServiceEndpoint]?: number })
    | undefined;
  /** Cost of a HEAD request in units. Default: that of the GET. */
  readonly headCost?: number | undefined;
  /** The response to a refused request. */
  readonly limited?: LimitedOptions | undefined;
  /** The headers that are sent. */
  readonly headers?: ServiceHeaderOptions | undefined;
  /** Format of `ratelimit-reset`. Default: `'epoch-seconds'`. */
  readonly reset?: ResetStyle | undefined;
  /** Duration of an exchange in milliseconds: fixed, between two bounds, or by a function. Default: 0. */
  readonly latencyMs?: LatencyOption | undefined;
  /** Random numbers from 0 to 1 for latencies and new keys. Default: the same sequence in every run. */
  readonly random?: (() => number) | undefined;
  /** Number of gateway nodes that take turns, each with its own counters. Default: 1. */
  readonly nodes?: number | undefined;
  /** Whether to log all requests, or the number of latest ones to log. Default: true. */
  readonly keepLog?: boolean | number | undefined;
  /** Status of `/extended/v1/info`; the real service reportedly answers 404. Default: 200. */
  readonly info?: 200 | 404 | undefined;
  /** Number of events of an address. Default: 0 to 149, by the address. */
  readonly assetsOf?: ((address: string) => number) | undefined;
}

/** A family of windows. */
export interface Family {
  readonly name: string;
  readonly keyless: ServiceLimits;
  readonly keyed: ServiceLimits;
  readonly costOf: (request: CostQuestion) => number | undefined;
}

/** The options with defaults. */
export interface ServiceSettings {
  readonly clock: Clock;
  readonly skewMs: number;
  readonly origin: string;
  /** The family `stacks` first. */
  readonly families: readonly Family[];
  readonly ceilings: Readonly<Record<string, ServiceLimits>>;
  readonly routes: Routes;
  readonly keys: readonly string[];
  readonly unknownKey: 'keyless' | 401 | 403;
  readonly kindOf: (period: ServicePeriod) => WindowKind;
  readonly charge: 'before' | 'after';
  readonly countRefused: boolean;
  readonly limited: { readonly [Option in keyof LimitedOptions]-?: NonNullable<LimitedOptions[Option]> };
  readonly headers: ServiceHeaderOptions;
  readonly reset: ResetStyle;
  readonly latency: () => Latency;
  readonly random: () => number;
  readonly nodes: number;
  readonly logSize: number;
}

/** Real time; implemented again here, because the mock shares no code with the client. */
const realClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  timer(ms, fire) {
    const timeout = setTimeout(fire, ms);
    return () => clearTimeout(timeout);
  },
};

/** Adds defaults. */
export function settingsFrom(given: MockServiceOptions): ServiceSettings {
  const options = checkedOptions(given, OPTION_RULES);
  const random = options.random ?? seeded(1);
  const { windows = 'aligned', keepLog = true } = options;
  const routes = new Routes(
    ownRoutes(options.info ?? 200, options.assetsOf ?? someAssets),
    (options.routes ?? {}) as Readonly<Record<string, RouteHandler>>,
  );
  return {
    clock: options.clock ?? realClock,
    skewMs: options.skewMs ?? 0,
    origin: new URL(options.origin ?? 'https://api.mock.test').origin,
    families: familiesFrom(options, routes),
    ceilings: ceilingsFrom(options.ceilings ?? {}, routes),
    routes,
    keys: options.keys ?? [],
    unknownKey: options.unknownKey ?? 401,
    kindOf: (period) => (typeof windows === 'string' ? windows : (windows[period] ?? 'aligned')),
    charge: options.charge ?? 'before',
    countRefused: options.countRefused ?? false,
    limited: limitedFrom(options.limited),
    headers: options.headers ?? {},
    reset: options.reset ?? 'epoch-seconds',
    latency: latencyFrom(options.latencyMs ?? 0, random),
    random,
    nodes: options.nodes ?? 1,
    logSize: keepLog === true ? Number.POSITIVE_INFINITY : Number(keepLog),
  };
}

function limitedFrom({
  status = 429,
  retryAfter = 'seconds',
  body = 'json',
}: LimitedOptions = {}): ServiceSettings['limited'] {
  return { status, retryAfter, body };
}

/** Endpoint limits as limits of one period each. */
export function ceilingsFrom(
  ceilings: NonNullable<MockServiceOptions['ceilings']>,
  routes: Routes,
): ServiceSettings['ceilings'] {
  checkEach('ceilings', ceilings);
  checkEndpoints('ceilings', ceilings, routes);
  const limitsOf = ([name, { limit, period }]: [string, { limit: number; period: ServicePeriod }]) => {
    if (limit === undefined || period === undefined)
      throw new Error(`ceilings.${name} must have a limit and a period, such as { limit: 100, period: "minute" }.`);
    return [name, checkedLimits(`ceilings.${name}`, { [period]: limit })] as const;
  };
  return Object.fromEntries(Object.entries(ceilings).map(limitsOf)) as ServiceSettings['ceilings'];
}

/** An error names the first endpoint that there is no route for; a path stands for requests that have none. */
function checkEndpoints(option: string, byEndpoint: object, { endpoints }: Routes): void {
  for (const name of Object.keys(byEndpoint)) {
    if (name.startsWith('/') || endpoints.includes(name)) continue;
    const known = `it may have ${endpoints.join(', ')}, or a path`;
    throw new Error(`${option} has an endpoint without a route, "${name}": ${known}.${didYouMean(name, endpoints)}`);
  }
}

/** Limits as given; an error names the one that no service can have. */
export function checkedLimits<L extends ServiceLimits | undefined>(option: string, limits: L): L {
  for (const [period, limit] of Object.entries(limits ?? {})) {
    if (!SERVICE_PERIODS.includes(period as ServicePeriod))
      throw new Error(
        `${option} has no period "${period}": it may have ${SERVICE_PERIODS.join(', ')}.${didYouMean(period, SERVICE_PERIODS)}`,
      );
    if (limit !== undefined && !(typeof limit === 'number' && limit >= 0))
      throw new Error(`${option}.${period} must be 0 units or more, not ${limit}.`);
  }
  return limits;
}

function familiesFrom(options: MockServiceOptions, routes: Routes): Family[] {
  const keyless = checkedLimits('keyless', options.keyless) ?? { minute: 50 };
  const keyed = checkedLimits('keyed', options.keyed) ?? { second: 20, minute: 500, month: 150_000 };
  const others = Object.entries(options.families ?? {}).map(
    ([name, { keyless = {}, keyed = {}, cost = () => 1 }]): Family => ({
      name,
      costOf: cost,
      keyless: checkedLimits(`families.${name}.keyless`, keyless),
      keyed: checkedLimits(`families.${name}.keyed`, keyed),
    }),
  );
  return [{ name: 'stacks', keyless, keyed, costOf: costFrom(options, routes) }, ...others];
}

function costFrom({ cost = {}, headCost }: MockServiceOptions, routes: Routes): Family['costOf'] {
  if (typeof cost !== 'function') {
    checkEndpoints('cost', cost, routes);
    for (const [name, units] of Object.entries(cost)) if (units !== undefined) checkValue(`cost.${name}`, units, UNITS);
  }
  const costOf = typeof cost === 'function' ? cost : ({ endpoint }: CostQuestion) => cost[endpoint] ?? 1;
  return (request) => (request.method === 'HEAD' && headCost !== undefined ? headCost : costOf(request));
}
