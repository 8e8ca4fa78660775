import { type Charge, type Hold, holdUntil, type Lease, type Limit } from '../admission.ts';
import type { Concurrency } from './concurrency.ts';
import { RunningSum } from './running-sum.ts';

/**
 * A request that arrives at all arrives within this time of being sent, in milliseconds: a guess. Later, a request
 * without an answer no longer weighs on every window but is booked where it may have been counted.
 */
export const ARRIVES_WITHIN_MS = 3_000;

/** A lease with its place in the books: its units are held until it ends, or until it must have arrived and is booked. */
export interface Flight extends Lease {
  /** Whether it was booked before an answer came, because it must have arrived. */
  isBooked: boolean;
  /** Whether it was settled or forgotten. */
  isOver: boolean;
  isExempt?: boolean;
  /** The books that it is in, where a client has those of several keys. */
  owner?: unknown;
}

/** Everything that is under way and what is held for it. As a limit: no more than `concurrency` at once. */
export class InFlight implements Limit {
  readonly #concurrency: Concurrency;
  readonly #expiryMs: number;
  readonly #held = new Set<Flight>();
  readonly #booked = new Set<Flight>();
  readonly #byEndpoint = new Map<string, number>();
  /** What was sent lately, by when. */
  readonly #sent = new RunningSum();
  #units = 0;

  /**
   * @param concurrency - how many requests may be under way, with this key and others.
   * @param expiryMs - a lease that is not settled within this time counts as forgotten, in milliseconds.
   */
  constructor(concurrency: Concurrency, expiryMs: number) {
    this.#concurrency = concurrency;
    this.#expiryMs = expiryMs;
  }

  /** Requests under way. */
  get open(): number {
    return this.#held.size + this.#booked.size;
  }

  /** Requests that may still be on their way to the service. */
  get requests(): number {
    return this.#held.size;
  }

  /** Units of the requests that may still be on their way to the service. */
  get units(): number {
    return this.#units;
  }

  /** Requests of these endpoints that may still be on their way to the service, or their units. */
  heldOf(endpoints: Pick<ReadonlySet<string>, 'has' | 'keys'>, inUnits: boolean): number {
    let held = 0;
    if (!inUnits) for (const endpoint of endpoints.keys()) held += this.#byEndpoint.get(endpoint) ?? 0;
    else for (const { endpoint, units } of this.#held) if (endpoints.has(endpoint)) held += units;
    return held;
  }

  /** Requests of an endpoint that are under way. */
  openOf(endpoint: string): number {
    let open = this.#byEndpoint.get(endpoint) ?? 0;
    for (const flight of this.#booked) if (flight.endpoint === endpoint) open++;
    return open;
  }

  /** When the latest of them was sent. */
  sentAtOf(endpoint: string): number {
    const open = [...this.#booked, ...this.#held].findLast((flight) => flight.endpoint === endpoint);
    return open?.sentAt ?? -Infinity;
  }

  take(charge: Charge, now: number): Flight {
    const { endpoint, query, units } = charge;
    const flight: Flight = {
      endpoint,
      query,
      sentAt: now,
      units,
      isBooked: false,
      isOver: false,
      isExempt: false,
      owner: undefined,
    };
    this.#held.add(flight);
    this.#concurrency.open++;
    this.#concurrency.sentAt = now;
    this.#byEndpoint.set(endpoint, (this.#byEndpoint.get(endpoint) ?? 0) + 1);
    this.#units += flight.units;
    this.#sent.add(flight.units, now);
    this.#sent.forget(now - this.#expiryMs);
    return flight;
  }

  /** Units sent at `instant` or later, answered or not. */
  sentSince(instant: number): number {
    return this.#sent.sumFrom(instant);
  }

  /** Removes a flight that has ended. */
  end(flight: Flight): void {
    if (flight.isOver) return;
    this.#release(flight);
    this.#booked.delete(flight);
    this.#concurrency.open--;
    flight.isOver = true;
  }

  /** Calls `book` for each flight that must have arrived by now, and forgets leases that were never settled. */
  age(now: number, book: (flight: Flight) => void): void {
    for (const flight of this.#held) {
      if (now < flight.sentAt + ARRIVES_WITHIN_MS) break;
      this.#release(flight);
      this.#booked.add(flight);
      flight.isBooked = true;
      book(flight);
    }
    for (const flight of this.#booked) {
      if (now < flight.sentAt + this.#expiryMs) break;
      this.end(flight);
    }
  }

  /** When the next request in flight will have aged, unless it is answered before. */
  nextAge(): number {
    for (const flight of this.#held) return flight.sentAt + ARRIVES_WITHIN_MS;
    return Infinity;
  }

  check(_charge: Charge, now: number): Hold | undefined {
    return this.holdAt(now);
  }

  /** What holds any charge back: as many requests are under way as may be. */
  holdAt(now: number): Hold | undefined {
    const { open, limit } = this.#concurrency;
    if (open < limit) return undefined;
    const until = this.endsBy(now);
    if (until <= now) return undefined;
    const maximum = 'the maximum (option concurrency)';
    return holdUntil(until, () => ({ kind: 'concurrency', why: `${open} requests are in flight, ${maximum}` }));
  }

  /** When one of the requests under way will have ended or aged. Those with another key are in other books. */
  endsBy(now: number): number {
    return Math.min(this.#nextExpiry ?? this.nextAge(), now + this.#expiryMs);
  }

  /** When the oldest booked flight counts as forgotten; undefined: none is booked. */
  get #nextExpiry(): number | undefined {
    for (const flight of this.#booked) return flight.sentAt + this.#expiryMs;
    return undefined;
  }

  #release(flight: Flight): void {
    if (!this.#held.delete(flight)) return;
    this.#units = this.#held.size > 0 ? this.#units - flight.units : 0;
    const left = (this.#byEndpoint.get(flight.endpoint) ?? 0) - 1;
    if (left > 0) this.#byEndpoint.set(flight.endpoint, left);
    else this.#byEndpoint.delete(flight.endpoint);
  }
}
