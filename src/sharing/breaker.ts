/** How long an answer may take at most, whatever was usual, in milliseconds. */
const LONGEST_MS = 1_000;

/** An answer may take so many times as long as the slowest of late. */
const PATIENCE = 3;
const FADING = 0.95;

/** After so many failures in a row the store is taken to be lost. */
const FAILURES = 3;

/** The first pause between two tries of a store that is lost, and the longest, in milliseconds. */
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 500;

/** The circuit breaker of the store: how long an answer is awaited, and when to try again after failures. */
export class StoreBreaker {
  readonly #timeoutMs: number;
  readonly #random: () => number;
  #failures = 0;
  #slowestMs = 0;
  #pauseMs = 0;
  /** When the first of the failures in a row came; undefined: the last trip was answered. */
  failsSince: number | undefined;
  retryAt: number = Number.NEGATIVE_INFINITY;
  heardAt: number = Number.NEGATIVE_INFINITY;

  constructor(timeoutMs: number, random: () => number) {
    this.#timeoutMs = timeoutMs;
    this.#random = random;
  }

  /** How long an answer is awaited now, in milliseconds: longer after each failure. */
  get timeoutMs(): number {
    const usual = Math.max(this.#timeoutMs, Math.min(LONGEST_MS, this.#slowestMs * PATIENCE));
    return Math.max(usual, Math.min(LONGEST_MS, this.#timeoutMs * 2 ** Math.min(this.#failures, 10)));
  }

  get isLost(): boolean {
    return this.#failures >= FAILURES;
  }

  /** A trip failed. @returns whether the store is lost from now on. */
  fail(now: number): boolean {
    this.failsSince ??= now;
    const isNew = ++this.#failures === FAILURES;
    if (this.#failures >= FAILURES) {
      this.#pauseMs = Math.min(LONGEST_PAUSE_MS, this.#pauseMs * 2 || FIRST_PAUSE_MS);
      this.retryAt = now + this.#pauseMs * (0.75 + this.#random() / 2);
    }
    return isNew;
  }

  /** The store took `ms` to answer. */
  answered(ms: number, now: number): void {
    this.heardAt = now;
    this.#slowestMs = Math.max(ms, this.#slowestMs * FADING);
  }

  /** A trip was made. @returns for how long the store was lost; undefined: it was not. */
  mend(now: number): number | undefined {
    const lostMs = this.isLost && this.failsSince !== undefined ? now - this.failsSince : undefined;
    this.#failures = 0;
    this.#pauseMs = 0;
    this.failsSince = undefined;
    this.retryAt = Number.NEGATIVE_INFINITY;
    return lostMs;
  }
}
