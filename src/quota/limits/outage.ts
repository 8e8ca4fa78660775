import { type Charge, type Hold, holdUntil, type Limit, within } from '../admission.ts';
import { Breaker } from '../recovery/breaker.ts';
import { Reopening } from '../recovery/reopening.ts';
import type { Flight } from '../usage/in-flight.ts';
import { LONGER_MS } from './each-endpoint.ts';

/** After this many failures in a row the service counts as down, and is probed after pauses of at most this length. */
const FAILURES_IN_A_ROW = 5;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 2_000;

/** Failures count as in a row if they are no further apart than this, in milliseconds. */
const APART_MS = 60_000;

/** A pause because requests fail: of the service, or of one endpoint. It ends half-open: one request goes first, and the others follow ever faster. */
export class Outage implements Limit {
  readonly kind = 'outage';
  readonly #breaker: Breaker;
  readonly #reopening = new Reopening('an outage');
  readonly #endpoint: string | undefined;
  #why = '';
  #failedAt = -Infinity;
  /** When the request was sent that was answered; the latest of them. */
  #answeredSentAt = -Infinity;

  /** @param endpoint - the one whose requests fail. Omitted: those of the service. */
  constructor(endpoint?: string) {
    this.#endpoint = endpoint;
    const more = endpoint === undefined ? 0 : LONGER_MS;
    const [firstMs, longestMs] = [FIRST_PAUSE_MS + more, LONGEST_PAUSE_MS + more];
    this.#breaker = new Breaker({ failures: FAILURES_IN_A_ROW, firstMs, longestMs });
  }

  /** The instant until which nothing may be sent. */
  get until(): number {
    return this.#breaker.openUntil;
  }

  /** The reason of the pause, a sentence for people. */
  get why(): string {
    return this.#why;
  }

  /** Whether it has no pause, and none has just ended. */
  get isClosed(): boolean {
    return this.#breaker.isClosed;
  }

  /** Whether a request that was sent then found the service down. */
  wasDownAt(sentAt: number): boolean {
    const { isClosed, failingSince = Infinity } = this.#breaker;
    return !isClosed && sentAt > failingSince;
  }

  /** A request is sent. */
  onSent(flight: Flight, now: number): void {
    this.#reopening.onSent(flight, this.#breaker.isHalfOpen(now));
  }

  /** The service answered, with any status. */
  onAnswer(flight: Flight): void {
    this.#answeredSentAt = Math.max(this.#answeredSentAt, flight.sentAt);
    // Where it stays open this changes nothing: what follows a pause begins with the first request after it.
    if (!this.#breaker.isClosed) this.#reopening.open();
    this.#breaker.onSuccess(flight.sentAt);
  }

  /**
   * A request failed: the connection, or the service behind its gateway. That is no sign of an outage if one that was sent later was
   * answered: the requests of one endpoint may all reach their time limit together, while others are served.
   */
  onFailure({ sentAt }: Pick<Flight, 'sentAt'>, now: number, code?: string): void {
    if (sentAt < this.#answeredSentAt) return;
    if (this.#breaker.isClosed && now > this.#failedAt + APART_MS) this.#breaker.onSuccess();
    this.#failedAt = now;
    const of = this.#endpoint === undefined ? '' : ` of ${this.#endpoint}`;
    const how = code === undefined ? '' : `, the latest with ${code}`;
    if (this.#breaker.onFailure(now)) this.#why = `the last ${this.#breaker.failures} requests${of} failed${how}`;
  }

  check(_charge: Charge, now: number): Hold | undefined {
    const { isClosed } = this.#breaker;
    const hold = this.#breaker.isOpen(now) ? this.#pauseHold : this.#reopening.check(!isClosed, now);
    return within(this.#endpoint, hold);
  }

  /** An outage consists of many pauses of unknown number, so its whole duration counts as waiting. No answer ends a pause. */
  get #pauseHold(): Hold {
    const { openUntil, failingSince } = this.#breaker;
    const why = this.#why;
    const facts = { isFirm: true, mayEndOnAnswer: false, failingSince, isOutage: true };
    return holdUntil(openUntil, () => ({ kind: this.kind, why }), facts);
  }
}
