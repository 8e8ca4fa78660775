import type { QuotaSnapshot } from './headers/snapshot.ts';

/** What the line asks of the pacer: may this request go? */
export interface Ask {
  /** The endpoint by which costs are learned, for example `GET /extended/v1/info`. */
  readonly endpoint: string;
  /** What the request will cost, in units, where the caller knows better than experience. */
  readonly cost?: number | undefined;
  /** Higher goes first, and finds something kept back for it. Default: 0. */
  readonly priority?: number;
  /** The priority by which something is kept back for it, where it has waited for so long that this is more than its own. */
  readonly urgency?: number;
  /** How long the caller will wait for quota, in milliseconds; a longer wait is refused at once. */
  readonly maxWaitMs: number;
}

/**
 * What holds a request back:
 * - `window`: a window has too few units left, or is spent evenly while its shape is unknown.
 * - `share`: this process's share of a window, where several processes share one quota, is spent.
 * - `cooldown`: the service asked for a pause, by `retry-after`, by a reset or by refusing a request.
 * - `outage`: the last requests all failed, so the service is left alone for a moment.
 * - `concurrency`: as many requests as the option allows are in flight.
 * - `slow-start`: no answer has named a limit yet, so few requests may be in flight.
 * - `first-cost`: the cost of the endpoint is unknown, so its first answer is awaited.
 * - `half-open`: a pause is over, and one request goes first to see whether the service accepts it.
 * - `reserve`: the option `reserve` keeps what is left for calls of a higher priority, or spreads the month.
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

/** What a request waits for. */
export interface Reason {
  /** What holds it back. */
  readonly kind: ReasonKind;
  /** A sentence for people. */
  readonly why: string;
  /** The window that binds, such as `minute`, or `endpoint` for the one that `ratelimit-*` describes. */
  readonly window?: string;
  /** Units that the window holds in all. */
  readonly limit?: number;
  /** Units of the window that are left by our own reckoning. */
  readonly headroom?: number;
}

/** The pacer's answer to an ask. Instants are monotonic milliseconds. */
export type Admission =
  | { readonly kind: 'granted'; readonly lease: Lease }
  | {
      readonly kind: 'wait';
      /** Ask again at this instant. */
      readonly until: number;
      /** Ask again, too, when anything comes back: its answer may shorten the wait. */
      readonly onSettle: boolean;
      /** Since when this has held requests back, where that counts as waiting; left out: from now on. */
      readonly standsSince?: number | undefined;
      readonly reason: Reason;
    }
  | { readonly kind: 'refused'; readonly until: number; readonly reason: Reason };

/** A grant: the right to send one request, and the units held for it until it is settled. */
export interface Lease {
  readonly endpoint: string;
  /** When it was granted, so the earliest instant at which the request can have arrived. */
  readonly sentAt: number;
  /** Units held for it. */
  readonly units: number;
}

/** How a granted request ended: answered, lost (no answer, but the service may have counted it) or unsent (it certainly never left). `failed`: the way to the service did, and not the caller's patience. */
export type RequestOutcome =
  | {
      readonly kind: 'answered';
      readonly quota: QuotaSnapshot;
      /** Whether the service refused it because of a limit. */
      readonly limited: boolean;
      /** Whether only a gateway answered, because the service did not. */
      readonly failed?: boolean;
    }
  | { readonly kind: 'lost'; readonly failed?: boolean }
  | { readonly kind: 'unsent'; readonly failed?: boolean };

/** What a request would take. */
export interface Charge {
  readonly endpoint: string;
  readonly units: number;
  readonly priority: number;
  /** What of the learned reserve it finds; left out: by its priority. */
  readonly urgency?: number | undefined;
}

/** One thing that may hold a request back. The pacer takes the latest answer, and the limit that gave it is the reason. */
export interface Limit {
  /** The earliest instant at which this limit can bear the charge; `now` or earlier: at once; Infinity: never. */
  earliest(charge: Charge, now: number): number;
  /** Whether only time can help, and nothing that comes back. */
  isFirm(charge: Charge, now: number): boolean;
  /** Since when it has held requests back, where that counts as waiting; undefined, or left out: from now on. */
  standsSince?(): number | undefined;
  /** Why it does not bear the charge now. */
  explain(charge: Charge, now: number): Reason;
}
