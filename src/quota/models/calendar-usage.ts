import { endOf, type Period, startOf } from '../time/periods.ts';
import type { ServerClock } from '../time/server-clock.ts';
import type { WindowReading } from './model.ts';

/** Windows that are remembered: the present one, its neighbours that an uncertain clock cannot tell apart, and a late answer's. */
const REMEMBERED = 8;

/** Ambiguous bookings before the last ones, so many, are not taken back; they end with their window. */
const MOST_AMBIGUOUS = 64;

/** What may have been counted in one window, in units. */
interface CalendarWindow {
  readonly start: number;
  spent: number;
  /** The most that the service said was counted. */
  reported: number;
  /** Those of `spent` that are booked in the window before, too. */
  alsoInPrevious: number;
}

/** Units that were booked in more than one window, because the clock could not tell in which they were counted. */
interface AmbiguousBooking {
  readonly units: number;
  readonly from: number;
  readonly to: number;
  readonly starts: Set<number>;
}

/**
 * What may have been counted in each window of the service's calendar.
 *
 * Where a request may have been counted in either of two windows it is booked in both, so neither can overflow, however
 * late an answer is. As the service's clock becomes better known, the booking in the wrong one is taken back.
 */
export class CalendarUsage {
  readonly #period: Period;
  readonly #clock: ServerClock;
  readonly #usage = new Map<number, CalendarWindow>();
  /** The one of them that was looked up last. */
  #last: CalendarWindow | undefined;
  /** The window that was asked about last, and when the one before it began: nearly all questions are about the same. */
  #start = Number.NaN;
  #end = Number.NaN;
  #before = Number.NaN;
  #ambiguous: AmbiguousBooking[] = [];
  /** The revision of the clock by which ambiguous bookings were last resolved. */
  #resolvedAt = 0;

  constructor(period: Period, clock: ServerClock) {
    this.#period = period;
    this.#clock = clock;
  }

  /** Starts of the windows that the service may be in between two local instants, the last first. */
  windows(from: number, to: number = from): readonly number[] {
    const first = startOf(this.#period, this.#clock.least(from));
    const starts: number[] = [];
    for (let start = startOf(this.#period, this.#clock.most(to)); start >= first; start = this.before(start))
      starts.push(start);
    return starts;
  }

  /** The start of the only window that the service may be in between two local instants; undefined: there are more. */
  only(from: number, to: number = from): number | undefined {
    const least = this.#clock.least(from);
    if (!(least >= this.#start && least < this.#end)) {
      this.#start = startOf(this.#period, least);
      this.#end = endOf(this.#period, this.#start);
      this.#before = startOf(this.#period, this.#start - 1);
    }
    return this.#clock.most(to) < this.#end ? this.#start : undefined;
  }

  /** The start of the window before. */
  before(start: number): number {
    return start === this.#start ? this.#before : startOf(this.#period, start - 1);
  }

  /** The end of the window that begins at `start`. */
  after(start: number): number {
    return start === this.#start ? this.#end : endOf(this.#period, start);
  }

  /** The most that may have been counted in the window that begins at `start`, in units. */
  spentIn(start: number): number {
    return this.#find(start)?.spent ?? 0;
  }

  /** The most that may have been counted in the window before the one that begins at `start`, and not in that one itself. */
  spentOnlyBefore(start: number): number {
    const spentBefore = this.#usage.get(this.before(start))?.spent ?? 0;
    return spentBefore - (this.#find(start)?.alsoInPrevious ?? 0);
  }

  /** The units that are booked in the window that begins at `start` and in the one before, each with the latest instant of their arrival. */
  ambiguousIn(start: number): readonly { readonly units: number; readonly to: number }[] {
    const before = this.before(start);
    return this.#ambiguous.filter(({ starts }) => starts.has(start) && starts.has(before));
  }

  /** Books units that were counted, if at all, between two local instants. */
  book(units: number, from: number, to: number): void {
    const only = this.only(from, to);
    if (only !== undefined) this.#usageOf(only).spent += units;
    else if (this.#clock.known) this.#bookInAll(units, from, to);
    if (this.#clock.revision !== this.#resolvedAt) this.#resolve();
  }

  #bookInAll(units: number, from: number, to: number): void {
    const starts = this.windows(from, to);
    const first = starts.at(-1) ?? Number.NaN;
    for (const start of starts) {
      const usage = this.#usageOf(start);
      usage.spent += units;
      if (start > first) usage.alsoInPrevious += units;
    }
    if (this.#ambiguous.length >= MOST_AMBIGUOUS) this.#ambiguous.shift();
    this.#ambiguous.push({ units, from, to, starts: new Set(starts) });
  }

  /**
   * The window surely holds no more than a reading counts, which may be rounded, and what was answered since. Where its request was served although
   * there was no room, what the service said before is not so any more.
   */
  lower(start: number, { used, limit, limited, settledSince }: WindowReading, rounding: number = 0): void {
    const usage = this.#usageOf(start);
    const units = used + rounding + settledSince;
    const surplus = usage.spent - units;
    if (surplus <= 0) return;
    if (!limited && usage.spent + rounding - settledSince > limit) usage.reported = Math.min(usage.reported, units);
    usage.spent = units;
    // What was taken away may have been ambiguous.
    lessInPrevious(usage, surplus);
    lessInPrevious(this.#usage.get(this.after(start)), surplus);
    for (const booking of this.#ambiguous) booking.starts.delete(start);
  }

  /**
   * The service said that `used` were counted in the window, of which `held` may be under way still. A window only fills
   * up, so it is a floor for all that follows, in any order of answers.
   *
   * @returns the units that were added for it.
   */
  raise(start: number, used: number, held: number): number {
    const usage = this.#usageOf(start);
    usage.reported = Math.max(usage.reported, used);
    const added = Math.max(0, usage.reported - held - usage.spent);
    usage.spent += added;
    return added;
  }

  /** Books units in the window before the one that begins at `start`. */
  bookBefore(start: number, units: number): void {
    this.#usageOf(this.before(start)).spent += units;
  }

  #resolve(): void {
    this.#resolvedAt = this.#clock.revision;
    this.#ambiguous = this.#ambiguous.filter(({ from, to, units, starts }) => {
      const first = startOf(this.#period, this.#clock.least(from));
      const last = startOf(this.#period, this.#clock.most(to));
      for (const start of starts) {
        if (start >= first && start <= last) continue;
        starts.delete(start);
        const usage = this.#usage.get(start);
        if (usage) usage.spent = Math.max(0, usage.spent - units);
        if (starts.has(this.before(start))) lessInPrevious(usage, units);
        const next = this.after(start);
        if (starts.has(next)) lessInPrevious(this.#usage.get(next), units);
      }
      return starts.size > 1;
    });
  }

  #find(start: number): CalendarWindow | undefined {
    if (this.#last?.start === start) return this.#last;
    const found = this.#usage.get(start);
    if (found) this.#last = found;
    return found;
  }

  #usageOf(start: number): CalendarWindow {
    const known = this.#find(start);
    if (known) return known;
    const usage = { start, spent: 0, reported: 0, alsoInPrevious: 0 };
    this.#usage.set(start, usage);
    if (this.#usage.size > REMEMBERED) this.#usage.delete(Math.min(...this.#usage.keys()));
    this.#last = undefined;
    return usage;
  }
}

function lessInPrevious(usage: CalendarWindow | undefined, units: number): void {
  if (usage) usage.alsoInPrevious = Math.max(0, usage.alsoInPrevious - units);
}
