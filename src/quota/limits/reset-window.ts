import type { Charge, Hold, Limit } from '../admission.ts';
import type { WindowReading } from '../models/model.ts';
import { Probe } from '../recovery/probe.ts';
import type { ServerClock } from '../time/server-clock.ts';
import type { WindowEnd } from '../time/window-end.ts';
import type { Flight, InFlight } from '../usage/in-flight.ts';

/** Resets that differ by less belong to one instance: services cut them to seconds in different ways. */
const SAME_MS = 500;

/** A service that cuts its resets to whole seconds may name one this much too early. */
const ROUNDING_MS = 1_000;

/** Windows that begin on the calendar end on a multiple of a minute. A guess: shorter ones show by their successors. */
const CALENDAR_MS = 60_000;

/**
 * The window that `ratelimit-limit`, `-remaining` and `-reset` describe: of unknown kind and length, it is
 * known by its reset alone. Counts requests, not units, as the interface says. Past its end one request goes first, and
 * its answer names the next instance.
 */
export class ResetWindow implements Limit {
  readonly limit: number;
  readonly #clock: ServerClock;
  readonly #flights: InFlight;
  readonly #endpoints = new Set<string>();
  #resetAt = Number.NEGATIVE_INFINITY;
  /** The shortest time between two resets so far. */
  #periodMs = CALENDAR_MS;
  #isOnCalendar = false;
  /** Whether the present instance is one of which only the beginning is known. */
  #isUnnamed = false;
  /** When the present instance ends by our clock, as stated by one answer. */
  #endsAt = Number.POSITIVE_INFINITY;
  #spent = 0;
  #remaining: number;
  readonly #probe = new Probe();
  #seenAt = Number.NEGATIVE_INFINITY;

  constructor(limit: number, clock: ServerClock, flights: InFlight) {
    this.limit = limit;
    this.#remaining = limit;
    this.#clock = clock;
    this.#flights = flights;
  }

  /** When the request was sent that was answered last. */
  get seenAt(): number {
    return this.#seenAt;
  }

  /** When the present instance ends: the service names it. */
  get end(): WindowEnd {
    const clock = this.#clock;
    if (!clock.known) return { certainty: 'known', from: this.#endsAt, to: this.#endsAt };
    return { certainty: 'known', from: clock.soonest(this.#resetAt), to: this.#end };
  }

  /** The service's last word on what is left, in requests. */
  get remaining(): number {
    return this.#remaining;
  }

  /** When the present instance ends, by the service's clock. */
  get resetAt(): number {
    return this.#resetAt;
  }

  /** When the present instance ends by our clock, as stated by one answer. */
  get endsAt(): number {
    return this.#endsAt;
  }

  /** The shortest time between two resets so far, in milliseconds. */
  get periodMs(): number {
    return this.#periodMs;
  }

  /** Whether requests of this endpoint are known to count here. */
  covers(endpoint: string): boolean {
    return this.#endpoints.has(endpoint);
  }

  /** Requests that count here and may still be on their way. */
  get held(): number {
    return this.#flights.requestsOf(this.#endpoints);
  }

  headroom(): number {
    return Math.max(0, this.limit - this.#spent - this.held);
  }

  check(charge: Charge, now: number): Hold | undefined {
    if (!this.#endpoints.has(charge.endpoint) || this.headroom() >= 1) return undefined;
    const end = this.limit > 0 ? this.#end : Number.POSITIVE_INFINITY;
    const until = now < end ? end : this.#probe.heldUntil(now);
    if (until <= now) return undefined;
    const { limit } = this;
    return {
      until,
      isFirm: this.#spent >= limit && now < end,
      mayEndOnAnswer: true,
      scope: 'endpoint',
      yieldsToPriority: false,
      reason: () => {
        const headroom = this.headroom();
        const why = `the endpoint's window of ${limit} requests has ${headroom} left`;
        return { kind: 'window', why, window: 'endpoint', limit, headroom };
      },
    };
  }

  /** A request is sent: past the end of a full window it is the probe. */
  onSent(flight: Flight, now: number): void {
    if (this.#endpoints.has(flight.endpoint) && this.headroom() < 1 && now >= this.#end) this.#probe.onSent(flight);
  }

  /** A request of this endpoint was answered without a reading, or must have arrived. */
  book(endpoint: string): void {
    if (this.#endpoints.has(endpoint)) this.#spent++;
  }

  /**
   * An answer described a tighter window, so this one has no less left than that. Where the request was sent past this
   * one's end, its next instance has begun, and is known by its successor's name only later.
   *
   * @param left - requests left in the tighter window.
   */
  passOver(endpoint: string, left: number, { sentAt, settledSince }: WindowReading): void {
    if (!this.#endpoints.has(endpoint)) return;
    this.#spent++;
    if (sentAt < this.#end) return;
    if (!this.#isUnnamed) this.#spent = settledSince + 1;
    this.#isUnnamed = true;
    this.#spent = Math.min(this.#spent, this.limit - left + settledSince);
  }

  /**
   * Takes in what an answer said of this window.
   *
   * @param resetAt - its end by the service's clock.
   * @param leftMs - the time from the answer to that end, as stated by one answer.
   */
  read(endpoint: string, resetAt: number, leftMs: number, reading: WindowReading): void {
    this.#endpoints.add(endpoint);
    this.#seenAt = Math.max(this.#seenAt, reading.sentAt);
    if (resetAt < this.#resetAt - SAME_MS) {
      // It describes an earlier instance, or this one with a reset that was rounded differently; then it was counted here.
      this.#spent++;
      return;
    }
    if (resetAt > this.#resetAt + SAME_MS) {
      this.#periodMs = Math.min(this.#periodMs, resetAt - this.#resetAt);
      this.#isOnCalendar = resetAt % this.#periodMs === 0;
      this.#resetAt = resetAt;
      this.#isUnnamed = false;
      this.#endsAt = reading.receivedAt + leftMs + ROUNDING_MS;
      this.#spent = reading.used + reading.settledSince;
    } else {
      const spent = Math.max(this.#spent + 1, reading.used - reading.held);
      this.#spent = Math.min(spent, reading.used + reading.settledSince);
    }
    this.#remaining = Math.max(0, this.limit - reading.used);
  }

  get #end(): number {
    if (!this.#clock.known) return this.#endsAt;
    return this.#clock.surely(this.#isOnCalendar ? this.#resetAt : this.#resetAt + ROUNDING_MS);
  }
}
