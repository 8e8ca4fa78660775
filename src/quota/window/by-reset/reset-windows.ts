import { type QuotaSnapshot, resetOf } from '../../headers/snapshot.ts';
import type { WindowReading } from '../../models/model.ts';
import type { ServerClock } from '../../time/server-clock.ts';
import type { Flight, InFlight } from '../../usage/in-flight.ts';
import { ResetWindow } from './reset-window.ts';

/** Windows that are remembered: a service that reports a new limit each time would fill the memory. */
const MOST = 16;

/**
 * The windows that only `ratelimit-limit`, `-remaining` and `-reset` describe. Endpoints with equal limits have one window until an
 * answer counts less than their requests have left there, so that no request is refused where they do; then each has its own. If they
 * have one all the same, each answer says so anew, because it counts the requests of all.
 */
export class ResetWindows implements Iterable<ResetWindow> {
  readonly #clock: ServerClock;
  readonly #flights: InFlight;
  readonly #inUnits: () => boolean;
  #windows: ResetWindow[] = [];
  #revision = 0;

  /** @param inUnits - whether a window that is seen now counts units, not requests: where the service names no window, it is the quota. */
  constructor(clock: ServerClock, flights: InFlight, inUnits: () => boolean = () => false) {
    this.#clock = clock;
    this.#flights = flights;
    this.#inUnits = inUnits;
  }

  get size(): number {
    return this.#windows.length;
  }

  /** Counts the windows that have come and gone. */
  get revision(): number {
    return this.#revision;
  }

  [Symbol.iterator](): Iterator<ResetWindow> {
    return this.#windows.values();
  }

  /** A request is sent. */
  onSent(flight: Flight, now: number): void {
    for (const window of this.#windows) window.onSent(flight, now);
  }

  /** A request of this endpoint was answered without a reading, or must have arrived. */
  book(endpoint: string, sentAt: number, at: number, units: number): void {
    for (const window of this.#windows) window.book(endpoint, sentAt, at, units);
  }

  /** Takes in what an answer said that is about none of the windows that the service names. */
  read(endpoint: string, quota: QuotaSnapshot, answer: Omit<WindowReading, 'limit' | 'used' | 'held'>): void {
    const { limit, remaining } = quota;
    const resetAt = resetOf(quota) ?? Number.NaN;
    if (limit === undefined || remaining === undefined) return;
    const heard = { ...answer, limit, used: limit - remaining, held: 0 };
    const window = this.#windowOf(endpoint, resetAt, heard);
    if (!window) return;
    const leftMs = resetAt - (quota.date ?? quota.receivedAt);
    const readingOf = (one: ResetWindow): WindowReading => {
      return { ...heard, held: one.requests.held, settledSince: one.requests.settledSince(heard.sentAt) };
    };
    window.read(endpoint, resetAt, leftMs, readingOf(window));
    for (const other of this) if (other !== window) other.passOver(endpoint, remaining, readingOf(other));
    if (this.size > 1) this.#forget(endpoint, remaining);
  }

  /** An answer describes the tightest window: those that could not have as much left do not count its endpoint any more. */
  #forget(endpoint: string, remaining: number): void {
    const kept = this.#windows.filter(({ limit, requests }) => {
      if (limit < remaining) requests.drop(endpoint);
      return !requests.isEmpty;
    });
    if (kept.length < this.#windows.length) this.#revision++;
    this.#windows = kept;
  }

  /** The window that an answer describes; undefined: there are too many. */
  #windowOf(endpoint: string, resetAt: number, reading: WindowReading): ResetWindow | undefined {
    const alike = this.#windows.filter(({ limit }) => limit === reading.limit);
    const known = alike.find((window) => window.requests.has(endpoint));
    const candidates = known ? [known, ...alike] : alike;
    const found =
      candidates.find((window) => !window.isContradicted(endpoint, known, resetAt, reading)) ??
      this.#open(reading.limit);
    if (found && found !== known) found.requests.take(endpoint, known?.requests);
    return found ?? candidates[0];
  }

  #open(limit: number): ResetWindow | undefined {
    if (this.#windows.length >= MOST) return undefined;
    const window = new ResetWindow(limit, this.#clock, this.#flights, this.#inUnits());
    this.#windows.push(window);
    this.#revision++;
    return window;
  }
}
