import type { Clock } from '../clock.ts';
import type { ResetStyle, ServiceHeaderOptions } from './headers.ts';
import type { LatencyOption } from './latency.ts';
import type { ServicePeriod } from './limits/calendar.ts';
import type { ServiceLimits } from './limits/ledger.ts';
import type { WindowKind } from './limits/windows/kinds.ts';
import type { RouteName } from './routes/request.ts';
import type { RouteHandler, ServiceEndpoint } from './routes/routes.ts';

/** Properties of a request that its cost may depend on. */
export interface CostQuestion {
  readonly method: string;
  readonly endpoint: ServiceEndpoint;
  readonly url: URL;
}

/** The response to a refused request. */
export interface LimitedOptions {
  /** Status of a refusal. Default: 429. */
  readonly status?: 429 | 403 | 503 | undefined;
  /**
   * `retry-after`: whole seconds, rounded up; an HTTP-date; no such header; a fixed number of seconds; or any text.
   * Default: `'seconds'`.
   */
  readonly retryAfter?: 'seconds' | 'date' | 'none' | number | (() => string) | undefined;
  /** Body of a refusal. Default: `'json'`. */
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

/** Options of the mock service. The defaults imitate the real service, as far as it is known. An invalid or unknown one is an Error that names it. */
export interface MockServiceOptions<Route extends RouteName = RouteName> {
  /** The clock that the service's time, windows and latencies go by. Default: real time. */
  readonly clock?: Clock | undefined;
  /** Initial lead of the service's clock over the wall time of `clock`, in milliseconds; negative: it lags. Default: 0. */
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
   * The gateway counts and refuses their requests like all others. A path without a route is a 404, another method a 405. Default: none.
   */
  readonly routes?: { readonly [R in Route]: RouteHandler<R> } | undefined;
  /** Limits of single endpoints in addition to the quota, in requests of one key. Default: none. */
  readonly ceilings?: Readonly<Record<string, { readonly limit: number; readonly period: ServicePeriod }>> | undefined;
  /** Keys that exist from the start. Default: none. */
  readonly keys?: readonly string[] | undefined;
  /** Treatment of an unknown or revoked key: this status, or as a request without a key. Default: 401. */
  readonly unknownKey?: 'keyless' | 401 | 403 | undefined;
  /** Shape of the windows, for all periods or by period. Default: `'aligned'`. */
  readonly windows?: WindowKind | { readonly [P in ServicePeriod]?: WindowKind | undefined } | undefined;
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
    | (((request: CostQuestion) => number | undefined) | { readonly [E in ServiceEndpoint]?: number | undefined })
    | undefined;
  /** Cost of a HEAD request in units, 0 or more. Default: that of the GET. */
  readonly headCost?: number | undefined;
  /** The response to a refused request. Default: 429 with `retry-after` in seconds and a body of JSON. */
  readonly limited?: LimitedOptions | undefined;
  /** The headers that are sent. Default: all. */
  readonly headers?: ServiceHeaderOptions | undefined;
  /** Format of `ratelimit-reset`. Default: `'epoch-seconds'`. */
  readonly reset?: ResetStyle | undefined;
  /** Duration of an exchange in milliseconds, 0 or more: fixed, between two bounds, or by a function. Default: 0. */
  readonly latencyMs?: LatencyOption | undefined;
  /** Random numbers from 0 to 1 for latencies and new keys. Default: the same sequence in every run. */
  readonly random?: (() => number) | undefined;
  /** Number of gateway nodes that take turns, each with its own counters: a whole number, 1 or more. Default: 1. */
  readonly nodes?: number | undefined;
  /** Whether to log all requests, or the number of latest ones to log. Default: true. */
  readonly keepLog?: boolean | number | undefined;
  /** Status of `/extended/v1/info`; the real service reportedly answers 404. Default: 200. */
  readonly info?: 200 | 404 | undefined;
  /** Number of events of an address. Default: 0 to 149, by the address. */
  readonly assetsOf?: ((address: string) => number) | undefined;
}
