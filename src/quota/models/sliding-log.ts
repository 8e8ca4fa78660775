import { periodMsOf } from '../time/periods.ts';
import { DRIFT } from '../time/server-clock.ts';
import { LINGER_MS, RunningSum } from '../usage/running-sum.ts';
import { type Shape, type SureUsage, TOLERANCE, type WindowModel, type WindowReading } from './model.ts';

/**
 * No stretch of time as long as the window holds more than the limit.
 *
 * The most cautious of all models: what fits here fits into a window that begins on the calendar or with the first
 * request, and into a leaky one. It needs only the local clock, so it is also the fallback for a service without a `Date`.
 */
export class SlidingLogModel implements WindowModel {
  readonly shape: Shape = slidingLog;
  /** The longest and the shortest that the window can be by our clock, in milliseconds. */
  readonly #longestMs: number;
  readonly #shortestMs: number;
  readonly #counted = new RunningSum();
  /** When the last answer came by which less is in the window than was booked. */
  #loweredAt = -Infinity;

  constructor(periodMs: number) {
    this.#longestMs = periodMs * (1 + DRIFT);
    this.#shortestMs = periodMs * (1 - DRIFT);
  }

  spent(now: number): number {
    return this.#counted.keptAfter(now - this.#longestMs);
  }

  earliest(units: number, held: number, cap: number, now: number): number {
    const room = cap - held - units;
    if (room < 0) return Infinity;
    return Math.max(now, this.#counted.instantBelow(room) + this.#longestMs);
  }

  book(units: number, _from: number, to: number): void {
    this.#counted.add(units, to);
    this.#counted.forget(to - this.#longestMs - LINGER_MS);
  }

  isContradicted(reading: WindowReading, usage: SureUsage): boolean {
    return usage.surelyExceeds(reading.used + TOLERANCE, reading.receivedAt - this.#shortestMs, reading.sentAt);
  }

  unexplained(reading: WindowReading): number {
    const { used, held, sentAt } = reading;
    const from = sentAt - this.#longestMs;
    // A late answer may count what a sooner one has shown to be over since.
    const counted = sentAt < this.#loweredAt ? this.#counted.sumAfter(from) : this.#counted.keptAfter(from);
    return used - held - counted;
  }

  reconcile(reading: WindowReading): number {
    const others = Math.max(0, this.unexplained(reading));
    if (others > 0) this.book(others, reading.sentAt, reading.receivedAt);
    this.#lower(reading);
    return others;
  }

  /**
   * Where a request was served that did not fit, no more is in the window than its answer counts and what was answered since. Other
   * answers are no such evidence: several nodes may count apart.
   */
  #lower({ used, own, limit, limited, settledSince, sentAt, receivedAt }: WindowReading): void {
    const fitted = this.spent(sentAt) - settledSince + own <= limit;
    if (limited || fitted) return;
    this.#counted.keepLast(used + settledSince);
    this.#loweredAt = receivedAt;
  }
}

/** The shape `sliding-log`. */
export const slidingLog: Shape = {
  name: 'sliding-log',
  bit: 0,
  isSliding: true,
  acceptsNamedReset: true,
  create: (period) => new SlidingLogModel(periodMsOf(period)),
};
