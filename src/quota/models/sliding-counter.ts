import type { Past } from '../past.ts';
import type { ServerClock } from '../server-clock.ts';
import { endOf, type Period, startOf } from '../windows.ts';
import { type Reading, TOLERANCE, type WindowModel } from './model.ts';

const REMEMBERED = 8;

/** Services round the estimate, up or down. */
const ROUNDING = 1;

/**
 * A sliding window estimated from two calendar windows: what was counted in the present one, and the part of the one
 * before that a sliding window would still cover if it had come evenly.
 */
export class SlidingCounter implements WindowModel {
  readonly name = 'sliding-counter';
  readonly #period: Period;
  readonly #clock: ServerClock;
  readonly #spent = new Map<number, number>();

  constructor(period: Period, clock: ServerClock) {
    this.#period = period;
    this.#clock = clock;
  }

  spent(now: number): number {
    return this.#clock.known ? this.#estimate(this.#clock.least(now)) : 0;
  }

  earliest(units: number, held: number, cap: number, now: number): number {
    if (!this.#clock.known) return now;
    const room = cap - held - units - ROUNDING;
    if (room < 0) return Number.POSITIVE_INFINITY;
    const least = this.#clock.least(now);
    const last = startOf(this.#period, this.#clock.most(now));
    let at = now;
    for (let start = startOf(this.#period, least); start <= last; start = endOf(this.#period, start)) {
      at = Math.max(at, this.#fitsFrom(start, room, now));
    }
    return at;
  }

  book(units: number, from: number, to: number): void {
    if (!this.#clock.known) return;
    const last = startOf(this.#period, this.#clock.most(to));
    for (
      let start = startOf(this.#period, this.#clock.least(from));
      start <= last;
      start = endOf(this.#period, start)
    ) {
      this.#set(start, this.#in(start) + units);
    }
  }

  isContradicted(reading: Reading, past: Past): boolean {
    const start = this.#windowOf(reading);
    if (start === undefined) return false;
    const left = 1 - this.#share(start, this.#clock.most(reading.receivedAt));
    const now = past.surely(this.#clock.surely(start), reading.sentAt);
    const before = past.surely(this.#clock.surely(this.#before(start)), this.#clock.soonest(start));
    return now + before * left > reading.used + ROUNDING + TOLERANCE;
  }

  unexplained(reading: Reading): number {
    if (this.#windowOf(reading) === undefined) return 0;
    return reading.used - ROUNDING - reading.held - this.#estimate(this.#clock.least(reading.sentAt));
  }

  heed(reading: Reading): number {
    const start = this.#windowOf(reading);
    if (start === undefined) return 0;
    const others = Math.max(0, this.unexplained(reading));
    this.#set(start, Math.min(this.#in(start) + others, reading.used + ROUNDING + reading.settledSince));
    return others;
  }

  /** The first instant from which `room` is not exceeded, if the present window is the one that began at `start`. */
  #fitsFrom(start: number, room: number, now: number): number {
    const end = endOf(this.#period, start);
    const before = this.#in(this.#before(start));
    const over = this.#in(start) + before - room;
    if (over <= 0) return now;
    if (over > before) return Math.max(now, this.#clock.surely(end));
    return Math.max(now, this.#clock.surely(start + ((end - start) * over) / before));
  }

  #estimate(time: number): number {
    const start = startOf(this.#period, time);
    return this.#in(start) + this.#in(this.#before(start)) * (1 - this.#share(start, time));
  }

  /** How much of the window that began at `start` is over at `time`. */
  #share(start: number, time: number): number {
    return Math.min(1, (time - start) / (endOf(this.#period, start) - start));
  }

  #windowOf(reading: Reading): number | undefined {
    if (!this.#clock.known) return undefined;
    const start = startOf(this.#period, this.#clock.least(reading.sentAt));
    return start === startOf(this.#period, this.#clock.most(reading.receivedAt)) ? start : undefined;
  }

  #in(start: number): number {
    return this.#spent.get(start) ?? 0;
  }

  #before(start: number): number {
    return startOf(this.#period, start - 1);
  }

  #set(start: number, units: number): void {
    this.#spent.set(start, units);
    if (this.#spent.size > REMEMBERED) this.#spent.delete(Math.min(...this.#spent.keys()));
  }
}
