/** What readings showed fades as fast as this, in windows. */
const MEMORY = 3;

/** So much of a window counts as seen without other consumers: little that was shown says little. */
const PRIOR_PART = 0.02;

/** So many units of the present window weigh as much as what was shown before. */
const PRIOR_UNITS = 5;

/** For so much of a window at most, units under way hide what others take. */
const HIDDEN_PART = 0.05;

/** How much of the time before it a reading shows. */
export interface ShownTime {
  /** When the calendar window began that it counts; -Infinity: it has no such beginning. */
  readonly startedAt: number;
  /** Whether nothing more could be taken of the window. */
  readonly isFull: boolean;
  /** Whether units of other consumers may be hidden beneath those that we have under way. */
  readonly isBlurred: boolean;
}

/** The same, and the units that the reading counts: no more are theirs. */
export interface Shown extends ShownTime {
  readonly used: number;
}

/** A reading of a window that shows all of the time before it. */
export const ALL_BEFORE: ShownTime = {
  startedAt: -Infinity,
  isFull: false,
  isBlurred: false,
};

/**
 * What other consumers take of a window while it has room. Of a window that is full soon, readings show little of that: so it is
 * a rate, of the time in which they could be seen and served.
 */
export class Demand {
  readonly #periodMs: number;
  /** Units taken, and for how many milliseconds the window had room; both fade. */
  #taken = 0;
  #shownMs = 0;
  /** The same of the present calendar window alone. */
  #takenNow = 0;
  #shownNowMs = 0;
  /** Time that counts once less is under way. */
  #blurredMs = 0;
  #wasFull = false;

  constructor(periodMs: number) {
    this.#periodMs = periodMs;
  }

  /** Units that they take in a window that always has room, by the last few windows. */
  get usual(): number {
    return this.#taken / (this.#shownMs / this.#periodMs + PRIOR_PART);
  }

  /** The same, but less where the present window shows that they take less. */
  get present(): number {
    const { usual } = this;
    const now = (PRIOR_UNITS + this.#takenNow) / (PRIOR_UNITS / usual + this.#shownNowMs / this.#periodMs);
    return Math.min(usual, now);
  }

  /** They took `units` in the `ms` milliseconds since the last reading, or since a new window began. */
  observe(units: number, ms: number, isNew: boolean, { startedAt, isFull, isBlurred }: ShownTime): void {
    const hadRoom = !this.#wasFull || isNew;
    this.#wasFull = isFull;
    if (isNew) this.#takenNow = this.#shownNowMs = this.#blurredMs = 0;
    // Of what follows a full window, when it came is not known.
    if (!hadRoom && !isFull) return;
    const isCalendar = startedAt > -Infinity;
    // When the window became full is not known, either: at the earliest when they can have taken so much.
    if (hadRoom) this.#blurredMs += isFull ? Math.min(ms, (units / this.usual) * this.#periodMs || 0) : ms;
    const kept = Math.exp(-ms / (MEMORY * this.#periodMs));
    this.#taken = this.#taken * kept + units;
    this.#shownMs *= kept;
    if (isCalendar) this.#takenNow += units;
    if (isCalendar && isBlurred && this.#blurredMs < HIDDEN_PART * this.#periodMs) return;
    this.#shownMs += this.#blurredMs;
    if (isCalendar) this.#shownNowMs += this.#blurredMs;
    this.#blurredMs = 0;
  }
}
