import type { Clock } from '../clock.ts';
import { type Estimate, estimateIn, UNKNOWN } from '../scheduler/outlook/estimate.ts';

/** Progress of a bulk. */
export interface BulkProgress {
  /** Items finished, successfully or not, those of earlier runs included. */
  readonly done: number;
  /** Items that failed in this run. */
  readonly failed: number;
  /** Number of all items, if known. */
  readonly total: number | undefined;
  /** Items per second, averaged over this run. */
  readonly perSecond: number;
  /** Estimated time for the remaining items by the quota, in milliseconds; undefined while the total or the limits are unknown. */
  readonly etaMs: number | undefined;
  /** Estimated end by this machine's wall clock; undefined where `etaMs` is, or beyond the range of `Date`. */
  readonly finishesAt: Date | undefined;
  /** The limiting window, see {@link Estimate.window}. */
  readonly window: string | undefined;
}

/** The part of the client that a bulk uses. */
export interface BulkDependencies {
  readonly clock: Clock;
  readonly concurrency: number;
  /** Estimate for `count` more requests behind all waiting calls; `cost` units each, if known. */
  readonly estimate: (requests: number, cost: number | undefined) => Estimate;
  /** Requests answered and not refused so far, and their units. */
  readonly spent: () => Spent;
}

/** Requests, and their units. */
export interface Spent {
  readonly requests: number;
  readonly units: number;
}

/** Counts finished items and estimates when the rest will be finished. */
export class ProgressTracker {
  readonly #dependencies: BulkDependencies;
  readonly #total: number | undefined;
  readonly #doneBefore: number;
  readonly #before: Spent;
  readonly #begunAt: number;
  #over = 0;
  #failed = 0;

  /** @param doneBefore - items that earlier runs have finished. */
  constructor(dependencies: BulkDependencies, total: number | undefined, doneBefore: number) {
    this.#dependencies = dependencies;
    this.#total = total;
    this.#doneBefore = doneBefore;
    const { requests, units } = dependencies.spent();
    this.#before = { requests, units };
    this.#begunAt = dependencies.clock.now();
  }

  /** Records a finished item. */
  count(isFailure: boolean): void {
    this.#over++;
    if (isFailure) this.#failed++;
  }

  /** @param underWay - items in progress; the client's backlog includes their waiting calls. */
  progress(underWay: number): BulkProgress {
    const { clock } = this.#dependencies;
    const seconds = (clock.now() - this.#begunAt) / 1_000;
    const done = this.#doneBefore + this.#over;
    const rest = this.#total === undefined ? undefined : Math.max(0, this.#total - done - underWay);
    const { ms, finishesAt, window } = this.#outlook(rest, underWay);
    return {
      done,
      failed: this.#failed,
      total: this.#total,
      perSecond: seconds > 0 ? this.#over / seconds : 0,
      etaMs: ms,
      finishesAt,
      window,
    };
  }

  #outlook(rest: number | undefined, underWay: number): Estimate {
    if (rest === undefined) return UNKNOWN;
    if (rest > 0 || underWay > 0) return this.#estimate(rest, underWay);
    return estimateIn(0, undefined, this.#dependencies.clock);
  }

  /**
   * Requests per item are averaged. Items in progress count as half done, with one request known to the client. Requests of
   * other users of the client are included in the average.
   */
  #estimate(items: number, underWay: number): Estimate {
    const { estimate, spent } = this.#dependencies;
    const now = spent();
    const requests = now.requests - this.#before.requests;
    const half = underWay / 2;
    const each = this.#over + half > 0 ? (requests + half) / (this.#over + half) : 1;
    const toCome = items * each + half * Math.max(0, each - 1);
    return estimate(Math.ceil(toCome), requests > 0 ? (now.units - this.#before.units) / requests : undefined);
  }
}
