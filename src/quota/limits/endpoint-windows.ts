import { type QuotaSnapshot, resetOf } from '../headers/snapshot.ts';
import type { WindowReading } from '../models/model.ts';
import type { ServerClock } from '../time/server-clock.ts';
import type { Flight, InFlight } from '../usage/in-flight.ts';
import { ResetWindow } from './reset-window.ts';

/** Windows that are remembered: a service that reports a new limit each time would fill the memory. */
const MOST = 16;

/** The windows that only `ratelimit-limit`, `-remaining` and `-reset` describe, distinguished by their limits. */
export class EndpointWindows implements Iterable<ResetWindow> {
  readonly #clock: ServerClock;
  readonly #flights: InFlight;
  readonly #byLimit = new Map<number, ResetWindow>();

  constructor(clock: ServerClock, flights: InFlight) {
    this.#clock = clock;
    this.#flights = flights;
  }

  get size(): number {
    return this.#byLimit.size;
  }

  [Symbol.iterator](): Iterator<ResetWindow> {
    return this.#byLimit.values();
  }

  /** A request is sent. */
  onSent(flight: Flight, now: number): void {
    for (const window of this.#byLimit.values()) window.onSent(flight, now);
  }

  /** A request of this endpoint was answered without a reading, or must have arrived. */
  book(endpoint: string): void {
    for (const window of this.#byLimit.values()) window.book(endpoint);
  }

  /** Takes in what an answer said that is about none of the windows that the service names. */
  read(endpoint: string, quota: QuotaSnapshot, answer: Omit<WindowReading, 'limit' | 'used' | 'held'>): void {
    const { limit, remaining } = quota;
    const resetAt = resetOf(quota);
    if (limit === undefined || remaining === undefined || resetAt === undefined) return;
    let window = this.#byLimit.get(limit);
    const held = window?.held ?? 0;
    if (!window) {
      if (this.#byLimit.size >= MOST) return;
      window = new ResetWindow(limit, this.#clock, this.#flights);
      this.#byLimit.set(limit, window);
    }
    const leftMs = resetAt - (quota.date ?? quota.receivedAt);
    const reading = { ...answer, limit, used: limit - remaining, held };
    window.read(endpoint, resetAt, leftMs, reading);
    for (const other of this) if (other !== window) other.passOver(endpoint, remaining, reading);
  }
}
