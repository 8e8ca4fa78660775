import { type Charge, type Hold, holdUntil, type Limit } from '../admission.ts';
import type { Concurrency } from '../usage/concurrency.ts';
import type { InFlight } from '../usage/in-flight.ts';
import type { Outages } from './outages.ts';

/** The part of `concurrency` that the requests of one endpoint may take. */
const PART = 0.75;

/** Leaves a quarter of `concurrency` to other endpoints, where others were answered: requests of one that does not answer must not take all of it. */
export class Bulkhead implements Limit {
  readonly #flights: InFlight;
  readonly #concurrency: Concurrency;
  readonly #outages: Outages;

  constructor(flights: InFlight, concurrency: Concurrency, outages: Outages) {
    this.#flights = flights;
    this.#concurrency = concurrency;
    this.#outages = outages;
  }

  /** The requests of an endpoint that are under way, if they are as many as may be. */
  fullOf(endpoint: string): Readonly<Concurrency> | undefined {
    const open = this.#flights.openOf(endpoint);
    if (!this.#isFull(endpoint, open)) return undefined;
    return { limit: this.#most, open, sentAt: this.#flights.sentAtOf(endpoint) };
  }

  check({ endpoint }: Charge, now: number): Hold | undefined {
    const open = this.#flights.openOf(endpoint);
    if (!this.#isFull(endpoint, open)) return undefined;
    const left = 'a quarter of the maximum (option concurrency) is left to others';
    const reason = () =>
      ({ kind: 'concurrency', why: `${open} requests of ${endpoint} are in flight, and ${left}` }) as const;
    return holdUntil(this.#flights.endsBy(now), reason, { scope: 'endpoint' });
  }

  #isFull(endpoint: string, open: number): boolean {
    return open >= this.#most && this.#outages.hasAnsweredBeside(endpoint);
  }

  /** How many requests of one endpoint may be under way. */
  get #most(): number {
    return Math.ceil(PART * this.#concurrency.limit);
  }
}
