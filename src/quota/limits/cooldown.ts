import { type Charge, type Hold, holdUntil, type Limit } from '../admission.ts';
import { isAnyWindowFull, type QuotaSnapshot, resetOf } from '../headers/snapshot.ts';
import { Backoff } from '../recovery/backoff.ts';
import { Probe } from '../recovery/probe.ts';
import type { ServerClock } from '../time/server-clock.ts';
import type { Flight } from '../usage/in-flight.ts';

/** The first pause after a refusal without `retry-after`, in milliseconds; each further refusal doubles it. */
const FIRST_BACKOFF_MS = 1_000;
const LONGEST_BACKOFF_MS = 60_000;

/**
 * A pause that the service ordered. It holds back every request, only ever grows, and ends half-open: one request goes first, and
 * the others follow only if it is served.
 */
export class Cooldown implements Limit {
  #until = Number.NEGATIVE_INFINITY;
  #why = '';
  #isHalfOpen = false;
  readonly #backoff = new Backoff(FIRST_BACKOFF_MS, LONGEST_BACKOFF_MS);
  readonly #probe = new Probe();

  /** The instant until which nothing may be sent. */
  get until(): number {
    return this.#until;
  }

  /** The reason of the pause, a sentence for people. */
  get why(): string {
    return this.#why;
  }

  /** Pauses until `instant`, as the service ordered, unless a longer pause is in force. */
  hold(instant: number, why: string): void {
    this.#isHalfOpen = true;
    if (instant <= this.#until) return;
    this.#until = instant;
    this.#why = why;
  }

  /**
   * A refusal: pauses by `retry-after`, else until the reset, else until the full window ends, else with exponential back-off.
   * A pause of zero length is believed once.
   */
  onRefusal(quota: QuotaSnapshot, clock: ServerClock, now: number, sentAt: number = now): void {
    const order = this.#orderOf(quota, clock, now);
    if (!order || (this.#isHalfOpen && order.until <= now)) this.backOff(now, sentAt);
    else this.hold(order.until, order.why);
  }

  /** Exponential back-off after a refusal without `retry-after`. Refusals of requests sent before the current pause are ignored. */
  backOff(now: number, sentAt: number = now): void {
    if (now < this.#until || sentAt < this.#until) return;
    this.hold(now + this.#backoff.next(), 'the service refused a request without saying when to retry');
  }

  /** One request goes first after a pause. */
  onSent(flight: Flight): void {
    if (this.#isHalfOpen) this.#probe.onSent(flight);
  }

  /** A request ended: one that was served ends the half-open state if it was sent after the pause. */
  onEnded(flight: Flight, isServed: boolean): void {
    this.#probe.onEnded(flight);
    if (!isServed || flight.sentAt < this.#until) return;
    this.#isHalfOpen = false;
    this.#backoff.reset();
  }

  /** A request was served during the pause: it ends, half-open. */
  end(now: number): void {
    this.#until = Math.min(this.#until, now);
  }

  check(_charge: Charge, now: number): Hold | undefined {
    if (now < this.#until) return this.#pauseHold;
    const until = this.#isHalfOpen ? this.#probe.heldUntil(now) : now;
    if (until <= now) return undefined;
    return holdUntil(until, false, () => ({ kind: 'half-open', why: 'one request probes the service after a pause' }));
  }

  /** No answer ends a pause. */
  get #pauseHold(): Hold {
    const why = this.#why;
    return { ...holdUntil(this.#until, true, () => ({ kind: 'cooldown', why })), mayEndOnAnswer: false };
  }

  #orderOf(quota: QuotaSnapshot, clock: ServerClock, now: number): { until: number; why: string } | undefined {
    const { retryAfterMs, receivedAt } = quota;
    const resetAt = resetOf(quota);
    if (retryAfterMs !== undefined)
      return { until: now + retryAfterMs, why: 'the service refused a request and asked for a pause' };
    if (resetAt !== undefined) {
      const reset = clock.known ? clock.surely(resetAt) : now + resetAt - receivedAt;
      return { until: Math.max(now, reset), why: 'the service refused a request until its window resets' };
    }
    return isAnyWindowFull(quota) && clock.known ? { until: now, why: 'a window is full' } : undefined;
  }
}
