import type { ServerClock } from '../../time/server-clock.ts';
import type { InFlight } from '../../usage/in-flight.ts';
import type { SentInWindow } from '../sent-in-window.ts';

/** At most this part of a window is reserved for a probe. */
const MOST_PART = 0.1;

/**
 * Plans the two probes that reveal a long window's shape: one after an idle period (does usage drain?), one just past the
 * calendar boundary (does it reset?). Units are reserved for both, so they are safe under every candidate shape. Where the
 * service itself named the end, one unit fits then, and none is reserved for it.
 */
export class BoundaryProbe {
  readonly #clock: ServerClock;
  readonly #flights: InFlight;
  readonly #sent: Pick<SentInWindow, 'lastSentAt'>;
  /** The end of the calendar window of which the service last spoke, by its clock. */
  #end = Infinity;
  /** How long a rest must be to tell something, in milliseconds; undefined: none would. */
  #restMs: number | undefined;
  /** The end of the calendar window in which a request has followed a rest. */
  #restedBefore = Number.NaN;
  /** The end that the service named, by its clock, until a request has tried it. */
  #namedEnd: number | undefined;
  #largest = 0;

  constructor(clock: ServerClock, flights: InFlight, sent: Pick<SentInWindow, 'lastSentAt'>) {
    this.#clock = clock;
    this.#flights = flights;
    this.#sent = sent;
  }

  /** A request goes, before it is the last that was sent: what the service said before, it said without having seen this one. */
  onSent(units: number, now: number): void {
    if (this.#isRested(now, units)) this.#restedBefore = this.#end;
    this.#largest = Math.max(this.#largest, units);
    this.#namedEnd = undefined;
  }

  /**
   * The service spoke of the window that ends at `end`, by its clock.
   *
   * @param restMs - how long a rest must be to tell something, in milliseconds; Infinity: none would yet; undefined: or ever.
   */
  onReading(end: number, restMs?: number): void {
    this.#end = end;
    this.#restMs = restMs;
  }

  /** The service named the window's end, in answer to a request that was sent at `sentAt`. */
  onNamedEnd(end: number, sentAt: number): void {
    if (sentAt >= this.#sent.lastSentAt && end > this.#clock.least(sentAt)) this.#namedEnd = end;
  }

  /** Units to reserve of a window of `limit`. */
  reserved(limit: number, now: number): number {
    const each = Math.min(this.#largest, Math.floor(limit * MOST_PART));
    const forRest = this.#restEnds !== undefined && !this.#isRested(now) ? each : 0;
    if (this.#namedEnd !== undefined && this.#largest <= 1) return forRest;
    const end = this.#clock.surely(this.#end);
    const isPastEnd = now >= end && this.#sent.lastSentAt < end && this.#flights.units === 0;
    return isPastEnd ? 0 : each + forRest;
  }

  /** When reserved units may be used: after a rest, at the end, or when the requests in flight have been answered. */
  nextProbeAt(now: number): number {
    const end = this.#clock.surely(this.#end);
    const due = Math.min(end, this.#restEnds ?? end);
    return now < due ? due : this.#flights.nextAge();
  }

  /**
   * The instant at which one request may try whether the window has ended, unless one under way does: at a named end, which frees one
   * unit at least, or where `isContested` at that of the calendar, because other consumers have used what was reserved for it.
   */
  trialFor(units: number, isContested: boolean): number {
    if (this.#flights.units > 0) return Infinity;
    if (this.#namedEnd !== undefined && units <= 1) return this.#clock.surely(this.#namedEnd);
    const end = this.#clock.surely(this.#end);
    return isContested && this.#sent.lastSentAt < end ? end : Infinity;
  }

  /** When nothing has been sent for long enough; undefined: no rest is owed. */
  get #restEnds(): number | undefined {
    if (this.#restMs === undefined || this.#restedBefore === this.#end) return undefined;
    return this.#sent.lastSentAt + this.#restMs;
  }

  /** Whether it is time for a request that follows a rest; `own` of what is under way are that request's. */
  #isRested(now: number, own = 0): boolean {
    return this.#restEnds !== undefined && this.#flights.units <= own && now >= this.#restEnds;
  }
}
