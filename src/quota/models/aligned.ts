import { type Period, periodMsOf, SHORT_MS, startOf } from '../time/periods.ts';
import type { ServerClock } from '../time/server-clock.ts';
import { CalendarUsage } from './calendar-usage.ts';
import { type Shape, type SureUsage, TOLERANCE, type WindowModel, type WindowReading } from './model.ts';

/** A fixed window on the calendar: it begins at a full second, minute or UTC month by the service's clock. */
export class AlignedModel implements WindowModel {
  readonly shape: Shape = aligned;
  readonly #period: Period;
  readonly #clock: ServerClock;
  readonly #calendar: CalendarUsage;

  constructor(period: Period, clock: ServerClock) {
    this.#period = period;
    this.#clock = clock;
    this.#calendar = new CalendarUsage(period, clock);
  }

  spent(now: number): number {
    return this.#clock.known ? this.#calendar.spentIn(startOf(this.#period, this.#clock.least(now))) : 0;
  }

  earliest(units: number, held: number, cap: number, now: number): number {
    if (!this.#clock.known) return now;
    const room = cap - held - units;
    const only = this.#calendar.only(now);
    if (only !== undefined && this.#calendar.spentIn(only) <= room) return now;
    for (const start of this.#calendar.windows(now)) {
      if (this.#calendar.spentIn(start) > room) return Math.max(now, this.#clock.surely(this.#calendar.after(start)));
    }
    return now;
  }

  book(units: number, from: number, to: number): void {
    this.#calendar.book(units, from, to);
  }

  isContradicted(reading: WindowReading, usage: SureUsage): boolean {
    const start = this.#calendar.only(reading.sentAt, reading.receivedAt);
    if (start === undefined) return false;
    return usage.surelyExceeds(reading.used + TOLERANCE, this.#clock.surely(start), reading.sentAt, true);
  }

  unexplained(reading: WindowReading): number | undefined {
    const start = this.#calendar.only(reading.sentAt, reading.receivedAt);
    return start === undefined ? undefined : reading.used - reading.held - this.#calendar.spentIn(start);
  }

  reconcile(reading: WindowReading): number {
    if (!this.#clock.known) return 0;
    const { sentAt, receivedAt } = reading;
    const sure = this.#calendar.only(sentAt, receivedAt);
    if (sure !== undefined) this.#calendar.lower(sure, reading);
    // Whichever it speaks of, a later one has not begun, and an earlier one has ended. With dates this is so for a moment only, and blurs what others use.
    else if (!this.#clock.isDated && periodMsOf(this.#period) > SHORT_MS)
      for (const start of this.#calendar.windows(sentAt, receivedAt)) this.#calendar.lower(start, reading);
    // A refusal near a boundary most likely came just before it.
    if (sure === undefined && !reading.limited) return 0;
    const start = sure ?? startOf(this.#period, this.#clock.least(sentAt));
    return this.#calendar.raise(start, reading.used, reading.held);
  }
}

/** The shape `aligned`. */
export const aligned: Shape = {
  name: 'aligned',
  bit: 2,
  isCalendar: true,
  onlyFills: true,
  frees: ({ endsAt }) => [endsAt, endsAt],
  create: (period, clock) => new AlignedModel(period, clock),
};
