import { type Period, periodMsOf, SHORT_MS, startOf } from '../time/periods.ts';
import { DRIFT, type ServerClock } from '../time/server-clock.ts';
import { CalendarUsage } from './calendar-usage.ts';
import { ROUNDING, type Shape, type SureUsage, TOLERANCE, type WindowModel, type WindowReading } from './model.ts';

/**
 * Below these limits no reading could refute the estimate, because of its rounding and, in a second, of what is unknown of the clock. The
 * model abstains there until a request is refused or no other shape is left: half of the window would be lost for ever where it has another one.
 */
export const REFUTED_FROM = 4;
const SHORT_REFUTED_FROM = 8;

/** The smallest limit of a window for which a reading can refute the estimate. */
export function refutedFrom(period: Period): number {
  return periodMsOf(period) <= SHORT_MS ? SHORT_REFUTED_FROM : REFUTED_FROM;
}

/**
 * A sliding window estimated from two calendar windows: what was counted in the present one, and the part of the one
 * before that a sliding window would still cover if it had come evenly.
 */
export class SlidingCounterModel implements WindowModel {
  readonly shape: Shape = slidingCounter;
  readonly #period: Period;
  readonly #clock: ServerClock;
  readonly #calendar: CalendarUsage;
  #limit = Infinity;
  #least: number;
  /** When the last reading came. */
  #readAt = -Infinity;
  /** The start of the last window in which a reading counted usage that may be of others. */
  #sharedIn = -Infinity;

  constructor(period: Period, clock: ServerClock) {
    this.#period = period;
    this.#clock = clock;
    this.#calendar = new CalendarUsage(period, clock);
    this.#least = refutedFrom(period);
  }

