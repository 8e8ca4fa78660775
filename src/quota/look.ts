import type { InFlight } from './in-flight.ts';
import type { ServerClock } from './server-clock.ts';

/** At most this part of a window is kept for a look. */
const MOST_PART = 0.1;

/**
 * One request past the end of a calendar window whose shape is in doubt: its answer tells whether the window has begun
 * anew. While in doubt, room is kept for it, so that it is no risk whatever the shape is. Where the service itself named
 * the end there is room for one unit then, and nothing need be kept.
 */
export class Look {
  readonly #clock: ServerClock;
  readonly #flights: InFlight;
  /** The end of the calendar window of which the service last spoke, by its clock. */
  #end = Number.POSITIVE_INFINITY;
  /** The end that the service named, by its clock, until a request has tried it. */
  #namedEnd: number | undefined;
  #lastTakenAt = Number.NEGATIVE_INFINITY;
  #dearest = 0;

  constructor(clock: ServerClock, flights: InFlight) {
    this.#clock = clock;
    this.#flights = flights;
  }

  /** When the last request went. */
  get lastTakenAt(): number {
    return this.#lastTakenAt;
  }

  /** A request goes: what the service said before, it said without having seen this one. */
  take(units: number, now: number): void {
    this.#lastTakenAt = now;
    this.#dearest = Math.max(this.#dearest, units);
    this.#namedEnd = undefined;
  }

  /** The service spoke of the window that ends at `end`, by its clock. */
  hear(end: number): void {
    this.#end = end;
  }

  /**
   * The service named the window's end, in answer to a request that was sent at `sentAt`.
   *
   * @returns the end, if it is news.
   */
  hearNamed(end: number, sentAt: number): number | undefined {
    if (sentAt < this.#lastTakenAt || end <= this.#clock.least(sentAt)) return undefined;
    this.#namedEnd = end;
    return end;
  }

  /** Units to keep of a window of `limit`. */
  kept(limit: number, now: number): number {
    if (this.#namedEnd !== undefined && this.#dearest <= 1) return 0;
    const end = this.#clock.surely(this.#end);
    const isItsTurn = now >= end && this.#lastTakenAt < end && this.#flights.units === 0;
    return isItsTurn ? 0 : Math.min(this.#dearest, Math.floor(limit * MOST_PART));
  }

  /** When what is kept may be spent: at the end, or when what is under way has come back. */
  due(now: number): number {
    const end = this.#clock.surely(this.#end);
    return now < end ? end : this.#flights.nextAge();
  }

  /** The instant at which a named end lets one unit try, unless something under way has taken it. */
  namedFor(units: number): number {
    if (this.#namedEnd === undefined || units > 1 || this.#flights.units > 0) return Number.POSITIVE_INFINITY;
    return this.#clock.surely(this.#namedEnd);
  }
}
