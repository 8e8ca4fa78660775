import { type Charge, type Hold, type Limit, longestHold } from '../admission.ts';
import type { ShareLimit } from '../share-limit.ts';
import type { Flight, InFlight } from '../usage/in-flight.ts';
import { RefusalRate } from './refusal-rate.ts';
import { SlowStart } from './slow-start.ts';

/** What holds requests back while no answer has named a limit: few go at once, and where some were refused, no more a second than were served. */
export class UnknownLimits implements Limit {
  readonly #isAnyWindowKnown: () => boolean;
  readonly #slowStart: SlowStart;
  readonly #refusalRate: RefusalRate;
  readonly #limits: readonly Limit[];

  constructor(flights: InFlight, shareLimit: Pick<ShareLimit, 'isGranting'>, isAnyWindowKnown: () => boolean) {
    this.#isAnyWindowKnown = isAnyWindowKnown;
    this.#slowStart = new SlowStart(flights, shareLimit);
    this.#refusalRate = new RefusalRate(isAnyWindowKnown);
    this.#limits = [this.#slowStart, this.#refusalRate];
  }

  check(charge: Charge, now: number): Hold | undefined {
    return longestHold(this.#limits, charge, now);
  }

  /** A request is sent. */
  onSent(flight: Flight, now: number): void {
    this.#refusalRate.onSent(flight, now);
  }

  /** A request was served. */
  onServed({ sentAt }: Flight, units: number, now: number): void {
    this.#slowStart.onServed(now - sentAt, this.#isAnyWindowKnown());
    this.#refusalRate.onServed(units, now);
  }

  /** A request was refused, and requests pause until an instant. */
  onRefused(flight: Flight, pausedUntil: number, now: number): void {
    this.#slowStart.onRefused();
    this.#refusalRate.onRefused(flight, pausedUntil, now);
  }
}
