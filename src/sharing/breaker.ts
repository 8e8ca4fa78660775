import { doubled } from '../quota/recovery/backoff.ts';
import { Breaker } from '../quota/recovery/breaker.ts';

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
  readonly #breaker = new Breaker({ failures: FAILURES, firstMs: FIRST_PAUSE_MS, longestMs: LONGEST_PAUSE_MS });
  #slowestMs = 0;
  heardAt: number = Number.NEGATIVE_INFINITY;

  constructor(timeoutMs: number, random: () => number) {
    this.#timeoutMs = timeoutMs;
    this.#random = random;
  }

  /** How long an answer is awaited now, in milliseconds: longer after each failure. */
  get timeoutMs(): number {
    const usual = Math.max(this.#timeoutMs, Math.min(LONGEST_MS, this.#slowestMs * PATIENCE));
    return Math.max(usual, doubled(this.#timeoutMs, LONGEST_MS, this.#breaker.failures));
  }

  get isLost(): boolean {
    return this.#breaker.failures >= FAILURES;
  }

  /** When the first of the failures in a row came; undefined: the last trip was answered. */
  get failsSince(): number | undefined {
    return this.#breaker.failingSince;
  }

  /** When the store is worth another try. */
  get retryAt(): number {
    return this.#breaker.openUntil;
  }

  /** A trip failed. @returns whether the store is lost from now on. */
  fail(now: number): boolean {
    this.#breaker.onFailure(now, 0.75 + this.#random() / 2);
    return this.#breaker.failures === FAILURES;
  }

  /** The store took `ms` to answer. */
  answered(ms: number, now: number): void {
    this.heardAt = now;
    this.#slowestMs = Math.max(ms, this.#slowestMs * FADING);
  }

  /** A trip was made. @returns for how long the store was lost; undefined: it was not. */
  mend(now: number): number | undefined {
    const lostMs = this.isLost && this.failsSince !== undefined ? now - this.failsSince : undefined;
    this.#breaker.onSuccess();
    return lostMs;
  }
}
