import { type Charge, type Hold, type Limit, longestHold } from '../admission.ts';
import type { Flight } from '../usage/in-flight.ts';
import { EachEndpoint, latestEnd } from './each-endpoint.ts';
import { Outage } from './outage.ts';

/** The endpoint of a request, and when that was sent. */
type Sent = Pick<Flight, 'endpoint' | 'sentAt'>;

/**
 * The outage of the service, which holds back every request, and that of an endpoint, which holds back its own where another endpoint was answered:
 * one that fails must not delay the calls of those that do not.
 */
export class Outages implements Limit {
  readonly service: Outage = new Outage();
  readonly #endpoints = new EachEndpoint((endpoint) => new Outage(endpoint));
  /** The endpoint that was answered last, and the last one before that was another. */
  #answered: string | undefined;
  #answeredBefore: string | undefined;

  /** The latest end of a pause of an endpoint, in force or not. */
  get endpointsUntil(): number {
    return latestEnd(this.#endpoints);
  }

  /** The end of the pause of this endpoint alone, in force or not. */
  untilOf(endpoint: string | undefined): number {
    return this.#ownOf(endpoint)?.until ?? -Infinity;
  }

  /**
   * Whether a request found the service, or its endpoint, down. Not one of a service that was never answered: nothing shows that it exists.
   */
  wasDown({ endpoint, sentAt }: Sent): boolean {
    if (this.#answered === undefined) return false;
    return this.service.wasDownAt(sentAt) || this.#endpoints.get(endpoint)?.wasDownAt(sentAt) === true;
  }

  /** A request is sent. */
  onSent(flight: Flight, now: number): void {
    this.service.onSent(flight, now);
    this.#endpoints.get(flight.endpoint)?.onSent(flight, now);
  }

  /** See {@link Outage.onAnswer}. */
  onAnswer(flight: Flight): void {
    const { endpoint } = flight;
    if (endpoint !== this.#answered) this.#answeredBefore = this.#answered;
    this.#answered = endpoint;
    this.service.onAnswer(flight);
    this.#endpoints.get(endpoint)?.onAnswer(flight);
  }

  /** See {@link Outage.onFailure}. */
  onFailure(flight: Sent, now: number, code?: string): void {
    const own = this.#endpoints.of(flight.endpoint);
    // That an endpoint still fails says nothing new of a service that answers for others.
    if (own.isClosed || !this.service.isClosed) this.service.onFailure(flight, now, code);
    own.onFailure(flight, now, code);
  }

  check(charge: Charge, now: number): Hold | undefined {
    const hold = this.service.check(charge, now);
    const own = this.#ownOf(charge.endpoint);
    return own ? longestHold([own], charge, now, hold) : hold;
  }

  /** Whether the service answered for another endpoint than this. */
  hasAnsweredBeside(endpoint: string): boolean {
    return (endpoint === this.#answered ? this.#answeredBefore : this.#answered) !== undefined;
  }

  /** The outage of an endpoint, if another one was answered. */
  #ownOf(endpoint: string | undefined): Outage | undefined {
    const isAlone = endpoint !== undefined && this.hasAnsweredBeside(endpoint);
    return isAlone ? this.#endpoints.get(endpoint) : undefined;
  }
}
