import type { MockServiceOptions, ServiceLimits, ServicePeriod, WindowKind } from '../../src/testing/index.ts';
import type { Distance } from './latencies.ts';

/** One call to be made. */
export interface Errand {
  readonly endpoint: 'info' | 'assets';
  /** Of `assets`: how many a page holds, which its cost may depend on. */
  readonly page: number;
  /** Higher goes first. */
  readonly priority: number;
}

/** Calls that come by and by, at random, while the bulk is under way. */
export interface Stream {
  readonly priority: number;
  readonly perSecond: number;
  /** How long they come where there is no bulk, in milliseconds. */
  readonly forMs?: number;
}

/** Somebody else who spends the same quota, and gives up what is refused. */
export interface Others {
  /** Requests a second, at random. */
  readonly perSecond: number;
  /** As many at a time. Default: 1. */
  readonly atOnce?: number;
}

/** Something that happens to the service while the calls are made. */
export interface Change {
  readonly atMs: number;
  /** The limits from then on. */
  readonly limits?: ServiceLimits;
  /** How far the service's clock is ahead from then on, in milliseconds. */
  readonly skewMs?: number;
}

/** How often a request meets a fault, from 0 to 1. All but resets are charged. */
export interface FaultRates {
  readonly hang?: number;
  readonly lost?: number;
  readonly reset?: number;
  readonly serverError?: number;
  readonly noQuotaHeaders?: number;
}

/** A stretch of time, in milliseconds from the start. */
export interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * What is promised of a scenario.
 *
 * - `honest`: a service that does what its headers say, all to ourselves: never limited, all of its quota used.
 * - `turn`: the service or the machine changes underway, so a few refusals cannot be foreseen.
 * - `faults`: connections break: never stuck.
 * - `company`: others spend the same quota: both together use it, and we are seldom limited.
 * - `month`: the month ends: no request after the first refusal.
 * - `urgent`: urgent calls beside a bulk: they hardly wait, and the bulk hardly suffers.
 */
export type Promised = 'honest' | 'turn' | 'faults' | 'company' | 'month' | 'urgent';

/** A service, the work to be done there, and what comes in between. */
export interface Scenario {
  readonly name: string;
  /** What it is like, where the name does not say. */
  readonly about?: string;
  readonly promised: Promised;
  /** Whether the others have a try at it, too. */
  readonly isCompared?: boolean;
  /** The true limits, in units. */
  readonly limits: ServiceLimits;
  readonly windows?: WindowKind;
  /** Whatever else the service is like. */
  readonly service?: Omit<MockServiceOptions, 'clock' | 'keyed' | 'keyless' | 'latencyMs' | 'random' | 'windows'>;
  readonly distance?: Distance;
  /** Calls that are all there from the start. */
  readonly bulk: number;
  /** What the bulk asks for, by its place in it. Default: the info endpoint. */
  readonly errand?: (index: number, random: () => number) => Partial<Errand>;
  readonly streams?: readonly Stream[];
  /** Clients that share the key and, unless `isShared`, know nothing of each other. Default: 1. */
  readonly clients?: number;
  /** Whether they share the quota through a store, as processes do through Redis. Default: false. */
  readonly isShared?: boolean;
  /** Without a key. Default: false. */
  readonly keyless?: boolean;
  /** Units that were used before the start, and how long before, in milliseconds. */
  readonly spent?: { readonly units: number; readonly agoMs: number };
  readonly others?: Others;
  readonly faults?: FaultRates;
  /** While it lasts, every connection breaks. */
  readonly outage?: Stretch;
  readonly changes?: readonly Change[];
  /** While the machine is suspended no timer fires and no answer is read; its monotonic clock stands still, or not. */
  readonly suspended?: Stretch & { readonly standsStill: boolean };
  /** When it starts, in milliseconds since the Unix epoch. Default: somewhere in the first part of a window, by the seed. */
  readonly startsAt?: number;
  /** The window that binds in the long run. Default: the longest. */
  readonly binding?: ServicePeriod;
}
