import type { WindowReading } from '../models/model.ts';
import type { InFlight } from '../usage/in-flight.ts';

/** The service's last word on a window. */
export class LastReading {
  readonly #flights: InFlight;
  #limit = 0;
  #remaining = 0;
  #own = 0;
  #sentAt = Number.NEGATIVE_INFINITY;

  constructor(flights: InFlight) {
    this.#flights = flights;
  }

  /** Units that the window holds in all. */
  get limit(): number {
    return this.#limit;
  }

  /** Units that are left of it. */
  get remaining(): number {
    return this.#remaining;
  }

  /** When the request was sent that was told so. */
  get sentAt(): number {
    return this.#sentAt;
  }

  /** The last word is what the request sent last was told; of several sent at once, what the least lucky was. */
  observe({ limit, used, own, sentAt }: WindowReading): void {
    const remaining = Math.max(0, limit - used);
    if (sentAt < this.#sentAt || (sentAt === this.#sentAt && remaining >= this.#remaining)) return;
    this.#sentAt = sentAt;
    this.#limit = limit;
    this.#remaining = remaining;
    this.#own = own;
  }

  /** Units that are left even if none of what was sent since is counted in it: what others took may hide beneath that. */
  get leftAtLeast(): number {
    return this.#remaining - this.#flights.sentSince(this.#sentAt) + this.#own;
  }
}
