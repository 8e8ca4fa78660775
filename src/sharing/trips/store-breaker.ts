import { Breaker } from '../../quota/recovery/breaker.ts';
import { Patience } from './patience.ts';

/** After this many failures in a row the store counts as lost. */
const FAILURES = 3;

/** The first and the longest pause between two attempts while the store is lost, in milliseconds. */
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 500;

/** Each pause is shorter or longer by up to this part of it, at random, so that processes do not try together. */
const JITTER = 0.25;

/** The circuit breaker of the store: the time-out of calls, and when to try again after failures. */
export class StoreBreaker {
  readonly #patience: Patience;
  readonly #random: () => number;
  readonly #breaker = new Breaker({ failures: FAILURES, firstMs: FIRST_PAUSE_MS, longestMs: LONGEST_PAUSE_MS });
  heardAt: number = -Infinity;

  constructor(timeoutMs: number, random: () => number) {
    this.#patience = new Patience(timeoutMs);
    this.#random = random;
  }

  /** The present time-out in milliseconds. It doubles with each failure. */
  get timeoutMs(): number {
    return this.#patience.after(this.#breaker.failures);
  }

  /** Failures in a row. */
  get failures(): number {
    return this.#breaker.failures;
  }

  /** When the failures in a row began by which the store is lost; undefined: one or two lost answers do not show that it is away. */
  get lostSince(): number | undefined {
    return this.failures < FAILURES ? undefined : this.#breaker.failingSince;
  }

  /** When the next trip may be tried. */
  get retryAt(): number {
    return this.#breaker.openUntil;
  }

  /** Records a failed trip. @returns whether the store is lost as of now. */
  fail(now: number): boolean {
    this.#breaker.onFailure(now, 1 - JITTER + 2 * JITTER * this.#random());
    return this.#breaker.failures === FAILURES;
  }

  /** Records an answer that took `ms`. */
  answered(ms: number, now: number): void {
    this.heardAt = now;
    this.#patience.answered(ms);
  }

  /** Records a successful trip. @returns how long trips have failed, if the store was lost; else undefined. */
  mend(now: number): number | undefined {
    const { lostSince } = this;
    this.#breaker.onSuccess();
    return lostSince === undefined ? undefined : now - lostSince;
  }
}
