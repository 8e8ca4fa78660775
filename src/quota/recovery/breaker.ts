import { Backoff } from './backoff.ts';

/** Options of a circuit breaker. */
export interface BreakerOptions {
  /** It opens after this many failures in a row. */
  readonly failures: number;
  /** The first pause, in milliseconds; each further failure doubles it. */
  readonly firstMs: number;
  readonly longestMs: number;
}

/**
 * A circuit breaker: after some failures in a row it is open for a pause, then half-open until a success closes it. A failure while
 * it is half-open opens it again, for longer.
 */
export class Breaker {
  readonly #failuresToOpen: number;
  readonly #backoff: Backoff;
  #failures = 0;
  #failingSince: number | undefined;
  #openUntil = -Infinity;

  constructor({ failures, firstMs, longestMs }: BreakerOptions) {
    this.#failuresToOpen = failures;
    this.#backoff = new Backoff(firstMs, longestMs);
  }

  /** Failures in a row. */
  get failures(): number {
    return this.#failures;
  }

  /** When the first of the failures in a row came; undefined: it is closed, and nothing has failed. */
  get failingSince(): number | undefined {
    return this.#failingSince;
  }

  /** The end of the last pause; -Infinity: it is closed. */
  get openUntil(): number {
    return this.#openUntil;
  }

  /** Whether no pause has begun since the last success. */
  get isClosed(): boolean {
    return this.#openUntil === -Infinity;
  }

  /** Whether a pause is in force. */
  isOpen(now: number): boolean {
    return now < this.#openUntil;
  }

  /** Whether a pause is over and no success has followed. */
  isHalfOpen(now: number): boolean {
    return !this.isClosed && now >= this.#openUntil;
  }

  /**
   * Records a failure.
   *
   * @param stretch - by which the pause is multiplied.
   * @returns whether a pause begins.
   */
  onFailure(now: number, stretch = 1): boolean {
    if (this.#failures === 0) this.#failingSince = now;
    if (++this.#failures < this.#failuresToOpen || this.isOpen(now)) return false;
    this.#openUntil = now + this.#backoff.next() * stretch;
    return true;
  }

  /**
   * Records a success: the count begins again.
   *
   * @param sentAt - when its request was sent: only one sent after the pause closes the breaker. Default: any does.
   */
  onSuccess(sentAt: number = Infinity): void {
    this.#failures = 0;
    if (sentAt < this.#openUntil) return;
    this.#failingSince = undefined;
    this.#openUntil = -Infinity;
    this.#backoff.reset();
  }
}
