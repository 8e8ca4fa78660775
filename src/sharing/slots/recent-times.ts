/** How long something took the last few times. */
export class RecentTimes {
  readonly #most: number;
  /** Latest last. */
  readonly #times: number[] = [];

  /** @param most - how many count. */
  constructor(most: number) {
    this.#most = most;
  }

  add(ms: number): void {
    this.#times.push(ms);
    if (this.#times.length > this.#most) this.#times.shift();
  }

  /** The one in the middle, the lesser of two; undefined: there is none yet. */
  get median(): number | undefined {
    return this.#times.toSorted((a, b) => a - b)[(this.#times.length - 1) >> 1];
  }
}
