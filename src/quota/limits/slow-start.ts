import { type Charge, type Hold, holdUntil, type Limit } from '../admission.ts';
import type { ShareLimit } from '../share-limit.ts';
import type { InFlight } from '../usage/in-flight.ts';

/**
 * Slow start: while no limit is known one request may be in flight. Each round trip of answers without quota headers adds one, because all
 * that are in flight are refused with the first. It ends with the first answer that has them, because windows are known then, and with a refusal
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

  /** An answer came that was not refused. */
  onServed(isAnyWindowKnown: boolean): void {
    this.#allowed = isAnyWindowKnown ? Number.POSITIVE_INFINITY : this.#allowed + 1 / Math.floor(this.#allowed);
  }

  /** A refusal came. */
  onRefused(): void {
    if (this.#allowed > 1) this.#allowed = Number.POSITIVE_INFINITY;
  }

  check(_charge: Charge, now: number): Hold | undefined {
    if (this.#flights.requests < this.#allowed || this.#shareLimit.isGranting) return undefined;
    const until = this.#flights.nextAge();
    if (until <= now) return undefined;
    return holdUntil(until, false, () => ({ kind: 'slow-start', why: 'no limit is known until the first response' }));
  }
}
