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

  /** The quantile of this part, the lesser one where it is between two; undefined: there is none yet. */
  quantile(part: number): number | undefined {
    return this.#times.toSorted((a, b) => a - b)[Math.floor((this.#times.length - 1) * part)];
  }
}
