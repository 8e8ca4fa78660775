import { Log } from '../log.ts';
import type { Past } from '../past.ts';
import { DRIFT } from '../server-clock.ts';
import { type Reading, TOLERANCE, type WindowModel } from './model.ts';

/** Bookings are kept this much longer than the window, for answers that were long under way, in milliseconds. */
const LINGER_MS = 60_000;

/**
 * No stretch of time as long as the window holds more than the limit.
 *
 * The most cautious of all models: what fits here fits into a window that begins on the calendar or with the first
 * request, and into a leaky one. It needs no clock but ours, so it is also the fallback for a service without a `Date`.
 */
export class SlidingLog implements WindowModel {
  readonly name = 'sliding-log';
  readonly sinksSteadily = false;
  /** The longest and the shortest that the window can be by our clock, in milliseconds. */
  readonly #length: number;
  readonly #shortest: number;
  readonly #log = new Log();

  constructor(lengthMs: number) {
    this.#length = lengthMs * (1 + DRIFT);
    this.#shortest = lengthMs * (1 - DRIFT);
  }

  spent(now: number): number {
    return this.#log.after(now - this.#length);
  }

  earliest(units: number, held: number, cap: number, now: number): number {
    const room = cap - held - units;
    if (room < 0) return Number.POSITIVE_INFINITY;
    return Math.max(now, this.#log.lastBeyond(room) + this.#length);
  }

  book(units: number, _from: number, to: number): void {
    this.#log.add(units, to);
    this.#log.forget(to - this.#length - LINGER_MS);
  }

  isContradicted(reading: Reading, past: Past): boolean {
    return past.surelyExceeds(reading.used + TOLERANCE, reading.receivedAt - this.#shortest, reading.sentAt);
  }

  unexplained(reading: Reading): number {
    return reading.used - reading.held - this.#log.after(reading.sentAt - this.#length);
  }

  heed(reading: Reading): number {
    const others = Math.max(0, this.unexplained(reading));
    if (others > 0) this.book(others, reading.sentAt, reading.receivedAt);
    return others;
  }
}
