import type { WindowReading } from '../models/model.ts';
import type { InFlight } from '../usage/in-flight.ts';

/** The limit and what remains of a window by its most recent reading. */
export class LastReading {
  readonly #flights: InFlight;
  #limit = 0;
  #remaining = 0;
  #used = 0;
  #own = 0;
  /** Units of requests that were sent before it and not answered yet: they may have arrived later. */
  #overtaken = 0;
  #sentAt = Number.NEGATIVE_INFINITY;

  constructor(flights: InFlight) {
    this.#flights = flights;
  }

  /** Units that the window holds in all. */
  get limit(): number {
    return this.#limit;
  }

  /** Units that remain of it. */
  get remaining(): number {
    return this.#remaining;
  }

  /** When the request was sent whose answer it is. */
  get sentAt(): number {
    return this.#sentAt;
  }

  /** Keeps the reading of the request *sent* last; of several sent at once, the one that counts most, whatever limit it names. */
  observe({ limit, used, own, held, sentAt }: WindowReading): void {
    const countsNoMore = used < this.#used || (used === this.#used && limit === this.#limit);
    if (sentAt < this.#sentAt || (sentAt === this.#sentAt && countsNoMore)) return;
    this.#sentAt = sentAt;
    this.#limit = limit;
    this.#remaining = Math.max(0, limit - used);
    this.#used = used;
    this.#own = own;
    this.#overtaken = Math.max(0, held - this.#flights.sentSince(sentAt) + own);
  }

  /** Lower bound of what remains: the last `remaining` minus everything that may have arrived since. Usage by others may hide beneath it. */
  get leftAtLeast(): number {
    return this.#remaining - this.#overtaken - this.#flights.sentSince(this.#sentAt) + this.#own;
  }
}
