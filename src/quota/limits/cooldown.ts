import { type Charge, type Hold, holdUntil, type Limit } from '../admission.ts';
import { isAnyWindowFull, type QuotaSnapshot, resetOf } from '../headers/snapshot.ts';
import type { ServerClock } from '../time/server-clock.ts';
import { ARRIVES_WITHIN_MS, type Flight } from '../usage/in-flight.ts';

/** The first pause after a refusal without `retry-after`, in milliseconds; each further refusal doubles it. */
const FIRST_BACKOFF_MS = 1_000;
const LONGEST_BACKOFF_MS = 60_000;

/** After this many failures in a row the service counts as down, and is probed after pauses of at most this length. */
const FAILURES_IN_A_ROW = 5;
const LONGEST_OUTAGE_PAUSE_MS = 2_000;

/**
 * A pause, ordered by the service or caused by failures. It holds back every request, only ever grows, and ends half-open: one
 * request goes first, and the others follow only if it succeeds.
 */
export class Cooldown implements Limit {
  #until = Number.NEGATIVE_INFINITY;
  #why = '';
  #backoffMs = 0;
  #isHalfOpen = false;
  /** Whether the service ordered the pause; otherwise it is an outage. */
  #isOrdered = false;
  #failures = 0;
  /** When the first of these failures came. */
  #failsSince = 0;
  #probe: Flight | undefined;

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
    this.#isOrdered = true;
    this.#pause(instant, why);
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
    this.#lengthen(LONGEST_BACKOFF_MS);
    this.hold(now + this.#backoffMs, 'the service refused a request without saying when to retry');
  }

  /** A request failed. After several failures in a row requests pause, longer each time. */
  onFailure(now: number): void {
    if (this.#failures === 0) this.#failsSince = now;
    if (++this.#failures < FAILURES_IN_A_ROW || now < this.#until) return;
    this.#lengthen(LONGEST_OUTAGE_PAUSE_MS);
    this.#isOrdered = false;
    this.#pause(now + this.#backoffMs, `the last ${this.#failures} requests failed`);
  }

  /** The service answered, with whatever status. */
  onAnswer(): void {
    this.#failures = 0;
  }

  /** One request goes first after a pause. */
  take(flight: Flight): void {
    if (this.#isHalfOpen) this.#probe = flight;
  }

  /** A request ended: an answer that was not refused ends the half-open state if it was sent after the pause. */
  settle(flight: Flight, isWelcome: boolean): void {
    if (isWelcome && flight.sentAt >= this.#until) {
      this.#isHalfOpen = false;
      this.#backoffMs = 0;
    }
    if (this.#probe === flight) this.#probe = undefined;
  }

  check(_charge: Charge, now: number): Hold | undefined {
    if (now < this.#until) return this.#pauseHold;
    if (!this.#isHalfOpen || this.#probe?.state !== 'held') return undefined;
    const until = this.#probe.sentAt + ARRIVES_WITHIN_MS;
    if (until <= now) return undefined;
    return holdUntil(until, false, () => ({ kind: 'half-open', why: 'one request probes the service after a pause' }));
  }

  /** No answer ends a pause. An outage consists of many pauses of unknown number, so its whole duration counts as waiting. */
  get #pauseHold(): Hold {
    const [isOrdered, why] = [this.#isOrdered, this.#why];
    return {
      until: this.#until,
      isFirm: true,
      mayEndOnAnswer: false,
      scope: 'all',
      yieldsToPriority: false,
      failingSince: isOrdered ? undefined : this.#failsSince,
      reason: () => ({ kind: isOrdered ? 'cooldown' : 'outage', why }),
    };
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

  #lengthen(longestMs: number): void {
    this.#backoffMs = Math.min(longestMs, this.#backoffMs * 2 || FIRST_BACKOFF_MS);
  }

  #pause(instant: number, why: string): void {
    this.#isHalfOpen = true;
    if (instant <= this.#until) return;
    this.#until = instant;
    this.#why = why;
  }
}
