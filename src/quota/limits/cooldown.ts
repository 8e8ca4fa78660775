import { type Charge, type Hold, holdUntil, type Limit, within } from '../admission.ts';
import { isAnyWindowFull, type QuotaSnapshot, resetOf, saysFull } from '../headers/snapshot.ts';
import { Backoff } from '../recovery/backoff.ts';
import { Breaker } from '../recovery/breaker.ts';
import { TRIAL_MS } from '../recovery/hourly-trial.ts';
import { Reopening } from '../recovery/reopening.ts';
import { periodMsOf, withinMonth } from '../time/periods.ts';
import type { ServerClock } from '../time/server-clock.ts';
import type { Flight } from '../usage/in-flight.ts';

/** The first pause after a refusal without `retry-after`, in milliseconds; each further refusal doubles it. */
const FIRST_BACKOFF_MS = 1_000;
const LONGEST_BACKOFF_MS = 60_000;

/** The longest such pause of an endpoint: nothing says that it must wait. */
export const LONGEST_OF_ENDPOINT_MS = 8_000;

/** The pause that doubles is this part of it where the service says when to retry: it is longer than a second from the fifth refused probe in a row on. */
const ORDERED_PART = 1 / 8;

/** After so many refusals in a row the time since the first of them counts towards `maxWaitMs`. */
const REFUSED_IN_A_ROW = 5;

/** For this long our own books decide after they were right and `retry-after` was not, in milliseconds. */
const DISTRUST_MS = 3_600_000;

/** A refused request. */
export interface Refusal {
  /** What the headers of the answer said. */
  readonly quota: QuotaSnapshot;
  readonly sentAt: number;
  /** The longest window that the service has named, in milliseconds. */
  readonly longestMs?: number | undefined;
}

/**
 * A pause that the service ordered, of every request or of an endpoint. It only ever grows, and ends half-open: one request goes first, and
 * the others follow only if it is served, ever faster.
 */
export class Cooldown implements Limit {
  readonly kind = 'cooldown';
  readonly #endpoint: string | undefined;
  #until = -Infinity;
  #why = '';
  #isHalfOpen = false;
  /** How long after the end of the pause the first request goes, in milliseconds. */
  #delayMs = 0;
  readonly #backoff = new Backoff(FIRST_BACKOFF_MS, LONGEST_BACKOFF_MS);
  readonly #reopening = new Reopening('a pause');
  /** Refusals in a row that no full window explains: of the first request after each pause. */
  readonly #row = new Breaker({ failures: REFUSED_IN_A_ROW, firstMs: 0, longestMs: 0 });
  /** Whether `retry-after` named the end of the pause, and no request has gone on its word. */
  #isOrdered = false;
  /** When a request was sent on that word alone. */
  #triedAt = Number.NaN;
  #distrustedUntil = -Infinity;

  /** @param endpoint - the one whose requests it holds back. Omitted: every one. */
  constructor(endpoint?: string) {
    this.#endpoint = endpoint;
  }

  /** Whether the request that went first after a pause was refused, too, and none was served since. */
  get isRefusedAgain(): boolean {
    return this.#row.failures > 1;
  }

  /** The instant until which nothing may be sent. */
  get until(): number {
    return this.#until;
  }

  /** The reason of the pause, a sentence for people. */
  get why(): string {
    return this.#why;
  }

