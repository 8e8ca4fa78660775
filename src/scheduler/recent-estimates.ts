import type { PlanEstimate } from '../quota/forecast/estimate.ts';

/** An estimate is read again while no more than this part of the work ahead has come or gone since. */
const NEARLY_THE_SAME = 1 / 256;

/** And for no longer than this, in milliseconds: answers may have told something new. */
const KEPT_MS = 250;

/** Less work ahead than this is played anew each time, in less than a millisecond: one call more may be one window later. In units. */
const MUCH = 8_192;


/** Estimates that are kept. */
const MOST_KINDS = 64;

/** What an estimate depends on, as far as it can be compared. */
export interface EstimateBasis {
  readonly now: number;
  /** All work that has come and gone so far, in units. */
  readonly moved: number;
  /** The work ahead, in units. */
  readonly ahead: number;
  /** Pauses and limits, as text: nothing is read again that was estimated before they changed. */
  readonly rules: string;
}

interface Kept extends EstimateBasis {
  readonly estimate: PlanEstimate | undefined;
}

/** The last estimates by kind of call: each takes a play of the whole queue, and hardly differs from the one before while thousands of calls wait. */
export class RecentEstimates {
  readonly #kept = new Map<string, Kept>();

  /** The estimate for a call of this kind: a recent one, or a new one. */
  of(kind: string, basis: EstimateBasis, make: () => PlanEstimate | undefined): PlanEstimate | undefined {
    const known = this.#kept.get(kind);
    if (known && isNearly(known, basis)) return known.estimate;
    const estimate = make();
    if (this.#kept.size >= MOST_KINDS) this.#kept.clear();
    this.#kept.set(kind, { ...basis, estimate });
    return estimate;
  }
}

function isNearly(known: Kept, { now, moved, rules }: EstimateBasis): boolean {
  if (known.ahead < MUCH) return false;
  return known.rules === rules && now - known.now <= KEPT_MS && moved - known.moved < known.ahead * NEARLY_THE_SAME;
}
