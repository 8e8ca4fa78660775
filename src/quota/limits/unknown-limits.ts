import { type Charge, type Hold, type Limit, longestHold } from '../admission.ts';
import type { ShareLimit } from '../share-limit.ts';
import type { Flight, InFlight } from '../usage/in-flight.ts';
import { EachEndpoint } from './each-endpoint.ts';
import { LearnedRate } from './learned-rate.ts';
import { SlowStart } from './slow-start.ts';

/** A request that was refused. */
interface Refused {
  /** The end of the pause that follows. */
  readonly pausedUntil: number;
  /** Whether its answer says that a window is full. */
  readonly isExplained: boolean;
  /** Whether its endpoint refuses alone. */
  readonly isAlone: boolean;
}

/** Limits that no answer names: few requests go at once while no window is known, and where some are refused that no full window explains, no more a second than were served. */
export class UnknownLimits implements Limit {
  readonly #isAnyWindowKnown: () => boolean;
  readonly #slowStart: SlowStart;
  readonly #common = new LearnedRate();
  readonly #limits: readonly Limit[];
  /** The rates of endpoints that refuse alone. */
  readonly #own = new EachEndpoint((endpoint) => new LearnedRate(endpoint));

  constructor(flights: InFlight, shareLimit: Pick<ShareLimit, 'isGranting'>, isAnyWindowKnown: () => boolean) {
    this.#isAnyWindowKnown = isAnyWindowKnown;
    this.#slowStart = new SlowStart(flights, shareLimit);
    this.#limits = [this.#slowStart, this.#common];
  }

  check(charge: Charge, now: number): Hold | undefined {
    const hold = longestHold(this.#limits, charge, now);
    const own = this.#own.get(charge.endpoint);
    return own ? longestHold([own], charge, now, hold) : hold;
  }

  /** A request is sent. */
  onSent(flight: Flight, now: number): void {
    this.#common.onSent(flight, now);
    this.#own.get(flight.endpoint)?.onSent(flight, now);
  }

  /** A request was served. */
  onServed(flight: Flight, units: number, now: number): void {
    this.#slowStart.onServed(now - flight.sentAt, this.#isAnyWindowKnown());
    this.#common.onServed(flight, units, now);
    this.#own.get(flight.endpoint)?.onServed(flight, units, now);
  }

  /** A request was refused. */
  onRefused(flight: Flight, { pausedUntil, isExplained, isAlone }: Refused, now: number): void {
    this.#slowStart.onRefused();
    if (isExplained) return;
    const isNamed = this.#isAnyWindowKnown();
    // What an endpoint refuses alone says nothing of others.
    const rate = isAlone && isNamed ? this.#own.of(flight.endpoint) : this.#common;
    rate.onRefused(flight, pausedUntil, isNamed, now);
  }
}
