import type { QuotaSnapshot } from './headers/snapshot.ts';

/** The question to the pacer: may this request go? */
export interface Ask {
  /** The endpoint by which costs are learned, for example `GET /extended/v1/info`. */
  readonly endpoint: string;
  /** The query of its URL, without the question mark: costs may depend on its parameters. Default: empty. */
  readonly query?: string | undefined;
  /** The cost of the request in units, if the caller states it. Default: learned. */
  readonly cost?: number | undefined;
  /** Higher goes first, and may use the reserve for its priority. Default: 0. */
  readonly priority?: number;
  /** Effective priority towards reserves; raised when the call is served by age. */
  readonly urgency?: number;
  /** The longest wait for quota, in milliseconds. */
  readonly maxWaitMs: number;
  /** Whether the request only inspects the quota: it passes pauses and full windows, a few seconds apart. */
  readonly isInspection?: boolean;
  /** Whether its body can be read only once: then it is sent once, and never as a trial. */
  readonly isOneShot?: boolean;
}

/**
 * What holds a request back:
 * - `window`: a window has too few units left, or requests are spaced evenly while its shape is unknown.
 * - `share`: this process's share of a window, where several processes share one quota, is used up.
 * - `cooldown`: the service asked for a pause, by `retry-after`, by a reset or by refusing a request.
 * - `outage`: the last requests all failed, so requests pause.
 * - `concurrency`: as many requests as the option allows are in flight.
 * - `slow-start`: no answer has named a limit yet, so only a few requests may be in flight and, once some were refused, go no faster than was served.
 * - `first-cost`: the cost of the endpoint is unknown until its first answer.
 * - `half-open`: a pause is over, and one request probes whether the service accepts it.
 * - `reserve`: the option `reserve` keeps the rest for calls of a higher priority, or spreads the month.
 * - `paused`: the client is paused, by `client.pause`.
 * - `inspection`: inspections of the quota that pass a pause or a full window follow each other a few seconds apart.
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
  | 'reserve'
  | 'paused'
  | 'inspection';

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
  /** Ask again at the end of the hold, if it has one. */
  | { readonly kind: 'wait'; readonly hold: Hold };

/** A grant: the right to send one request, and the units held for it until it is settled. */
export interface Lease {
  readonly endpoint: string;
  readonly query?: string | undefined;
  /** When it was granted: the earliest instant at which the request can have arrived. */
  readonly sentAt: number;
  /** Units held for it. */
  readonly units: number;
  /** Whether it goes although a refusal is expected: an inspection, or an hourly trial. */
  readonly isExempt?: boolean;
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
      /** Its status, for people. */
      readonly code?: string | undefined;
    }
  | ({ readonly kind: 'lost' } & RequestFailure)
  | ({ readonly kind: 'unsent' } & RequestFailure);

/** How a request without an answer failed. */
interface RequestFailure {
  readonly failed?: boolean;
  /** The error code, such as `ECONNREFUSED`, for people. */
  readonly code?: string | undefined;
}

/** The units that a request would take, and what decides whether it may. */
export interface Charge {
  readonly endpoint: string;
  readonly query?: string | undefined;
  /** Units to hold. */
  readonly units: number;
  /** Whether the caller states the units. Default: they are learned. */
  readonly isStated?: boolean | undefined;
  /** Units that such requests have taken at least, where that was learned. */
  readonly least?: number | undefined;
  /** Units to space requests by; omitted: `units`. */
  readonly likely?: number | undefined;
  readonly priority: number;
  /** Effective priority towards the learned reserve; omitted: `priority`. */
  readonly urgency?: number | undefined;
  /** The longest wait for quota, in milliseconds; omitted: any. */
  readonly maxWaitMs?: number | undefined;
  /** For how long its call has waited, in milliseconds; omitted: not at all. */
  readonly waitedMs?: number | undefined;
}

/** Units that a charge takes of a window of `limit` units: one that is larger goes alone into an empty one. */
export function unitsOf({ units }: Charge, limit: number): number {
  return Math.min(units, limit);
}

/** How long a limit holds a charge back, and what can end that. Decisions are made by these facts, never by the reason. */
export interface Hold {
  /** The earliest instant at which the charge may fit, later than now; Infinity: never. */
  readonly until: number;
  /** Whether the charge cannot fit before, even if answers arrive: only time ends the hold. */
  readonly isFirm: boolean;
  /** Whether to ask again whenever a request ends: even a firm hold may rest on an estimate that an answer corrects. */
  readonly mayEndOnAnswer: boolean;
  /** `endpoint`: calls of other endpoints pass the one that is held. */
  readonly scope: 'all' | 'endpoint';
  /** Units of the charge that is held, if calls of fewer units pass it, because that does not delay it. */
  readonly passableUnits?: number | undefined;
  /** Whether a call of higher priority passes the one that is held, however long that one has waited. */
  readonly yieldsToPriority: boolean;
  /** Since when requests, or trips to the store of a share, have failed or were refused in a row, where that is the cause: that time counts towards `maxWaitMs`. */
  readonly failingSince?: number | undefined;
  /** Whether the cause is that the service cannot be reached, and no lack of quota. */
  readonly isOutage?: boolean | undefined;
  /** The reason, for people; to be called at the instant of the check. */
  reason(): Reason;
}

/** One rule that may hold a request back. Of several holds the one that lasts longest counts. */
export interface Limit {
  /** What holds the charge back at `now`; undefined: nothing, it fits. */
  check(charge: Charge, now: number): Hold | undefined;
}

/** A hold until `until`: of any endpoint, not firm, and one that an answer may end, unless `facts` say otherwise. */
export function holdUntil(
  until: number,
  reason: () => Reason,
  facts: Partial<Omit<Hold, 'until' | 'reason'>> = {},
): Hold {
  return { until, isFirm: false, mayEndOnAnswer: true, scope: 'all', yieldsToPriority: false, reason, ...facts };
}

/** The hold; if an endpoint is given, of its calls alone, so that those of others pass. */
export function within(endpoint: string | undefined, hold: Hold | undefined): Hold | undefined {
  return hold && endpoint !== undefined ? { ...hold, scope: 'endpoint' } : hold;
}

/** The hold that lasts longest: `hold`, or one of these limits'. */
export function longestHold(limits: readonly Limit[], charge: Charge, now: number, hold?: Hold): Hold | undefined {
  let longest = hold;
  for (const limit of limits) {
    const other = limit.check(charge, now);
    if (other && (!longest || other.until > longest.until)) longest = other;
  }
  return longest;
}
