import { type Period, periodMsOf, startOf } from '../time/periods.ts';
import type { ServerClock } from '../time/server-clock.ts';

/** One window in so many may be left empty. */
const EVERY = 4;

/** A window is left empty behind one of which this part was spent: where there is little to do nothing need be found out. */
const BUSY = 0.5;

/**
 * A short window in which nothing is sent, once in a while, while a sliding log cannot be told from a sliding counter: they
 * count what comes evenly alike. What waited meanwhile goes at once, and that a log forgets at once, but a counter slowly.
 */
export class IdleProbe {
  readonly #period: Period;
  readonly #clock: ServerClock;
  /** The calendar window of the last request, and the units that were sent in it. */
  #start = Number.NaN;
  #taken = 0;

  constructor(period: Period, clock: ServerClock) {
    this.#period = period;
    this.#clock = clock;
  }

  /** A request goes. */
  onSent(units: number, now: number): void {
    const start = this.#startAt(now);
    if (start !== this.#start) this.#taken = 0;
    this.#start = start;
    this.#taken += units;
  }

  /** When the lull is over, if there is one; else `now`. */
  until(limit: number, now: number): number {
    const start = this.#startAt(now);
    const periodMs = periodMsOf(this.#period);
    const isItsTurn =
      (start / periodMs) % EVERY === 0 && this.#start === start - periodMs && this.#taken >= limit * BUSY;
    return isItsTurn ? this.#clock.surely(start + periodMs) : now;
  }

  #startAt(now: number): number {
    return startOf(this.#period, this.#clock.least(now));
  }
}
