import type { Clock } from '../clock.ts';
import type { Estimate } from '../scheduler/estimate.ts';

/** How far a bulk is. */
export interface BulkProgress {
  /** Items that are over, well or not, those of earlier runs included. */
  readonly done: number;
  /** Of them, those that failed in this run. */
  readonly failed: number;
  /** How many there are in all, if that is known. */
  readonly total: number | undefined;
  /** Items a second, over all of this run. */
  readonly perSecond: number;
  /** How long the rest will take by the quota, in milliseconds; undefined while the total or the limits are not known. */
  readonly etaMs: number | undefined;
  /** When the last will be over, by this machine's wall clock; undefined where `etaMs` is, or no calendar reaches there. */
  readonly finishesAt: Date | undefined;
  /** The window that binds, as {@link Estimate.window} has it. */
  readonly window: string | undefined;
}

/** What a bulk needs of its client. */
export interface BulkDependencies {
  readonly clock: Clock;
  readonly concurrency: number;
  /** When so many more requests would be over, behind all that wait; `cost` units each, if that is known. */
  readonly estimate: (requests: number, cost: number | undefined) => Estimate;
  /** What requests have taken so far, in all. */
  readonly spent: () => Spent;
}

/** Requests, and their units. */
export interface Spent {
  readonly requests: number;
  readonly units: number;
}

/** Counts the items that are over, and reckons when the rest will be. */
export class ProgressTracker {
  readonly #dependencies: BulkDependencies;
  readonly #total: number | undefined;
  readonly #doneBefore: number;
  readonly #before: Spent;
  readonly #begunAt: number;
  #over = 0;
  #failed = 0;

  /** @param doneBefore - items that earlier runs have done. */
  constructor(dependencies: BulkDependencies, total: number | undefined, doneBefore: number) {
    this.#dependencies = dependencies;
    this.#total = total;
    this.#doneBefore = doneBefore;
    const { requests, units } = dependencies.spent();
    this.#before = { requests, units };
    this.#begunAt = dependencies.clock.now();
  }

  /** An item is over. */
  count(isFailure: boolean): void {
    this.#over++;
    if (isFailure) this.#failed++;
  }

  /** @param underWay - items that are under way: what they wait for is known to the client. */
  progress(underWay: number): BulkProgress {
    const { clock } = this.#dependencies;
    const seconds = (clock.now() - this.#begunAt) / 1_000;
    const done = this.#doneBefore + this.#over;
    const rest = this.#total === undefined ? undefined : Math.max(0, this.#total - done - underWay);
    const isOver = rest === 0 && underWay === 0;
    const { ms, finishesAt, window } =
      rest === undefined ? UNKNOWN : isOver ? this.#now() : this.#estimate(rest, underWay);
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

  #now(): Estimate {
    return { ms: 0, finishesAt: new Date(this.#dependencies.clock.wall()), window: undefined };
  }

  /**
   * An item may take several requests, or none; those under way are taken to be half done, with one request made that the
   * client knows of. Where others use the client too, as much of theirs is to come with each item as came so far.
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

const UNKNOWN: Estimate = { ms: undefined, finishesAt: undefined, window: undefined };
