import type { Lease, Limit } from './admission.ts';
import type { Shape } from './models/model.ts';
import type { Period } from './time/periods.ts';

/** Which shapes a window may still have. */
export interface Shapes {
  readonly alive: readonly Shape[];
  /** How often shapes that were ruled out have come back: what was believed before then no longer counts. */
  readonly epoch: number;
}

/** What an answer said of a window. Instants are monotonic milliseconds. */
export interface WindowNews {
  readonly period: Period;
  /** Units that the window holds in all. */
  readonly limit: number;
  /** Units that the service has counted in it, whoever sent them. */
  readonly used: number;
  readonly sentAt: number;
  readonly receivedAt: number;
  readonly shapes: Shapes;
}

/** What others who spend the same quota have found out. */
export interface SiblingFacts {
  readonly shapes?: readonly (Shapes & { readonly period: Period })[];
  /** What an endpoint costs, in units. */
  readonly costs?: readonly (readonly [endpoint: string, units: number])[];
  /** Until when the service wants nobody to come, in monotonic milliseconds. */
  readonly pausedUntil?: number;
  /** How far the service's clock is ahead of our monotonic one, in milliseconds. */
  readonly lead?: { readonly least: number; readonly most: number };
}

/**
 * Our part of every window, as one more limit: it holds back what our part does not cover.
 * The pacer tells it what becomes of requests, and what the service says.
 */
export interface ShareLimit extends Limit {
  /** Whether others spend the same quota, so that a reading counts what they spent. */
  readonly isShared: boolean;
  /** Whether they surely spend nothing just now, so that a reading counts what we spent alone. */
  readonly isAlone: boolean;
  /** Whether sibling processes may just have sent more than was granted, so that a refusal is no evidence of a shape. */
  isOverdrawn(now: number): boolean;
  /** Whether units are granted at present, so that no first answer need be awaited. */
  readonly isGranting: boolean;
  /** Whether grants include this window, so that the usage of all processes is reckoned with already. */
  covers(period: Period): boolean;
  /** Units of a window of `limit` that this process is likely to get. */
  likely(period: Period, limit: number, now: number): number;
  /** A request goes. */
  take(lease: Lease, now: number): void;
  /** It ended, and the service counted so many units for it, or may have. `isServed`: it was answered and not refused. */
  settle(lease: Lease, units: number, isServed: boolean, now: number): void;
  /** The service spoke of a window. */
  read(news: WindowNews): void;
  /** An endpoint showed what it costs, in units. */
  tellCost(endpoint: string, units: number): void;
  /** The service wants nobody to come until then. */
  tellPause(until: number): void;
}

/** The part of a process that has its key to itself: all of every window. */
export const wholeShareLimit: ShareLimit = {
  isShared: false,
  isAlone: true,
  isOverdrawn: () => false,
  isGranting: false,
  covers: () => false,
  likely: (_period, limit) => limit,
  check: () => undefined,
  take() {},
  settle() {},
  read() {},
  tellCost() {},
  tellPause() {},
};
