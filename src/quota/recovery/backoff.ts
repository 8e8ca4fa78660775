/** `firstMs`, doubled `times` times, at most `longestMs`, in milliseconds. */
export function doubled(firstMs: number, longestMs: number, times: number): number {
  return Math.min(longestMs, firstMs * 2 ** times);
}

/** A pause that doubles each time until it is reset. */
export class Backoff {
  readonly #firstMs: number;
  readonly #longestMs: number;
  #times = 0;

  constructor(firstMs: number, longestMs: number) {
    this.#firstMs = firstMs;
    this.#longestMs = longestMs;
  }

  /** The length of the next pause, in milliseconds. */
  next(): number {
    return doubled(this.#firstMs, this.#longestMs, this.#times++);
  }

  /** The next pause is as long as the last. */
  repeat(): void {
    this.#times = Math.max(0, this.#times - 1);
  }

  /** The next pause is the first again. */
  reset(): void {
    this.#times = 0;
  }
}