  /**
   * Whether `retry-after` named the end of the pause, so that the first request is sent then although our books show a full window: its answer corrects
   * the books, or is a refusal that proves them right.
   */
  get overrulesWindows(): boolean {
    return this.#isOrdered;
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
  onRefused({ quota, sentAt, longestMs }: Refusal, clock: ServerClock, now: number): void {
    const pauseMs = orderedPauseMs(quota, longestMs);
    if (saysFull(quota)) this.#row.onSuccess();
    else if (sentAt >= this.#until) this.#row.onFailure(now);
    if (sentAt === this.#triedAt) this.#distrustedUntil = now + DISTRUST_MS;
    this.#isOrdered = pauseMs !== undefined && now >= this.#distrustedUntil;
    const order = this.#orderOf(quota, pauseMs, clock, now);
    if (!order || (this.#isHalfOpen && order.until <= now)) this.#backOff(now, sentAt);
    else this.hold(Math.max(order.until, now + this.#leastMs(order.until - now, sentAt)), order.why);
  }

  /** How long to pause at least if the service names a time, in milliseconds: probes that are refused again and again although they waited as told become rarer. */
  #leastMs(orderedMs: number, sentAt: number): number {
    return orderedMs > 0 && sentAt >= this.#until ? this.#backoff.next() * ORDERED_PART : 0;
  }

  /** The first request goes so many milliseconds after the end of the pause, because other consumers return from it, too. */
  delayFirst(ms: number): void {
    this.#delayMs = ms;
  }

  /** The answer to a request that was not refused asks for a pause: of an hour at most. */
  onPauseAsked(pauseMs: number, now: number): void {
    this.hold(now + Math.min(pauseMs, TRIAL_MS), 'the service asked for a pause');
  }

  /**
   * A request is sent: the one that goes first after a pause, or one that follows.
   *
   * @param isFull - whether our books show a window that holds it back.
   */
  onSent(flight: Flight, isFull: boolean): void {
    const { sentAt } = flight;
    if (sentAt >= this.#until) this.#isOrdered = false;
    if (isFull) this.#triedAt = sentAt;
    this.#reopening.onSent(flight, this.#isHalfOpen);
  }

  /** A request was served: that ends the half-open state if it was sent after the pause. */
  onServed({ sentAt }: Flight): void {
    if (sentAt < this.#until) return;
    if (this.#isHalfOpen) this.#reopening.open();
    this.#isHalfOpen = false;
    this.#backoff.reset();
    this.#row.onSuccess();
  }

  /** A request was served during the pause: it ends, half-open. */
  end(now: number): void {
    this.#row.onSuccess();
    this.#until = Math.min(this.#until, now);
  }

  check(_charge: Charge, now: number): Hold | undefined {
    const isPause = now < this.#until;
    const hold = isPause ? this.#pauseHold : this.#reopening.check(this.#isHalfOpen, now, this.#until + this.#delayMs);
    return within(this.#endpoint, hold);
  }

  /** Exponential back-off. Refusals of requests sent before the current pause are ignored. */
  #backOff(now: number, sentAt: number): void {
    if (sentAt < this.#until) return;
    const longestMs = this.#endpoint === undefined ? LONGEST_BACKOFF_MS : LONGEST_OF_ENDPOINT_MS;
    this.hold(
      now + Math.min(longestMs, this.#backoff.next()),
      'the service refused a request without saying when to retry',
    );
  }

  /** No answer ends a pause. Where one follows another, their whole duration counts as waiting. */
  get #pauseHold(): Hold {
    const { failures, isClosed, failingSince } = this.#row;
    const why = this.#why;
    return holdUntil(this.#until, () => ({ kind: this.kind, why: this.#sentence(why, failures) }), {
      isFirm: true,
      mayEndOnAnswer: false,
      failingSince: isClosed ? undefined : failingSince,
    });
  }

  #sentence(why: string, failures: number): string {
    const refused = failures > 1 ? `the last ${failures} requests` : 'a request';
    const of = this.#endpoint === undefined ? '' : ` of ${this.#endpoint}`;
    return why.replace('a request', refused + of);
  }

  #orderOf(
    quota: QuotaSnapshot,
    pauseMs: number | undefined,
    clock: ServerClock,
    now: number,
  ): { until: number; why: string } | undefined {
    const { receivedAt } = quota;
    // Where an endpoint refuses alone, the end of a window that has room is not the end of what refused.
    const isByReset = this.#endpoint === undefined || quota.remaining === 0;
    const resetAt = isByReset ? resetOf(quota) : undefined;
    if (pauseMs !== undefined)
      return { until: now + pauseMs, why: 'the service refused a request and asked for a pause' };
    if (resetAt !== undefined) {
      const reset = clock.known ? clock.surely(resetAt) : now + resetAt - receivedAt;
      return { until: Math.max(now, reset), why: 'the service refused a request until its window resets' };
    }
    return isAnyWindowFull(quota) && clock.known ? { until: now, why: 'a window is full' } : undefined;
  }
}

/**
 * How long to pause as `retry-after` says, in milliseconds; undefined: it says nothing.
 *
 * Longer than any window, it is no number of seconds: a timestamp, milliseconds, or years. How long is not known then, so it
 * ends with the next hourly trial. The pause of a month ends with the month.
 *
 * @param longestMs - the longest window that the service has named, in milliseconds; undefined: none.
 */
export function orderedPauseMs(
  { retryAfterMs, date, receivedAt }: QuotaSnapshot,
  longestMs: number = periodMsOf('month'),
): number | undefined {
  if (retryAfterMs === undefined) return undefined;
  if (retryAfterMs > Math.max(longestMs, TRIAL_MS)) return TRIAL_MS;
  const serverNow = date ?? receivedAt;
  return withinMonth(serverNow, serverNow + retryAfterMs) - serverNow;
}
