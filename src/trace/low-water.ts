import type { QuotaSnapshot } from '../quota/headers/snapshot.ts';
import { PERIODS, type Period } from '../quota/time/periods.ts';

/** The parts of windows below which little is left, by period. */
export type LowMarks = Readonly<Partial<Record<Period, number | undefined>>>;

/** A window of which little is left. */
export interface LowWindow {
  readonly window: Period;
  readonly limit: number;
  readonly remaining: number;
}

/** Finds windows that fall below their mark: each once, until it has risen above the mark again. */
export class LowWater {
  readonly #marks: LowMarks;
  readonly #low = new Set<Period>();

  constructor(marks: LowMarks) {
    this.#marks = marks;
  }

  /** The windows that have fallen below their mark by this answer. */
  observe(quota: QuotaSnapshot): readonly LowWindow[] {
    return PERIODS.flatMap((window) => {
      const { limit, remaining } = quota.stacks[window] ?? {};
      const mark = this.#marks[window];
      if (mark === undefined || limit === undefined || remaining === undefined) return [];
      const isLow = remaining < mark * limit;
      const isNews = isLow && !this.#low.has(window);
      if (isLow) this.#low.add(window);
      else this.#low.delete(window);
      return isNews ? [{ window, limit, remaining }] : [];
    });
  }
}
