import type { WindowNews } from '../quota/share-limit.ts';
import { type FailureMode, Fallback } from './fallback.ts';
import type { Ledger } from './ledger.ts';
import type { Trips } from './trips.ts';

/** Whatever other processes had booked is over this long after the store was lost, in milliseconds. */
const BOOKED_MS = 4_000;

/**
 * After a longer absence of the store processes may be sending alone. Each notices its return within a little more than a
 * second, then goes on alone for the shorter of these times, and asks for units from the longer one on: no process that still
 * sends alone meets one that was granted units. In milliseconds.
 */
const ABSENT_MS = 3_500;
const ALONE_MS = 700;
const RETURN_MS = 2_000;

/** What is done while the store cannot be asked, and for a moment after its return. */
export class Absence {
  readonly #trips: Trips;
  readonly #ledger: Ledger;
  readonly #random: () => number;
  readonly #mode: FailureMode;
  readonly #processes: number;
  #fallback: Fallback | undefined;
  #aloneUntil = Number.NEGATIVE_INFINITY;

  /** @param processes - how many to reckon with while the store has never been reached. */
  constructor(trips: Trips, ledger: Ledger, random: () => number, mode: FailureMode, processes: number) {
    this.#trips = trips;
    this.#ledger = ledger;
    this.#random = random;
    this.#mode = mode;
    this.#processes = processes;
  }

  /** Whether this process sends what the store has not granted. */
  get isAlone(): boolean {
    return this.#fallback !== undefined;
  }

  /** Whether any process may just have sent what the store had not granted. */
  isOverdrawn(now: number): boolean {
    return this.isAlone || now < this.#aloneUntil + RETURN_MS;
  }

  /** Whether the store cannot be asked, and what others may have booked is no hindrance. */
  isNow(now: number): boolean {
    const since = this.#trips.failsSince;
    if (since === undefined) return false;
    return !this.#trips.hasJoined || this.#ledger.isAmple(now) || now >= since + BOOKED_MS;
  }

  /** Whether to go on alone: while the store is away, or has just returned. */
  goesAlone(now: number): boolean {
    return this.isNow(now) || (this.isAlone && now < this.#aloneUntil);
  }

  /** The instant at which something may be sent without having been granted. */
  earliest(units: number, now: number): number {
    const { live, hasJoined } = this.#trips;
    this.#fallback ??= new Fallback(this.#mode, live ?? this.#processes, !hasJoined, this.#random(), now);
    return Math.max(now, Math.min(this.#fallback.earliest(units, this.#ledger.windows, now), this.#trips.retryAt(now)));
  }

  /** A request was sent without having been granted. */
  take(now: number): void {
    this.#fallback?.take(now);
  }

  /** Takes in what all processes together have spent. */
  hear(news: WindowNews): void {
    this.#fallback?.hear(news, this.#ledger.elapsed(news.period, news.receivedAt));
  }

  /** The store is asked. After a longer absence nothing is asked for that others may still send alone. */
  ask(now: number): void {
    if (this.#lasted(now) > ABSENT_MS) this.#ledger.askFrom(now + RETURN_MS);
  }

  /** The store answered an ask that was sent at `sentAt`. */
  answered(sentAt: number, now: number): void {
    if (this.#lasted(sentAt) > ABSENT_MS) this.#aloneUntil = now + ALONE_MS;
    if (now >= this.#aloneUntil) this.end();
  }

  /** Whatever was done alone is over. */
  end(): void {
    this.#fallback = undefined;
  }

  #lasted(now: number): number {
    return now - (this.#trips.failsSince ?? now);
  }
}
