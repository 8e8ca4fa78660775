import { PERIODS, periodMsOf, SHORT_MS } from '../../time/periods.ts';

/** Resets may be rounded to so many milliseconds, and windows last a multiple of it. */
const WHOLE_MS = 1_000;

/** The usual lengths, in milliseconds. */
const USUAL = PERIODS.map(periodMsOf);

/** A reset may be rounded up, and lengths are: one that exceeds a usual length by no more than this, in milliseconds, is that length. */
const OVER_MS = 2 * WHOLE_MS;

/** A guess that is off by no more than this part of a usual length is that length. */
const NEAR_PART = 0.1;

/**
 * How long a window lasts that only `ratelimit-*` describes, by how far away its ends are. Where they are timestamps and the service does not say
 * what time it is, that is guessed by our own clock. An unusual guess is given up for the shortest length, and that for longer ones as
 * they prove too short.
 */
export class WindowLength {
  /** The length, in milliseconds: no less than the furthest end. */
  ms: number = WHOLE_MS;
  #isGuess = true;
  /** The nearest and the furthest end, by our clock. */
  #nearest = Infinity;
  #furthest = -Infinity;
  /** The guess that was given up. */
  #first: number | undefined;

  /** Whether a reset rounded to a second says little of when the window ends. */
  get isShort(): boolean {
    return this.ms <= SHORT_MS;
  }

  /** The usual length that this is but for roundings, in milliseconds; Infinity: none is, or it is too short to tell. */
  get usualMs(): number {
    const usual = USUAL.find((length) => this.ms >= length && this.ms <= length + OVER_MS);
    return usual === undefined || this.isShort ? Infinity : usual;
  }

  /** An answer names an end, which is no nearer than `least` and no further than `most`, each give or take the rounding. */
  observe(least: number, most: number, isGuess: boolean): void {
    if (!isGuess && this.#isGuess) this.ms = WHOLE_MS;
    this.#isGuess &&= isGuess;
    if (isGuess !== this.#isGuess) return;
    if (!isGuess) {
      this.#raise(most <= SHORT_MS ? least - WHOLE_MS + 1 : most);
      return;
    }
    this.#nearest = Math.min(this.#nearest, most);
    this.#furthest = Math.max(this.#furthest, least);
    // By a clock that is far ahead only what lies between two ends is known.
    if (this.#nearest < -SHORT_MS) this.#raise(usualFor(this.#furthest - this.#nearest - 2 * WHOLE_MS));
    else if (this.#first === undefined) this.#raise(usualNear(most) ?? most);
  }

  /** A full window was empty again when it should be. @returns whether a shorter length is tried. */
  onEmptied(): boolean {
    if (!this.#isGuess || this.#first !== undefined || USUAL.includes(this.ms)) return false;
    this.#first = this.ms;
    this.ms = WHOLE_MS;
    return true;
  }

  /** A window holds more than it should. @returns whether a longer length is tried. */
  onFuller(): boolean {
    if (!this.#isGuess || this.#first === undefined || this.ms >= this.#first) return false;
    this.ms = Math.min(this.#first, usualFor(this.ms + 1));
    return true;
  }

  #raise(ms: number): void {
    this.ms = Math.max(this.ms, Math.ceil(ms / WHOLE_MS) * WHOLE_MS);
  }
}

function usualFor(ms: number): number {
  return USUAL.find((length) => length >= ms) ?? ms;
}

function usualNear(ms: number): number | undefined {
  return USUAL.find((length) => Math.abs(length - ms) <= NEAR_PART * length);
}
