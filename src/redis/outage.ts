/** The first pause before Redis is asked again, and the longest, in milliseconds. Each further one is twice as long. */
const FIRST_PAUSE_MS = 125;
const LONGEST_PAUSE_MS = 4_000;

/** All processes are back within this time of the first, in milliseconds: the longest pause, and what a trip takes. */
const RECENT_MS = LONGEST_PAUSE_MS + 1_000;

/** Whether Redis can be asked, and when it is worth trying again. */
export class Outage {
  #since: number | undefined;
  #retryAt = Number.NEGATIVE_INFINITY;
  #pauseMs = 0;
  #mendedAt = Number.NEGATIVE_INFINITY;

  get isLost(): boolean {
    return this.#since !== undefined;
  }

  /** The instant from which it may be asked. */
  get retryAt(): number {
    return this.#retryAt;
  }

  /** Whether it is not, or not for long, that Redis can be asked again. */
  isRecent(now: number): boolean {
    return this.isLost || now < this.#mendedAt + RECENT_MS;
  }

  /** A trip failed. @returns whether that is new. */
  fail(now: number): boolean {
    const isNew = this.#since === undefined;
    this.#since ??= now;
    this.#pauseMs = Math.min(LONGEST_PAUSE_MS, this.#pauseMs * 2 || FIRST_PAUSE_MS);
    this.#retryAt = now + this.#pauseMs;
    return isNew;
  }

  /** A trip succeeded. @returns how long Redis could not be asked; undefined if it could. */
  mend(now: number): number | undefined {
    const afterMs = this.#since === undefined ? undefined : now - this.#since;
    if (afterMs !== undefined) this.#mendedAt = now;
    this.#since = undefined;
    this.#pauseMs = 0;
    this.#retryAt = Number.NEGATIVE_INFINITY;
    return afterMs;
  }
}
