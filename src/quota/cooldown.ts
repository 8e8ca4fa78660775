import type { Charge, Limit, Reason } from './admission.ts';
import { ARRIVES_WITHIN_MS, type Flight } from './in-flight.ts';

/** The first pause after a refusal that says nothing about when to come back, in milliseconds; each further one doubles it. */
const FIRST_BACKOFF_MS = 1_000;
const LONGEST_BACKOFF_MS = 60_000;

/**
 * A pause ordered by the service. It holds every sibling, only ever grows, and ends half-open: one request goes first,
 * and only its success lets the others follow.
 */
export class Cooldown implements Limit {
  #until = Number.NEGATIVE_INFINITY;
  #why = '';
  #backoffMs = 0;
  #isHalfOpen = false;
  #scout: Flight | undefined;

  /** The instant until which nothing may be sent. */
  get until(): number {
    return this.#until;
  }

  /** Who ordered it, in a sentence for people. */
  get why(): string {
    return this.#why;
  }

  /** Pauses until `instant`, unless a longer pause is in force. */
  hold(instant: number, why: string): void {
    this.#isHalfOpen = true;
    if (instant <= this.#until) return;
    this.#until = instant;
    this.#why = why;
  }

  /** Pauses after a refusal that did not say for how long: longer each time. */
  backOff(now: number): void {
    if (now < this.#until) return;
    this.#backoffMs = Math.min(LONGEST_BACKOFF_MS, this.#backoffMs * 2 || FIRST_BACKOFF_MS);
    this.hold(now + this.#backoffMs, 'the service refused a request without saying when to come back');
  }

  /** One request goes first after a pause. */
  take(flight: Flight): void {
    if (this.#isHalfOpen) this.#scout = flight;
  }

  /** What came of a request: an answer that was not refused ends the caution if it was sent after the pause. */
  settle(flight: Flight, isWelcome: boolean): void {
    if (isWelcome && flight.sentAt >= this.#until) {
      this.#isHalfOpen = false;
      this.#backoffMs = 0;
    }
    if (this.#scout === flight) this.#scout = undefined;
  }

  earliest(_charge: Charge, now: number): number {
    if (now < this.#until) return this.#until;
    return this.#isHalfOpen && this.#scout?.state === 'held' ? this.#scout.sentAt + ARRIVES_WITHIN_MS : now;
  }

  isFirm(_charge: Charge, now: number): boolean {
    return now < this.#until;
  }

  explain(_charge: Charge, now: number): Reason {
    if (now < this.#until) return { limit: 'cooldown', why: this.#why };
    return { limit: 'half-open', why: 'one request goes first after a pause' };
  }
}
