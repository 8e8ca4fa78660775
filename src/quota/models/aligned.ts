import type { ServerClock } from '../server-clock.ts';
import { endOf, type Period, startOf } from '../windows.ts';
import type { Reading, WindowModel } from './model.ts';

/** Windows that are remembered: the present one, its neighbours that an uncertain clock cannot tell apart, and a late answer's. */
const REMEMBERED = 8;

/**
 * A fixed window on the calendar: it begins at a full second, minute or UTC month by the service's clock.
 *
 * Where a request may have been counted in either of two windows it is booked in both, so neither can overflow,
 * however late an answer is.
 */
export class AlignedWindow implements WindowModel {
  readonly name = 'aligned';
  readonly #period: Period;
  readonly #clock: ServerClock;
  readonly #spent = new Map<number, number>();

  constructor(period: Period, clock: ServerClock) {
    this.#period = period;
    this.#clock = clock;
  }

  spent(now: number): number {
    if (!this.#clock.known) return 0;
    return this.#spent.get(startOf(this.#period, this.#clock.least(now))) ?? 0;
  }

  earliest(units: number, held: number, cap: number, now: number): number {
    if (!this.#clock.known) return now;
    const full = cap - held - units;
    const first = startOf(this.#period, this.#clock.least(now));
    for (let start = startOf(this.#period, this.#clock.most(now)); start >= first; start = this.#before(start)) {
      if ((this.#spent.get(start) ?? 0) > full) return Math.max(now, this.#clock.surely(endOf(this.#period, start)));
    }
    return now;
  }

  book(units: number, from: number, to: number): void {
    if (!this.#clock.known) return;
    const first = startOf(this.#period, this.#clock.least(from));
    for (let start = startOf(this.#period, this.#clock.most(to)); start >= first; start = this.#before(start)) {
      this.#set(start, (this.#spent.get(start) ?? 0) + units);
    }
  }

  heed(reading: Reading): void {
    if (!this.#clock.known) return;
    const start = startOf(this.#period, this.#clock.least(reading.sentAt));
    const counted = reading.used - reading.held;
    const sure = start === startOf(this.#period, this.#clock.most(reading.receivedAt));
    // A refusal near a boundary most likely came just before it.
    if (!sure && !reading.limited) return;
    const spent = Math.max(this.#spent.get(start) ?? 0, counted);
    this.#set(start, sure ? Math.min(spent, reading.used + reading.settledSince) : spent);
  }

  countsSince(reading: Reading): number | undefined {
    if (!this.#clock.known) return undefined;
    const start = startOf(this.#period, this.#clock.least(reading.sentAt));
    return start === startOf(this.#period, this.#clock.most(reading.receivedAt))
      ? this.#clock.surely(start)
      : undefined;
  }

  #before(start: number): number {
    return startOf(this.#period, start - 1);
  }

  #set(start: number, units: number): void {
    this.#spent.set(start, units);
    if (this.#spent.size > REMEMBERED) this.#spent.delete(Math.min(...this.#spent.keys()));
  }
}
