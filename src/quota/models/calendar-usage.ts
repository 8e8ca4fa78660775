import { endOf, type Period, startOf } from '../time/periods.ts';
import type { ServerClock } from '../time/server-clock.ts';
import type { Reading } from './model.ts';

/** Windows that are remembered: the present one, its neighbours that an uncertain clock cannot tell apart, and a late answer's. */
const REMEMBERED = 8;

/** Doubts beyond this many are not taken back; they end with their window. */
const MOST_DOUBTS = 64;

/** What may have been counted in one window, in units. */
interface Tally {
  spent: number;
  /** The most that the service said was counted. */
  told: number;
  /** Those of `spent` that are booked in the window before, too. */
  twice: number;
}

/** Units that were booked in more than one window, because the clock could not tell in which they were counted. */
interface Doubt {
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
export class Calendar {
  readonly #period: Period;
  readonly #clock: ServerClock;
  readonly #tallies = new Map<number, Tally>();
  #doubts: Doubt[] = [];
  /** The revision of the clock by which doubts were last resolved. */
  #resolvedAt = 0;

  constructor(period: Period, clock: ServerClock) {
    this.#period = period;
    this.#clock = clock;
  }

  /** Whether windows can be told at all. */
  get isKnown(): boolean {
    return this.#clock.known;
  }

  /** Starts of the windows that the service may be in between two instants of ours, the last first. */
  *windows(from: number, to: number = from): Generator<number> {
    const first = startOf(this.#period, this.#clock.least(from));
    for (let start = startOf(this.#period, this.#clock.most(to)); start >= first; start = this.before(start))
      yield start;
  }

  /** The start of the window that a reading surely speaks of. */
  windowOf({ sentAt, receivedAt }: Reading): number | undefined {
    if (!this.#clock.known) return undefined;
    const start = startOf(this.#period, this.#clock.least(sentAt));
    return start === startOf(this.#period, this.#clock.most(receivedAt)) ? start : undefined;
  }

  /** The start of the window before. */
  before(start: number): number {
    return startOf(this.#period, start - 1);
  }

  /** The end of the window that begins at `start`. */
  after(start: number): number {
    return endOf(this.#period, start);
  }

  /** The most that may have been counted in the window that begins at `start`, in units. */
  spentIn(start: number): number {
    return this.#tallies.get(start)?.spent ?? 0;
  }

  /** The most that may have been counted in the window before the one that begins at `start`, and not in that one itself. */
  spentOnlyBefore(start: number): number {
    return this.spentIn(this.before(start)) - (this.#tallies.get(start)?.twice ?? 0);
  }

  /** Books units that were counted, if at all, between two instants of ours. */
  book(units: number, from: number, to: number): void {
    if (!this.#clock.known) return;
    const starts = new Set(this.windows(from, to));
    for (const start of starts) {
      const tally = this.#tally(start);
      tally.spent += units;
      if (starts.has(this.before(start))) tally.twice += units;
    }
    if (starts.size > 1 && this.#doubts.length < MOST_DOUBTS) this.#doubts.push({ units, from, to, starts });
    if (this.#doubts.length > 0 && this.#clock.revision !== this.#resolvedAt) this.#resolve();
  }

  /** The window surely holds no more than this. */
  lower(start: number, units: number): void {
    const tally = this.#tally(start);
    const surplus = tally.spent - units;
    if (surplus <= 0) return;
    tally.spent = units;
    // What was taken away may have been what was in doubt.
    untwice(tally, surplus);
    untwice(this.#tallies.get(this.after(start)), surplus);
    for (const doubt of this.#doubts) doubt.starts.delete(start);
  }

  /**
   * The service said that `used` were counted in the window, of which `held` may be under way still. A window only fills
   * up, so it is a floor for all that follows, in whatever order answers come.
   *
   * @returns the units that were added for it.
   */
  raise(start: number, used: number, held: number): number {
    const tally = this.#tally(start);
    tally.told = Math.max(tally.told, used);
    const added = Math.max(0, tally.told - held - tally.spent);
    tally.spent += added;
    return added;
  }

  #resolve(): void {
    this.#resolvedAt = this.#clock.revision;
    this.#doubts = this.#doubts.filter((doubt) => {
      const possible = new Set(this.windows(doubt.from, doubt.to));
      for (const start of doubt.starts) {
        if (possible.has(start)) continue;
        doubt.starts.delete(start);
        const tally = this.#tallies.get(start);
        if (tally) tally.spent = Math.max(0, tally.spent - doubt.units);
        if (doubt.starts.has(this.before(start))) untwice(tally, doubt.units);
        const next = this.after(start);
        if (doubt.starts.has(next)) untwice(this.#tallies.get(next), doubt.units);
      }
      return doubt.starts.size > 1 && doubt.to > this.#clock.surely(this.#oldest);
    });
  }

  get #oldest(): number {
    return Math.min(...this.#tallies.keys());
  }

  #tally(start: number): Tally {
    const known = this.#tallies.get(start);
    if (known) return known;
    const tally = { spent: 0, told: 0, twice: 0 };
    this.#tallies.set(start, tally);
    if (this.#tallies.size > REMEMBERED) this.#tallies.delete(this.#oldest);
    return tally;
  }
}

function untwice(tally: Tally | undefined, units: number): void {
  if (tally) tally.twice = Math.max(0, tally.twice - units);
}
