import type { MockServiceOptions, ServiceLimits } from '../../src/testing/index.ts';
import type { Distance } from './latencies.ts';

/** One call. */
export interface Errand {
  readonly endpoint: 'info' | 'assets';
  /** For `assets`: the page size, on which the cost may depend. */
  readonly page: number;
  /** For `assets`: how many events are skipped. Omitted: none. */
  readonly offset?: number;
  /** Higher numbers go first. */
  readonly priority: number;
}

/** Calls that arrive at random during the bulk. */
export interface Stream {
  readonly priority: number;
  readonly perSecond: number;
  /** How long they arrive if there is no bulk, in milliseconds. */
  readonly forMs?: number;
}

/**
 * How another consumer spends.
 *
 * - `steady`: at random instants. A refused request is not repeated.
 * - `phases`: the same, at twice the rate for 45 s and not at all for the next 45 s.
 * - `eager`: its requests of a whole minute from that minute's first moment, ten at a time, until all are served.
 * - `backlogged`: as `steady`, but what is refused waits and is repeated, four requests at a time.
 */
export type Manner = 'steady' | 'phases' | 'eager' | 'backlogged';

/** Another consumer of the same quota. */
export interface Others {
  /** Requests per second, on average. */
  readonly perSecond: number;
  /** Default: `steady`. */
  readonly manner?: Manner;
  /** Requests per arrival. Default: 1. */
  readonly atOnce?: number;
}

/** A change of the service during the run. */
export interface Change {
  readonly atMs: number;
  /** The new limits. */
  readonly limits?: ServiceLimits;
  /** The new lead of the service's clock, in milliseconds. */
  readonly skewMs?: number;
}

/** Probability of each fault, from 0 to 1. All but resets are charged. */
export interface FaultRates {
  readonly hang?: number;
  readonly lost?: number;
  readonly reset?: number;
  readonly serverError?: number;
  readonly noQuotaHeaders?: number;
}

/** A period of time, in milliseconds from the start. */
export interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * The promise for a scenario.
 *
 * - `honest`: the service does what its headers say, and there are no other consumers: no refusals, all quota used.
 * - `turn`: the service or the machine changes during the run, so a few refusals are unavoidable.
 * - `faults`: connections break: no call gets stuck.
 * - `company`: there are other consumers: all quota is used together, with few refusals.
 * - `strangers`: there is another consumer: what it leaves is used, with few refusals.
 * - `crowd`: clients with the same key do not communicate: all quota is used together, with few refusals.
 * - `crowd, sliding`: the same in a window that slides.
 * - `month`: the month ends: no request after the first refusal.
 * - `urgent`: urgent calls beside a bulk: short waits, and little loss for the bulk.
 */
export type Promised =
  | 'honest'
  | 'turn'
  | 'faults'
  | 'company'
  | 'strangers'
  | 'crowd'
  | 'crowd, sliding'
  | 'month'
  | 'urgent';

/** A service, the load, and disturbances. */
export interface Scenario {
  readonly name: string;
  /** Description, if the name is not enough. */
  readonly about?: string;
  readonly promised: Promised;
  /** Whether all contenders run it. */
  readonly isCompared?: boolean;
  /** Whether it runs only with `--deep`, or if `--only` names it: one of many like another. */
  readonly isDeep?: boolean;
  /** The true limits, in units. */
  readonly limits: ServiceLimits;
  /** Default: the calendar's. */
  readonly windows?: MockServiceOptions['windows'];
  /** Further options of the service. */
  readonly service?: Omit<MockServiceOptions, 'clock' | 'keyed' | 'keyless' | 'latencyMs' | 'random' | 'windows'>;
  /** Headers that no answer has, although the service would send them. */
  readonly hidden?: readonly string[];
  readonly distance?: Distance;
  /** Number of calls made at the start. */
  readonly bulk: number;
  /** How often the bulk comes, as of a job that runs at intervals, and how long after the one before. Default: once. */
  readonly repeated?: { readonly times: number; readonly everyMs: number };
  /** The calls of the bulk, by place. Default: the info endpoint. */
  readonly errand?: (index: number, random: () => number) => Partial<Errand>;
  readonly streams?: readonly Stream[];
  /** Number of clients with the same key; unless `isShared` they do not communicate. Default: 1. */
  readonly clients?: number;
  /** Whether they share the quota through a store, as through Redis. Default: false. */
  readonly isShared?: boolean;
  /** Whether calls have no key. Default: false. */
  readonly keyless?: boolean;
  /** Units used before the start, and how long before, in milliseconds. */
  readonly spent?: { readonly units: number; readonly agoMs: number };
  readonly others?: Others;
  readonly faults?: FaultRates;
  /** The period in which every connection breaks. */
  readonly outage?: Stretch;
  readonly changes?: readonly Change[];
  /** The period in which the machine is suspended: no timer fires and no response is read; its monotonic clock may stand still. */
  readonly suspended?: Stretch & { readonly standsStill: boolean };
  /** The start, in milliseconds since the Unix epoch. Default: in the first half of a minute, by the seed. */
  readonly startsAt?: number;
  /** Whether it starts in the second half of a minute instead. */
  readonly startsLate?: boolean;
}
