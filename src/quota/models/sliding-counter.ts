import { type Period, startOf } from '../time/periods.ts';
import type { ServerClock } from '../time/server-clock.ts';
import type { AnsweredRequests } from '../usage/answered.ts';
import { CalendarUsage } from './calendar-usage.ts';
import { type Shape, TOLERANCE, type WindowModel, type WindowReading } from './model.ts';

/** Services round the estimate, up or down. */
const ROUNDING = 1;

/**
 * Below this limit the estimate's rounding error would swallow the window, so the model abstains, except in one-second windows
 * that already refused a request.
 */
const FEW = 8;

/**
 * A sliding window estimated from two calendar windows: what was counted in the present one, and the part of the one
 * before that a sliding window would still cover if it had come evenly.
 */
export class SlidingCounterModel implements WindowModel {
  readonly shape: Shape = slidingCounter;
  readonly #period: Period;
  readonly #clock: ServerClock;
  readonly #calendar: CalendarUsage;
  #limit = Number.POSITIVE_INFINITY;
  #least = FEW;

  constructor(period: Period, clock: ServerClock) {
    this.#period = period;
    this.#clock = clock;
    this.#calendar = new CalendarUsage(period, clock);
  }

  spent(now: number): number {
    return this.#clock.known && this.#limit >= this.#least ? this.#estimate(this.#clock.least(now)) : 0;
  }

  earliest(units: number, held: number, cap: number, now: number): number {
    if (!this.#clock.known || cap < units * this.#least) return now;
    const room = cap - held - units;
    if (room < 0) return Number.POSITIVE_INFINITY;
    const only = this.#calendar.only(now);
    if (only !== undefined) return this.#fitsFrom(only, room, now);
    let at = now;
    for (const start of this.#calendar.windows(now)) at = Math.max(at, this.#fitsFrom(start, room, now));
    return at;
  }

  book(units: number, from: number, to: number): void {
    this.#calendar.book(units, from, to);
  }

  isContradicted(reading: WindowReading, answered: AnsweredRequests): boolean {
    const start = this.#calendar.windowOf(reading);
    if (start === undefined) return false;
    const left = 1 - this.#gone(start, this.#clock.most(reading.receivedAt));
    const most = reading.used + ROUNDING + TOLERANCE;
    const [begins, beganBy] = [this.#clock.surely(this.#calendar.before(start)), this.#clock.surely(start)];
    const endsAt = this.#clock.soonest(start);
    // Usually all answers are too few, which takes a few searches to see.
    const bound = answered.atMost(beganBy, reading.sentAt) + answered.atMost(begins, endsAt) * left;
    if (bound <= most) return false;
    return answered.surely(beganBy, reading.sentAt) + answered.surely(begins, endsAt) * left > most;
  }

  unexplained(reading: WindowReading): number {
    if (this.#calendar.windowOf(reading) === undefined) return 0;
    return reading.used - ROUNDING - reading.held - this.#estimate(this.#clock.least(reading.sentAt));
  }

  reconcile(reading: WindowReading): number {
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

/** The shape `sliding-counter`. */
export const slidingCounter: Shape = {
  name: 'sliding-counter',
  bit: 1,
  isSliding: true,
  sinksSteadily: true,
  isEstimated: true,
  create: (period, clock) => new SlidingCounterModel(period, clock),
};
