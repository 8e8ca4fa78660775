import { type Charge, type Hold, type Limit, longestHold, type ReasonKind } from '../admission.ts';
import type { Flight } from '../usage/in-flight.ts';
import { Cooldown } from './cooldown.ts';
import type { ManualPause } from './manual-pause.ts';
import type { Outage } from './outage.ts';
import type { Outages } from './outages.ts';

/** What holds back every request for a time: a pause that the service ordered, an outage, or a pause of the caller's own. */
export class Pauses implements Limit {
  /** The pause that the service ordered. */
  readonly ordered: Cooldown = new Cooldown();
  readonly outages: Outages;
  readonly manual: ManualPause;
  readonly #limits: readonly Limit[];

  constructor(outages: Outages, manual: ManualPause) {
    this.outages = outages;
    this.manual = manual;
    this.#limits = [this.ordered, outages, manual];
  }

  check(charge: Charge, now: number): Hold | undefined {
    return longestHold(this.#limits, charge, now);
  }

  /** The pause that lasts longest and is not the caller's own, in force or not. */
  get current(): Pick<Cooldown | Outage, 'until' | 'why' | 'kind'> {
    const { service } = this.outages;
    return service.until > this.ordered.until ? service : this.ordered;
  }

  /** The pause that lasts longest and has an end, in force or not. */
  get longest(): { readonly until: number; readonly kind: ReasonKind } {
    const { current, manual } = this;
    return manual.until > current.until && manual.until < Infinity ? manual : current;
  }

  /**
   * A request is sent.
   *
   * @param isFull - whether our books show a window that holds it back.
   */
  onSent(flight: Flight, isFull: boolean, now: number): void {
    this.ordered.onSent(flight, isFull);
    this.outages.onSent(flight, now);
  }
}
