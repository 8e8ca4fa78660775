import { type Charge, type Hold, type Limit, longestHold } from '../admission.ts';
import type { Flight } from '../usage/in-flight.ts';
import { Cooldown } from './cooldown.ts';
import type { ManualPause } from './manual-pause.ts';
import type { Outage } from './outage.ts';

/** What holds back every request for a time: a pause that the service ordered, an outage, or a pause of the caller's own. */
export class Pauses implements Limit {
  /** The pause that the service ordered. */
  readonly ordered: Cooldown = new Cooldown();
  readonly outage: Outage;
  readonly manual: ManualPause;
  readonly #limits: readonly Limit[];

  constructor(outage: Outage, manual: ManualPause) {
    this.outage = outage;
    this.manual = manual;
    this.#limits = [this.ordered, outage, manual];
  }

  check(charge: Charge, now: number): Hold | undefined {
    return longestHold(this.#limits, charge, now);
  }

  /** The pause that lasts longest and is not the caller's own, in force or not. */
  get current(): Pick<Cooldown, 'until' | 'why'> {
    return this.outage.until > this.ordered.until ? this.outage : this.ordered;
  }

  /** The end of the pause that lasts longest and has one, in force or not. */
  get knownEnd(): number {
    const ends = [this.current.until, this.manual.until];
    return Math.max(...ends.filter((until) => until < Number.POSITIVE_INFINITY));
  }

  /**
   * A request is sent.
   *
   * @param isFull - whether our books show a window that holds it back.
   */
  onSent(flight: Flight, isFull: boolean, now: number): void {
    this.ordered.onSent(flight, isFull);
    this.outage.onSent(flight, now);
  }
}
