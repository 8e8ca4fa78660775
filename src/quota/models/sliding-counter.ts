import type { Past } from '../past.ts';
import type { ServerClock } from '../server-clock.ts';
import { type Period, startOf } from '../windows.ts';
import { Calendar } from './calendar.ts';
import { type Reading, TOLERANCE, type WindowModel } from './model.ts';

/** Services round the estimate, up or down. */
const ROUNDING = 1;

/** A window of fewer requests than this is hardly estimated, and seldom has room for its rounding: unless it refused one and is soon over. */
const FEW = 8;

/**
 * A sliding window estimated from two calendar windows: what was counted in the present one, and the part of the one
 * before that a sliding window would still cover if it had come evenly.
 */
export class SlidingCounter implements WindowModel {
  readonly name = 'sliding-counter';
  readonly sinksSteadily = true;
  readonly #period: Period;
  readonly #clock: ServerClock;
  readonly #calendar: Calendar;
  #limit = Number.POSITIVE_INFINITY;
  #least = FEW;

  constructor(period: Period, clock: ServerClock) {
    this.#period = period;
    this.#clock = clock;
    this.#calendar = new Calendar(period, clock);
  }

  spent(now: number): number {
    return this.#clock.known && this.#limit >= this.#least ? this.#estimate(this.#clock.least(now)) : 0;
  }

  earliest(units: number, held: number, cap: number, now: number): number {
    if (!this.#clock.known || cap < units * this.#least) return now;
    const room = cap - held - units;
    if (room < 0) return Number.POSITIVE_INFINITY;
    let at = now;
    for (const start of this.#calendar.windows(now)) at = Math.max(at, this.#fitsFrom(start, room, now));
    return at;
  }

  book(units: number, from: number, to: number): void {
    this.#calendar.book(units, from, to);
  }

  isContradicted(reading: Reading, past: Past): boolean {
    const start = this.#calendar.windowOf(reading);
    if (start === undefined) return false;
    const left = 1 - this.#gone(start, this.#clock.most(reading.receivedAt));
    const now = past.surely(this.#clock.surely(start), reading.sentAt);
    const before = past.surely(this.#clock.surely(this.#calendar.before(start)), this.#clock.soonest(start));
    return now + before * left > reading.used + ROUNDING + TOLERANCE;
  }

  unexplained(reading: Reading): number {
    if (this.#calendar.windowOf(reading) === undefined) return 0;
    return reading.used - ROUNDING - reading.held - this.#estimate(this.#clock.least(reading.sentAt));
  }

  heed(reading: Reading): number {
    if (reading.limited && this.#period === 'second') this.#least = 0;
    this.#limit = reading.limit;
    const start = this.#calendar.windowOf(reading);
    if (start === undefined) return 0;
    const others = Math.max(0, this.unexplained(reading));
    this.#calendar.lower(start, reading.used + ROUNDING + reading.settledSince);
    this.#calendar.raise(start, this.#calendar.spentIn(start) + others, 0);
    return others;
  }

  /** The first instant from which `room` is not exceeded, if the present window is the one that began at `start`. */
  #fitsFrom(start: number, room: number, now: number): number {
    const end = this.#calendar.after(start);
    const before = this.#calendar.spentOnlyBefore(start);
    const over = this.#calendar.spentIn(start) + before - room + (before > 0 ? ROUNDING : 0);
    if (over <= 0) return now;
    if (over > before) return Math.max(now, this.#clock.surely(end));
    return Math.max(now, this.#clock.surely(start + ((end - start) * over) / before));
  }

  #estimate(time: number): number {
    const start = startOf(this.#period, time);
    const before = this.#calendar.spentOnlyBefore(start);
    return this.#calendar.spentIn(start) + before * (1 - this.#gone(start, time));
  }

  /** How much of the window that began at `start` is over at `time`. */
  #gone(start: number, time: number): number {
    return Math.min(1, (time - start) / (this.#calendar.after(start) - start));
  }
}
