import type { QuotaSnapshot } from './headers/snapshot.ts';

/** The question to the pacer: may this request go? */
export interface Ask {
  /** The endpoint by which costs are learned, for example `GET /extended/v1/info`. */
  readonly endpoint: string;
  /** The cost of the request in units, if the caller states it. Default: learned. */
  readonly cost?: number | undefined;
  /** Higher goes first, and may use the reserve for its priority. Default: 0. */
  readonly priority?: number;
  /** Effective priority towards reserves; raised when the call is served by age. */
  readonly urgency?: number;
  /** The longest wait for quota, in milliseconds; a longer one is refused at once. */
  readonly maxWaitMs: number;
}

/**
 * What holds a request back:
 * - `window`: a window has too few units left, or requests are spaced evenly while its shape is unknown.
 * - `share`: this process's share of a window, where several processes share one quota, is used up.
 * - `cooldown`: the service asked for a pause, by `retry-after`, by a reset or by refusing a request.
 * - `outage`: the last requests all failed, so requests pause.
 * - `concurrency`: as many requests as the option allows are in flight.
 * - `slow-start`: no answer has named a limit yet, so only a few requests may be in flight.
 * - `first-cost`: the cost of the endpoint is unknown until its first answer.
 * - `half-open`: a pause is over, and one request probes whether the service accepts it.
 * - `reserve`: the option `reserve` keeps the rest for calls of a higher priority, or spreads the month.
 */
export type ReasonKind =
  | 'window'
  | 'share'
  | 'cooldown'
  | 'outage'
  | 'concurrency'
  | 'slow-start'
  | 'first-cost'
  | 'half-open'
  | 'reserve';

/** The reason for which a request waits. */
export interface Reason {
  /** The kind of limit that holds it back. */
  readonly kind: ReasonKind;
  /** A sentence for people. */
  readonly why: string;
  /** The limiting window, such as `minute`, or `endpoint` for the one that `ratelimit-*` describes. */
  readonly window?: string;
  /** Units that the window holds in all. */
  readonly limit?: number;
  /** Units of the window that are available by our own estimate. */
  readonly headroom?: number;
}

/** The pacer's answer to an ask. Instants are monotonic milliseconds. */
export type Admission =
  | { readonly kind: 'granted'; readonly lease: Lease }
  | {
      readonly kind: 'wait';
      /** Ask again at this instant. */
      readonly until: number;
      /** Whether to ask again when any request ends, because its answer may shorten the wait. */
      readonly onSettle: boolean;
      /** Since when this limit has held requests back, if that time counts towards `maxWaitMs`; omitted: since now. */
      readonly standsSince?: number | undefined;
      readonly reason: Reason;
    }
  | { readonly kind: 'refused'; readonly until: number; readonly reason: Reason };

/** A grant: the right to send one request, and the units held for it until it is settled. */
export interface Lease {
  readonly endpoint: string;
  /** When it was granted: the earliest instant at which the request can have arrived. */
  readonly sentAt: number;
  /** Units held for it. */
  readonly units: number;
}

/**
 * How a granted request ended: answered, lost (no answer, but the service may have counted it) or unsent (it certainly never left).
 * `failed`: the connection or the service failed, as opposed to an abort by the caller.
 */
export type RequestOutcome =
  | {
      readonly kind: 'answered';
      readonly quota: QuotaSnapshot;
      /** Whether the service refused it because of a limit. */
      readonly limited: boolean;
      /** Whether a gateway answered on behalf of a service that did not. */
      readonly failed?: boolean;
    }
  | { readonly kind: 'lost'; readonly failed?: boolean }
  | { readonly kind: 'unsent'; readonly failed?: boolean };

/** The units that a request would take, and from whom. */
export interface Charge {
  readonly endpoint: string;
  readonly units: number;
  readonly priority: number;
  /** Effective priority towards the learned reserve; omitted: `priority`. */
  readonly urgency?: number | undefined;
}

/** One rule that may hold a request back. The pacer takes the latest instant; the limit that returned it gives the reason. */
export interface Limit {
  /** The earliest instant at which the charge fits; `now` or earlier: at once; Infinity: never. */
  earliest(charge: Charge, now: number): number;
  /** Whether only time can end the wait, and no answer. */
  isFirm(charge: Charge, now: number): boolean;
  /** Since when it has held requests back, if that time counts towards `maxWaitMs`; undefined or omitted: since now. */
  standsSince?(): number | undefined;
  /** Why the charge does not fit now. */
  explain(charge: Charge, now: number): Reason;
}
