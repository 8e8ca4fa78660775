import { type Period, periodMsOf, startOf } from '../time/periods.ts';
import type { ServerClock } from '../time/server-clock.ts';

/** A window is busy from this part of it on. */
const BUSY = 0.5;

/** What was sent in the calendar window of the last request, and in the one before, and when the first and the last of these requests went. */
export class SentInWindow {
  readonly #period: Period;
  readonly #clock: ServerClock;
  #firstSentAt = -Infinity;
  #lastSentAt = -Infinity;
  #start = Number.NaN;
  #units = 0;
  #unitsBefore = 0;

  constructor(period: Period, clock: ServerClock) {
    this.#period = period;
    this.#clock = clock;
  }

  /** When the first request was sent in the window of the last one. */
  get firstSentAt(): number {
    return this.#firstSentAt;
  }

  /** When the last request was sent. */
  get lastSentAt(): number {
    return this.#lastSentAt;
  }

  /** Units that were sent in the window of `at`, if that is the one of the last request. */
  units(at: number): number {
    return this.#startAt(at) === this.#start ? this.#units : 0;
  }

  /** Units that were sent in the window of the last request or in the one before, whichever are more. */
  get most(): number {
    return Math.max(this.#units, this.#unitsBefore);
  }

  /** Whether half of the limit was sent in the present window or the one before: with less traffic the shape does not matter. */
  isBusy(limit: number, now: number): boolean {
    return this.#start >= this.#startAt(now) - periodMsOf(this.#period) && this.most >= limit * BUSY;
  }

  /** A request is sent. */
  onSent(units: number, now: number): void {
    const start = this.#startAt(now);
    if (start !== this.#start) {
      this.#unitsBefore = this.#units;
      this.#units = 0;
      this.#firstSentAt = now;
    }
    this.#lastSentAt = now;
    this.#start = start;
    this.#units += units;
  }

  /** A request that was sent at `sentAt` cost so many units less than were held for it. */
  onCheaper(units: number, sentAt: number): void {
    if (this.#startAt(sentAt) >= this.#start) this.#units = Math.max(0, this.#units - units);
    else this.#unitsBefore -= units;
  }

  #startAt(at: number): number {
    return startOf(this.#period, this.#clock.least(at));
  }
}