  spent(now: number): number {
    if (!this.#clock.known || this.#limit < this.#least) return 0;
    const time = this.#clock.least(now);
    return this.#estimate(startOf(this.#period, time), time);
  }

  earliest(units: number, held: number, cap: number, now: number): number {
    if (!this.#clock.known || cap < this.#least) return now;
    const room = Math.floor(cap - held - units);
    if (room < 0) return Infinity;
    const only = this.#calendar.only(now);
    if (only !== undefined) return this.#fitsFrom(only, room, now);
    let at = now;
    for (const start of this.#calendar.windows(now)) at = Math.max(at, this.#fitsFrom(start, room, now));
    return at;
  }

  book(units: number, from: number, to: number): void {
    this.#calendar.book(units, from, to);
  }

  isContradicted(reading: WindowReading, usage: SureUsage): boolean {
    const most = reading.used + ROUNDING + TOLERANCE;
    const start = this.#calendar.only(reading.sentAt, reading.receivedAt);
    if (start === undefined) return false;
    const left = 1 - this.#gone(start, this.#clock.most(reading.receivedAt));
    const [begins, beganBy] = [this.#clock.surely(this.#calendar.before(start)), this.#clock.surely(start)];
    const endsAt = this.#clock.soonest(start);
    const bound = usage.atMost(beganBy, reading.sentAt) + usage.atMost(begins, endsAt) * left;
    if (bound <= most) return false;
    return usage.surely(beganBy, reading.sentAt) + usage.surely(begins, endsAt) * left > most;
  }

  unexplained(reading: WindowReading): number | undefined {
    const start = this.#calendar.only(reading.sentAt, reading.receivedAt);
    return start === undefined ? undefined : this.#unexplainedIn(start, reading);
  }

  reconcile(reading: WindowReading): number {
    if (reading.limited) this.#least = 0;
    this.#limit = reading.limit;
    const start = this.#calendar.only(reading.sentAt, reading.receivedAt);
    if (start === undefined) return 0;
    const unexplained = this.#unexplainedIn(start, reading);
    if (unexplained >= 0) this.#sharedIn = start;
    const others = Math.max(0, unexplained);
    this.#calendar.lower(start, reading, ROUNDING);
    if (others > 0) this.#calendar.bookBefore(start, this.#unitsBefore(start, others, reading));
    const added = Math.max(0, this.#unexplainedIn(start, reading));
    this.#calendar.raise(start, this.#calendar.spentIn(start) + added, 0);
    this.#readAt = reading.receivedAt;
    return others;
  }

  onLast(): void {
    this.#least = 0;
  }

  /**
   * The first instant from which `room` is not exceeded, if the present window is the one that began at `start`. When it began by our
   * clock is known as an interval: the latest answer for any instant of it holds. What may have been counted on either side
   * of the boundary was counted before it, where the boundary came later than its answer.
   */
  #fitsFrom(start: number, room: number, now: number): number {
    const end = this.#calendar.after(start);
    const before = this.#calendar.spentOnlyBefore(start);
    // A rounded reading may hide a unit of others. Our own are known, and no estimate below a whole number exceeds it when rounded.
    const hidden = before > 0 && this.#sharedIn >= this.#calendar.before(start) ? ROUNDING : 0;
    const over = this.#calendar.spentIn(start) + before - room + hidden;
    if (over <= 0) return now;
    const length = this.#clock.surely(end) - this.#clock.surely(start);
    const own = this.#calendar.ambiguousIn(start);
    const inEarlier = this.#calendar.ambiguousIn(this.#calendar.before(start));
    // By when the present window began if these were counted before the one that ended then.
    const earlier = inEarlier.map(({ units, to }) => ({ units, to: to + length * (1 + DRIFT) }));
    const first = Math.max(this.#clock.soonest(start), now - length);
    const last = Math.min(this.#clock.surely(start), Math.max(first, now));
    let at = now;
    for (const began of [last, ...[...own, ...earlier].map(({ to }) => to)]) {
      if (began < first || began > last) continue;
      const gone = sumBefore(earlier, began);
      const sliding = before + sumBefore(own, began) - gone;
      if (over > gone) at = Math.max(at, began + length * Math.min(1, (over - gone) / Math.max(0, sliding)));
    }
    return at;
  }

  /** Units of others since the last reading are taken to have come evenly: so many of them in the window before, where they count less by now. */
  #unitsBefore(start: number, others: number, { receivedAt, sentAt, limit }: WindowReading): number {
    const beganAt = this.#clock.soonest(start);
    if (this.#readAt === -Infinity || this.#readAt >= beganAt) return 0;
    const from = Math.max(this.#readAt, this.#clock.soonest(this.#calendar.before(start)));
    const part = Math.min(1, (beganAt - from) / (receivedAt - from));
    const left = 1 - this.#gone(start, this.#clock.least(sentAt));
    const room = Math.max(0, limit - this.#calendar.spentOnlyBefore(start));
    return Math.min(room, (others * part) / (part * left + 1 - part));
  }

  /** See {@link unexplained}, of a reading that surely speaks of the window that began at `start`. */
  #unexplainedIn(start: number, { used, held, sentAt }: WindowReading): number {
    return used - ROUNDING - held - this.#estimate(start, this.#clock.least(sentAt));
  }

  /** Units that the service counts at `time`, in the window that began at `start`. */
  #estimate(start: number, time: number): number {
    const before = this.#calendar.spentOnlyBefore(start);
    return this.#calendar.spentIn(start) + before * (1 - this.#gone(start, time));
  }

  /** How much of the window that began at `start` is over at `time`. */
  #gone(start: number, time: number): number {
    return Math.min(1, (time - start) / (this.#calendar.after(start) - start));
  }
}

function sumBefore(bookings: readonly { readonly units: number; readonly to: number }[], instant: number): number {
  return bookings.reduce((sum, { units, to }) => (to < instant ? sum + units : sum), 0);
}

/** The shape `sliding-counter`. */
export const slidingCounter: Shape = {
  name: 'sliding-counter',
  bit: 1,
  isSliding: true,
  sinksSteadily: true,
  isEstimated: true,
  frees: ({ endsAt, lastAt, drainMs }) => [Math.max(endsAt, lastAt), Math.max(endsAt, lastAt) + drainMs],
  create: (period, clock) => new SlidingCounterModel(period, clock),
};
