import type { Shape, WindowReading } from '../../models/model.ts';
import { endOf, type Period, periodMsOf } from '../../time/periods.ts';
import { DRIFT, type ServerClock } from '../../time/server-clock.ts';
import type { AnsweredRequests } from '../../usage/answered.ts';

/** An end may be rounded, and named by a `date` that is cut, by so much together, in milliseconds. */
const ROUNDED_MS = 2_000;

/**
 * Tells which shapes a long window may have by the end that the service names of it. An end that is none of the calendar's belongs to another shape. One
 * that is belongs to the calendar or to an estimate, unless another shape would end then, too: a log, and a window that the first request opens, end a
 * window's length after the first request that they count; a bucket ends when all that is used has drained.
 */
export class NamedEnd {
  readonly #period: Period;
  readonly #periodMs: number;
  readonly #clock: ServerClock;
  readonly #answered: Pick<AnsweredRequests, 'surelyExceeds'>;
  #last: WindowReading | undefined;
  /** The last reading that counted its own request alone. */
  #first: WindowReading | undefined;

  constructor(period: Period, clock: ServerClock, answered: Pick<AnsweredRequests, 'surelyExceeds'>) {
    this.#period = period;
    this.#periodMs = periodMsOf(period);
    this.#clock = clock;
    this.#answered = answered;
  }

  onReading(reading: WindowReading): void {
    this.#last = reading;
    if (!reading.limited && reading.own > 0 && reading.used <= reading.own) this.#first = reading;
  }

  /**
   * Tells whether a window of a shape may end at `end`, by the service's clock, as the answer with the last reading says.
   *
   * @param isShared - whether siblings use the window, too: only then may the calendar be dismissed. A client alone keeps it as a candidate, because it
   * reserves units for a rest as long as it does, and a rest shows a bucket.
   * @param mayFill - whether a shape that only fills is a candidate still: the log is kept beside it, because it's the more cautious of them.
   */
  allows(end: number, { isShared, mayFill }: { isShared: boolean; mayFill: boolean }): (shape: Shape) => boolean {
    const last = this.#last;
    if (!last || last.limited || !this.#clock.known) return () => true;
    // The present window may be none of the two that the clock can tell apart: then it is vague.
    if (!isNear(end, endOf(this.#period, end - this.#periodMs / 2)))
      return (shape) => !shape.isEstimated && !(isShared && shape.isCalendar);
    const least = this.#clock.least(last.sentAt);
    const most = this.#clock.most(last.receivedAt);
    const drainMs = (last.used / last.limit) * this.#periodMs;
    const mayDrain = isNear(end, least + drainMs, most + drainMs);
    return (shape) => {
      if (shape.isCalendar || shape.isEstimated) return true;
      if (!mayFill && shape.isSliding && !shape.drains && this.#isLate(end, last)) return false;
      return shape.drains ? mayDrain : this.#mayFollow(end, last.sentAt);
    };
  }

  /** Whether that is later than a window's length after a request of ours that a log surely counts. */
  #isLate(end: number, { receivedAt }: WindowReading): boolean {
    const from = receivedAt - this.#periodMs * (1 - DRIFT);
    return this.#answered.surelyExceeds(0, from, this.#clock.soonest(end - this.#periodMs) - ROUNDED_MS);
  }

  /** Whether it may be the end of a window that began with the first request that is counted: when that was is not known, or it was so long ago. */
  #mayFollow(end: number, now: number): boolean {
    const first = this.#first;
    if (!first || now - first.sentAt >= this.#periodMs - ROUNDED_MS) return true;
    const least = this.#clock.least(first.sentAt);
    return isNear(end - this.#periodMs, least, this.#clock.most(first.receivedAt));
  }
}

/** Whether an end may be rounded to what is between these times. */
function isNear(end: number, least: number, most: number = least): boolean {
  return end >= least - ROUNDED_MS && end <= most + ROUNDED_MS;
}
