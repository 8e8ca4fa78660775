import type { Charge, Limit, Reason } from './admission.ts';
import type { InFlight } from './in-flight.ts';
import type { Part } from './part.ts';

/**
 * Look before the first leap: while nothing is known of the limits one request may be in flight. An answer without
 * quota headers doubles how many may be; the first answer with them ends the caution, because then windows are reckoned with.
 */
export class FirstLook implements Limit {
  readonly #flights: InFlight;
  readonly #part: Pick<Part, 'isGranting'>;
  #allowed = 1;

  constructor(flights: InFlight, part: Pick<Part, 'isGranting'>) {
    this.#flights = flights;
    this.#part = part;
  }

  /** An answer came that was not refused. */
  welcome(isAnyWindowKnown: boolean): void {
    this.#allowed = isAnyWindowKnown ? Number.POSITIVE_INFINITY : this.#allowed * 2;
  }

  /** A refusal came. */
  rebuff(): void {
    if (this.#allowed < Number.POSITIVE_INFINITY) this.#allowed = 1;
  }

  earliest(_charge: Charge, now: number): number {
    const mayGo = this.#part.isGranting || this.#flights.requests < this.#allowed;
    return mayGo ? now : this.#flights.nextAge();
  }

  isFirm(): boolean {
    return false;
  }

  explain(): Reason {
    return { limit: 'first look', why: 'nothing is known of the limits yet, so a first answer is awaited' };
  }
}
