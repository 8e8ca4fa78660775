import type { Charge, Limit, Reason } from '../admission.ts';
import type { ShareLimit } from '../share-limit.ts';
import type { InFlight } from '../usage/in-flight.ts';

/**
 * Slow start: while no limit is known one request may be in flight. An answer without
 * quota headers doubles how many may be; the first answer with them ends the caution, because then windows are reckoned with.
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
  onSuccess(isAnyWindowKnown: boolean): void {
    this.#allowed = isAnyWindowKnown ? Number.POSITIVE_INFINITY : this.#allowed * 2;
  }

  /** A refusal came. */
  onRefusal(): void {
    if (this.#allowed < Number.POSITIVE_INFINITY) this.#allowed = 1;
  }

  earliest(_charge: Charge, now: number): number {
    const mayGo = this.#shareLimit.isGranting || this.#flights.requests < this.#allowed;
    return mayGo ? now : this.#flights.nextAge();
  }

  isFirm(): boolean {
    return false;
  }

  explain(): Reason {
    return { kind: 'slow-start', why: 'no limit is known until the first response' };
  }
}
