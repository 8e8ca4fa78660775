/** Upper bound of a time-out that adapts to slow answers or failures, in milliseconds. */
const LONGEST_MS = 1_000;

/** The time-out as a multiple of the slowest recent answer, and the factor by which that one shrinks with each answer. */
const PATIENCE = 3;
const FADING = 0.95;

/** After this many failures in a row the store counts as lost. */
const FAILURES = 3;

/** The first and the longest pause between two attempts while the store is lost, in milliseconds. */
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 500;

/** The circuit breaker of the store: the time-out of calls, and when to try again after failures. */
export class StoreBreaker {
  readonly #timeoutMs: number;
  readonly #random: () => number;
  #failures = 0;
  #slowestMs = 0;
  #pauseMs = 0;
  /** When the present series of failures began; undefined: the last trip succeeded. */
  failsSince: number | undefined;
  retryAt: number = Number.NEGATIVE_INFINITY;
  heardAt: number = Number.NEGATIVE_INFINITY;

  constructor(timeoutMs: number, random: () => number) {
    this.#timeoutMs = timeoutMs;
    this.#random = random;
  }

  /** The present time-out in milliseconds. It doubles with each failure. */
  get timeoutMs(): number {
    const usual = Math.max(this.#timeoutMs, Math.min(LONGEST_MS, this.#slowestMs * PATIENCE));
    return Math.max(usual, Math.min(LONGEST_MS, this.#timeoutMs * 2 ** Math.min(this.#failures, 10)));
  }

  get isLost(): boolean {
    return this.#failures >= FAILURES;
  }

  /** Records a failed trip. @returns whether the store is lost as of now. */
  fail(now: number): boolean {
    this.failsSince ??= now;
    const isNew = ++this.#failures === FAILURES;
    if (this.#failures >= FAILURES) {
      this.#pauseMs = Math.min(LONGEST_PAUSE_MS, this.#pauseMs * 2 || FIRST_PAUSE_MS);
      this.retryAt = now + this.#pauseMs * (0.75 + this.#random() / 2);
    }
    return isNew;
  }

  /** Records an answer that took `ms`. */
  answered(ms: number, now: number): void {
    this.heardAt = now;
    this.#slowestMs = Math.max(ms, this.#slowestMs * FADING);
  }

  /** Records a successful trip. @returns how long trips have failed, if the store was lost; else undefined. */
  mend(now: number): number | undefined {
    const lostMs = this.isLost && this.failsSince !== undefined ? now - this.failsSince : undefined;
    this.#failures = 0;
    this.#pauseMs = 0;
    this.failsSince = undefined;
    this.retryAt = Number.NEGATIVE_INFINITY;
    return lostMs;
  }
}
