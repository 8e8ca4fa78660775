import { type Charge, type Hold, type Limit, longestHold, type ReasonKind } from '../admission.ts';
import type { Flight } from '../usage/in-flight.ts';
import { Cooldown } from './cooldown.ts';
import { LONGER_MS } from './each-endpoint.ts';
import { EndpointCooldowns } from './endpoint-cooldowns.ts';
import type { ManualPause } from './manual-pause.ts';
import type { Outage } from './outage.ts';
import type { Outages } from './outages.ts';

/** What holds back requests for a time, every one or those of an endpoint: a pause that the service ordered, an outage, or a pause of the caller's own. */
export class Pauses implements Limit {
  /** The pause that the service ordered. */
  readonly ordered: Cooldown = new Cooldown();
  /** The pauses of single endpoints. */
  readonly endpoints: EndpointCooldowns = new EndpointCooldowns();
  readonly outages: Outages;
  readonly manual: ManualPause;
  readonly #limits: readonly Limit[];

  constructor(outages: Outages, manual: ManualPause) {
    this.outages = outages;
    this.manual = manual;
    this.#limits = [this.ordered, outages, manual];
  }

  check(charge: Charge, now: number): Hold | undefined {
    const own = this.endpoints.check(charge, now);
    const { until } = this.ordered;
    // A pause that is longer only so that another call is the probe is none of its own while all requests pause.
    const hold = own && until > now && own.until <= until + LONGER_MS ? undefined : own;
    return longestHold(this.#limits, charge, now, hold);
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

  /** How many calls may be sent now: where pause follows pause none during one, and one after it. */
  mostSent(now: number): number {
    if (!this.ordered.isRefusedAgain && this.outages.service.isClosed) return Infinity;
    return this.current.until > now ? 0 : 1;
  }

  /** The pause of an endpoint that lasts longest, in force or not. */
  ofEndpoint(endpoint: string | undefined): { readonly until: number; readonly kind: ReasonKind } {
    const ordered = this.endpoints.untilOf(endpoint);
    const outage = this.outages.untilOf(endpoint);
    return ordered > outage ? { until: ordered, kind: 'cooldown' } : { until: outage, kind: 'outage' };
  }

  /** The latest end of a pause that has one, of every request or of an endpoint, in force or not. */
  get until(): number {
    return Math.max(this.longest.until, this.endpoints.until, this.outages.endpointsUntil);
  }

  /**
   * A request is sent.
   *
   * @param isFull - whether our books show a window that holds it back.
   */
  onSent(flight: Flight, isFull: boolean, now: number): void {
    this.ordered.onSent(flight, isFull);
    this.endpoints.onSent(flight);
    this.outages.onSent(flight, now);
  }

  /** A request was served, and not by a cache. */
  onServed(flight: Flight): void {
    this.ordered.onServed(flight);
    this.endpoints.onServed(flight);
  }
}
