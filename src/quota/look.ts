import type { InFlight } from './in-flight.ts';
import type { ServerClock } from './server-clock.ts';

/** At most this part of a window is kept for a look. */
const MOST_PART = 0.1;

/**
 * Two requests that tell the shape of a window while it is in doubt. One follows a rest before the end: its answer tells
 * whether the window empties by itself. One goes past the end of the calendar window: its answer tells whether the window
 * has begun anew. Room is kept for them, so that they are no risk whatever the shape is. Where the service itself named
 * the end there is room for one unit then, and nothing need be kept for that.
 */
export class Look {
  readonly #clock: ServerClock;
  readonly #flights: InFlight;
  /** The end of the calendar window of which the service last spoke, by its clock. */
  #end = Number.POSITIVE_INFINITY;
  /** How long a rest must be to tell something, in milliseconds; undefined: none would. */
  #restMs: number | undefined;
  /** The end of the calendar window in which a request has followed a rest. */
  #restedBefore = Number.NaN;
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
    if (this.#isRested(now, units)) this.#restedBefore = this.#end;
    this.#lastTakenAt = now;
    this.#dearest = Math.max(this.#dearest, units);
    this.#namedEnd = undefined;
  }

  /**
   * The service spoke of the window that ends at `end`, by its clock.
   *
   * @param restMs - how long a rest must be to tell something, in milliseconds; Infinity: none would yet; undefined: or ever.
   */
  hear(end: number, restMs?: number): void {
    this.#end = end;
    this.#restMs = restMs;
  }

  /** The service named the window's end, in answer to a request that was sent at `sentAt`. */
  hearNamed(end: number, sentAt: number): void {
    if (sentAt >= this.#lastTakenAt && end > this.#clock.least(sentAt)) this.#namedEnd = end;
  }

  /** Units to keep of a window of `limit`. */
  kept(limit: number, now: number): number {
    const each = Math.min(this.#dearest, Math.floor(limit * MOST_PART));
    const forRest = this.#restEnds !== undefined && !this.#isRested(now) ? each : 0;
    if (this.#namedEnd !== undefined && this.#dearest <= 1) return forRest;
    const end = this.#clock.surely(this.#end);
    const isPastEnd = now >= end && this.#lastTakenAt < end && this.#flights.units === 0;
    return isPastEnd ? 0 : each + forRest;
  }

  /** When something of what is kept may be spent: after a rest, at the end, or when what is under way has come back. */
  due(now: number): number {
    const end = this.#clock.surely(this.#end);
    const due = Math.min(end, this.#restEnds ?? end);
    return now < due ? due : this.#flights.nextAge();
  }

  /** The instant at which a named end lets one unit try, unless something under way has taken it. */
  namedFor(units: number): number {
    if (this.#namedEnd === undefined || units > 1 || this.#flights.units > 0) return Number.POSITIVE_INFINITY;
    return this.#clock.surely(this.#namedEnd);
  }

  /** When nothing has been sent for long enough; undefined: no rest is owed. */
  get #restEnds(): number | undefined {
    if (this.#restMs === undefined || this.#restedBefore === this.#end) return undefined;
    return this.#lastTakenAt + this.#restMs;
  }

  /** Whether it is time for a request that follows a rest; `own` of what is under way are that request's. */
  #isRested(now: number, own = 0): boolean {
    return this.#restEnds !== undefined && this.#flights.units <= own && now >= this.#restEnds;
  }
}
