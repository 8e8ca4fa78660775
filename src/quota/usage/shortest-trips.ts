/** So many of the shortest round trips are remembered. */
const REMEMBERED = 10;

/** The part of the least round trip that is reckoned with: the rest may be the service's work before it counts. */
const SURE_PART = 0.5;

/**
 * How much sooner than its answer a request has been counted, as seen from when the next one can be there: the way back of the one and the
 * way there of the other together take some time at least.
 *
 * The least that a round trip can take is estimated from the shortest ones, as far below them as they lie apart: where they come
 * close to nothing, it is nothing.
 */
export class ShortestTrips {
  /** In milliseconds, in order. */
  readonly #tripsMs: number[] = [];
  #part = SURE_PART;

  /** A request was answered after `tripMs`. */
  onAnswer(tripMs: number): void {
    const place = this.#tripsMs.findIndex((other) => tripMs < other);
    if (place >= 0) this.#tripsMs.splice(place, 0, tripMs);
    else this.#tripsMs.push(tripMs);
    if (this.#tripsMs.length > REMEMBERED) this.#tripsMs.pop();
  }

  /** A request was refused: it may have come too soon for that. */
  onRefused(): void {
    this.#part /= 2;
  }

  /** The time that is sure, in milliseconds. */
  get sureMs(): number {
    const [shortest = 0] = this.#tripsMs;
    const longest = this.#tripsMs[REMEMBERED - 1] ?? Number.POSITIVE_INFINITY;
    return this.#part * Math.max(0, 2 * shortest - longest);
  }
}
