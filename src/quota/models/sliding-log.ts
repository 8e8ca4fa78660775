import { periodMsOf } from '../time/periods.ts';
import { DRIFT } from '../time/server-clock.ts';
import type { AnsweredRequests } from '../usage/answered.ts';
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
    return used - held - this.#counted.keptAfter(from);
  }

  reconcile(reading: WindowReading, answered: Pick<AnsweredRequests, 'settledSince'>): number {
    const others = Math.max(0, this.unexplained(reading));
    if (others > 0) this.book(others, reading.sentAt, reading.receivedAt);
    this.#lower(reading, answered);
    return others;
  }

  /**
   * No more is in the window than a reading counts and what was answered since. Of what is ours that is no evidence, because several nodes may
   * count apart, unless a request was served that did not fit.
   */
  #lower(reading: WindowReading, answered: Pick<AnsweredRequests, 'settledSince'>): void {
    const { used, own, limit, limited, settledSince, sentAt } = reading;
    const spent = this.spent(sentAt);
    const fitted = limited || spent - settledSince + own <= limit;
    let most = used + settledSince;
    if (spent > most && fitted) most = Math.max(most, answered.settledSince(sentAt - this.#longestMs));
    if (spent > most) this.#counted.keepLast(most);
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
