import type { Lease, Limit } from './admission.ts';
import type { Shape } from './models/model.ts';
import type { Period } from './time/periods.ts';

/** Which shapes a window may still have. */
export interface Shapes {
  readonly alive: readonly Shape[];
  /** How often eliminated shapes were re-admitted. Facts of an older epoch are ignored. */
  readonly epoch: number;
}

/** A reading of a window, with the shapes it may have. Instants are monotonic milliseconds. */
export interface WindowNews {
  readonly period: Period;
  /** Units that the window holds in all. */
  readonly limit: number;
  /** Units that the service has counted in it, those of other consumers included. */
  readonly used: number;
  /** Units of the request itself that was answered. */
  readonly own: number;
  /** Whether the service refused that request, and no limit forbade it. */
  readonly isRefused: boolean;
  readonly sentAt: number;
  readonly receivedAt: number;
  readonly shapes: Shapes;
}

/** Facts about the service from sibling processes. */
export interface SiblingFacts {
  readonly shapes?: readonly (Shapes & { readonly period: Period })[];
  /** What an endpoint costs, in units. */
  readonly costs?: readonly (readonly [endpoint: string, units: number])[];
  /** The end of a pause that the service has ordered, in monotonic milliseconds. */
  readonly pausedUntil?: number;
  /** The last hourly trial of a sibling: when it was answered, in monotonic milliseconds, and whether it was served. */
  readonly trial?: { readonly at: number; readonly isServed: boolean };
  /** How far the service's clock is ahead of this process's monotonic clock, in milliseconds. */
  readonly lead?: { readonly least: number; readonly most: number };
}

/**
 * This process's share of every window, as one more limit: it holds a charge that the share does not cover. The pacer reports
 * every request, reading and pause to it.
 */
export interface ShareLimit extends Limit {
  /** Whether sibling processes use the same quota, so that a reading includes their units. */
  readonly isShared: boolean;
  /** Whether they certainly send nothing now, so that a reading includes the units of this process only. */
  readonly isAlone: boolean;
  /** Whether more of a window may have been used lately than was granted, by siblings or by others, so that a refusal is no evidence of its shape. */
  isOverdrawn(period: Period, now: number): boolean;
  /** Whether units are granted now, so that no first answer has to be awaited. */
  readonly isGranting: boolean;
  /** Whether grants account for this window, so that they include the usage of all processes. */
  covers(period: Period): boolean;
  /** Units of a window of `limit` that this process is likely to get. */
  likely(period: Period, limit: number, now: number): number;
  /** A request is sent. */
  onSent(lease: Lease, now: number): void;
  /** A request ended; `units`: what the service counted for it, or may have counted. `isServed`: it was answered and not refused. */
  onEnded(lease: Lease, units: number, isServed: boolean, now: number): void;
  /** A reading of a window arrived. */
  read(news: WindowNews): void;
  /** The cost of an endpoint was learned, in units. */
  tellCost(endpoint: string, units: number): void;
  /** The service has ordered a pause until then. */
  tellPause(until: number): void;
  /**
   * Whether an hourly trial that is due may go: siblings do not try together, and what they have seen is known. If not, calls ask again then.
   *
   * @param isFollowing - whether a sibling's trial was served. If not, what siblings use is not used up, and there is none.
   */
  mayTry(now: number, isFollowing: boolean): boolean;
  /** An hourly trial was answered. */
  tellTrial(isServed: boolean): void;
}

/** The share of a process that has its key to itself: all of every window. */
export const wholeShareLimit: ShareLimit = {
  isShared: false,
  isAlone: true,
  isOverdrawn: () => false,
  isGranting: false,
  covers: () => false,
  likely: (_period, limit) => limit,
  check: () => undefined,
  onSent() {},
  onEnded() {},
  read() {},
  tellCost() {},
  tellPause() {},
  mayTry: () => true,
  tellTrial() {},
};
