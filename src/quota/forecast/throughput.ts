/** How much of each new round trip enters the average. */
const FRESHNESS = 0.1;

/** Totals of the requests that were answered and not refused, and their smoothed round trip. */
export class Throughput {
  #roundTripMs: number | undefined;
  #requests = 0;
  #units = 0;

  /** How long an answer takes lately, in milliseconds; undefined before the first. */
  get roundTripMs(): number | undefined {
    return this.#roundTripMs;
  }

  /** Requests that were answered and not refused. */
  get requests(): number {
    return this.#requests;
  }

  /** Units that they took, as far as is known. */
  get units(): number {
    return this.#units;
  }

  /** An answer came that was not refused. */
  onServed(units: number, tookMs: number): void {
    this.#requests++;
    this.#units += units;
    this.#roundTripMs =
      this.#roundTripMs === undefined ? tookMs : this.#roundTripMs + FRESHNESS * (tookMs - this.#roundTripMs);
  }
}
