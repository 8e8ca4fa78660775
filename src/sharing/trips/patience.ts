import { doubled } from '../../quota/recovery/backoff.ts';

/** Upper bound of a time-out that adapts to slow answers or failures, in milliseconds. */
export const LONGEST_TIMEOUT_MS = 1_000;

/** The time-out as a multiple of the slowest recent answer, and the factor by which that one shrinks with each answer. */
const MULTIPLE = 3;
const FADING = 0.95;

/** How long to wait for an answer of something that may be slow or gone. */
export class Patience {
  readonly #leastMs: number;
  #slowestMs: number;

  /** @param slowestMs - how slow answers are taken to have been before the first one. */
  constructor(leastMs: number, slowestMs = 0) {
    this.#leastMs = leastMs;
    this.#slowestMs = slowestMs;
  }

  /** The time-out in milliseconds after so many failures in a row. Each of them doubles it. */
  after(failures: number): number {
    const usual = Math.max(this.#leastMs, Math.min(LONGEST_TIMEOUT_MS, this.#slowestMs * MULTIPLE));
    return Math.max(usual, doubled(this.#leastMs, LONGEST_TIMEOUT_MS, failures));
  }

  /** Records an answer that took `ms`. */
  answered(ms: number): void {
    this.#slowestMs = Math.max(ms, this.#slowestMs * FADING);
  }
}
