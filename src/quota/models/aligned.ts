import type { Past } from '../past.ts';
import type { ServerClock } from '../server-clock.ts';
import { endOf, type Period, startOf } from '../windows.ts';
import { type Reading, TOLERANCE, type WindowModel } from './model.ts';

/** Windows that are remembered: the present one, its neighbours that an uncertain clock cannot tell apart, and a late answer's. */
const REMEMBERED = 8;

/** What may have been counted in one window, and the most that the service said was, in units. */
interface Tally {
  spent: number;
  told: number;
}

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
  readonly #tallies = new Map<number, Tally>();

  constructor(period: Period, clock: ServerClock) {
    this.#period = period;
    this.#clock = clock;
  }

  spent(now: number): number {
    if (!this.#clock.known) return 0;
    return this.#in(startOf(this.#period, this.#clock.least(now)));
  }

  earliest(units: number, held: number, cap: number, now: number): number {
    if (!this.#clock.known) return now;
    const full = cap - held - units;
    const first = startOf(this.#period, this.#clock.least(now));
    for (let start = startOf(this.#period, this.#clock.most(now)); start >= first; start = this.#before(start)) {
      if (this.#in(start) > full) return Math.max(now, this.#clock.surely(endOf(this.#period, start)));
    }
    return now;
  }

  book(units: number, from: number, to: number): void {
    if (!this.#clock.known) return;
    const first = startOf(this.#period, this.#clock.least(from));
    for (let start = startOf(this.#period, this.#clock.most(to)); start >= first; start = this.#before(start)) {
      this.#tally(start).spent += units;
    }
  }

  isContradicted(reading: Reading, past: Past): boolean {
    const start = this.#windowOf(reading);
    if (start === undefined) return false;
    return past.surelyExceeds(reading.used + TOLERANCE, this.#clock.surely(start), reading.sentAt);
  }

  unexplained(reading: Reading): number {
    const start = this.#windowOf(reading);
    return start === undefined ? 0 : reading.used - reading.held - this.#in(start);
  }

  heed(reading: Reading): number {
    if (!this.#clock.known) return 0;
    const start = startOf(this.#period, this.#clock.least(reading.sentAt));
    const isSure = start === this.#windowOf(reading);
    // A refusal near a boundary most likely came just before it.
    if (!isSure && !reading.limited) return 0;
    const tally = this.#tally(start);
    if (isSure) tally.spent = Math.min(tally.spent, reading.used + reading.settledSince);
    // A window only fills up, so what any other answer said of this one is a floor, in whatever order they come.
    tally.told = Math.max(tally.told, reading.used);
    const others = Math.max(0, tally.told - reading.held - tally.spent);
    tally.spent += others;
    return others;
  }

  /** The start of the window that a reading surely speaks of. */
  #windowOf(reading: Reading): number | undefined {
    if (!this.#clock.known) return undefined;
    const start = startOf(this.#period, this.#clock.least(reading.sentAt));
    return start === startOf(this.#period, this.#clock.most(reading.receivedAt)) ? start : undefined;
  }

  #before(start: number): number {
    return startOf(this.#period, start - 1);
  }

  #in(start: number): number {
    return this.#tallies.get(start)?.spent ?? 0;
  }

  #tally(start: number): Tally {
    const known = this.#tallies.get(start);
    if (known) return known;
    const tally = { spent: 0, told: 0 };
    this.#tallies.set(start, tally);
    if (this.#tallies.size > REMEMBERED) this.#tallies.delete(Math.min(...this.#tallies.keys()));
    return tally;
  }
}
