import { type Period, periodMsOf, startOf } from '../time/periods.ts';
import type { ServerClock } from '../time/server-clock.ts';
import type { Pacing } from './reserve.ts';

/** At most one window in this many is left empty. */
const EVERY = 4;

/** A window is left empty only after one of which this part was used: with little traffic the shape does not matter. */
const BUSY = 0.5;

/**
 * Leaves a short window empty now and then. Even traffic looks the same to a sliding log and a sliding counter; the burst
 * that follows a gap does not: a log forgets it at once, a counter slowly.
 */
export class IdleProbe implements Pacing {
  readonly #period: Period;
  readonly #clock: ServerClock;
  readonly #mayIdle: (now: number) => boolean;
  /** The calendar window of the last request, and the units that were sent in it. */
  #start = Number.NaN;
  #taken = 0;

  /** @param mayIdle - whether the window may be left empty now. */
  constructor(period: Period, clock: ServerClock, mayIdle: (now: number) => boolean) {
    this.#period = period;
    this.#clock = clock;
    this.#mayIdle = mayIdle;
  }

  /** A request goes. */
  onSent(units: number, now: number): void {
    const start = this.#startAt(now);
    if (start !== this.#start) this.#taken = 0;
    this.#start = start;
    this.#taken += units;
  }

  /** When the empty window is over, if this is one; else `now`. */
  earliest(_units: number, limit: number, _cap: number, now: number): number {
    if (!this.#mayIdle(now)) return now;
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
