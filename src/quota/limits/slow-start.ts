import { type Charge, type Hold, holdUntil, type Limit } from '../admission.ts';
import type { ShareLimit } from '../share-limit.ts';
import type { InFlight } from '../usage/in-flight.ts';

/** One more request may be in flight with each step of this length that has begun, in milliseconds: the first begins with the first answer. */
const STEP_MS = 400;

/**
 * Slow start: while no limit is known one request may be in flight. Each round trip of answers without quota headers adds one, or each
 * {@link STEP_MS} where that is longer, because all that are in flight are refused with the first. It ends with the first answer that has them, because windows are known then, and with a refusal
 * after something was served, because the rate is known then.
 */
export class SlowStart implements Limit {
  readonly #flights: InFlight;
  readonly #shareLimit: Pick<ShareLimit, 'isGranting'>;
  #allowed = 1;

  constructor(flights: InFlight, shareLimit: Pick<ShareLimit, 'isGranting'>) {
    this.#flights = flights;
    this.#shareLimit = shareLimit;
  }

  /** An answer came that was not refused, so many milliseconds after its request was sent. */
  onServed(roundTripMs: number, isAnyWindowKnown: boolean): void {
    const grown = this.#allowed + Math.min(1, roundTripMs / STEP_MS) / Math.floor(this.#allowed);
    this.#allowed = isAnyWindowKnown ? Infinity : grown;
  }

  /** A refusal came. */
  onRefused(): void {
    if (this.#allowed > 1) this.#allowed = Infinity;
  }

  check(_charge: Charge, now: number): Hold | undefined {
    if (this.#flights.requests < this.#allowed || this.#shareLimit.isGranting) return undefined;
    const until = this.#flights.nextAge();
    if (until <= now) return undefined;
    return holdUntil(until, () => ({ kind: 'slow-start', why: 'no limit is known until the first response' }));
  }
}
