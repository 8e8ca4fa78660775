import type { PlanEstimate } from '../../quota/forecast/estimate.ts';

/** When calls would be sent behind those that wait, and answered. */
export type QueueEstimate = Pick<PlanEstimate, 'at' | 'sentAt' | 'window' | 'windowMs'>;

/** An estimate is reused while less than this part of the work ahead has come or gone since. */
const NEARLY_THE_SAME = 1 / 256;

/** And for no longer than this, in milliseconds: answers may have changed what is known. */
const KEPT_MS = 250;

/** With less work ahead than this, in units, no estimate is reused: one more call may take one more window, and simulating takes less than a millisecond. */
const LEAST_AHEAD = 8_192;

/** Estimates that are kept. */
const MOST_SUBJECTS = 64;

/**
 * `likely`: by average costs. `sure`: by no more than calls surely cost. `best`: by average costs, and the soonest that any candidate shape allows
 * if the calls that cost more are passed.
 */
export type Reckoning = 'likely' | 'sure' | 'best';

/** What is estimated: for other calls, another key, pause or concurrency it is another estimate. */
export interface EstimateSubject {
  readonly endpoint: string | undefined;
  readonly priority: number;
  readonly count: number;
  /** What one call costs, as a power of two. */
  readonly size: number;
  readonly reckoning: Reckoning;
  /** The number of the key. */
  readonly key: number | undefined;
  readonly pausedUntil: number;
  readonly concurrency: number;
}

/** When an estimate is made, and behind how much work. */
export interface EstimateBasis {
  readonly now: number;
  /** All work that has come and gone so far, in units. */
  readonly moved: number;
  /** The work ahead, in units. */
  readonly ahead: number;
}

interface Kept {
  readonly subject: EstimateSubject;
  readonly basis: EstimateBasis;
  readonly estimate: QueueEstimate | undefined;
}

/** The last estimates: each simulates the whole queue, and hardly differs from the one before while thousands of calls wait. */
export class RecentEstimates {
  /** The newest first. */
  #kept: readonly Kept[] = [];

  /** The estimate for this subject: a recent one, or a new one. */
  of(subject: EstimateSubject, basis: EstimateBasis, make: () => QueueEstimate | undefined): QueueEstimate | undefined {
    const known = this.#kept.find((one) => isSame(one.subject, subject));
    if (known && isNearly(known.basis, basis)) return known.estimate;
    const estimate = make();
    const others = this.#kept.filter((one) => one !== known);
    this.#kept = [{ subject, basis, estimate }, ...others.slice(0, MOST_SUBJECTS - 1)];
    return estimate;
  }
}

function isSame(one: EstimateSubject, other: EstimateSubject): boolean {
  return (Object.keys(one) as (keyof EstimateSubject)[]).every((name) => one[name] === other[name]);
}

function isNearly(known: EstimateBasis, { now, moved }: EstimateBasis): boolean {
  if (known.ahead < LEAST_AHEAD) return false;
  return now - known.now <= KEPT_MS && moved - known.moved < known.ahead * NEARLY_THE_SAME;
}
