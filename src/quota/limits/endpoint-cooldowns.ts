import type { Charge, Hold, Limit } from '../admission.ts';
import { hasRoom } from '../headers/snapshot.ts';
import type { ServerClock } from '../time/server-clock.ts';
import type { Flight } from '../usage/in-flight.ts';
import { Cooldown, type Refusal } from './cooldown.ts';
import { EachEndpoint, LONGER_MS, latestEnd } from './each-endpoint.ts';

/** So many endpoints are remembered that served a request. */
const MOST_SERVED = 1_000;

/**
 * The pauses of endpoints that refuse requests alone, such as a faucet behind the gateway, or one with a ceiling of its own. Each holds back the calls
 * of its endpoint.
 */
export class EndpointCooldowns implements Limit {
  readonly #cooldowns = new EachEndpoint((endpoint) => new Cooldown(endpoint));
  /** Endpoints that have served a request. */
  readonly #served = new Set<string>();
  /** The endpoint that refused the last request of all, and when; undefined: another one has served since. */
  #refusing: string | undefined;
  #refusedAt = -Infinity;
  /** The endpoint that refused while another one served, unless another one has refused since. */
  #alone: string | undefined;

  /** The latest end of a pause, in force or not. */
  get until(): number {
    return latestEnd(this.#cooldowns);
  }

  /** The end of the pause of this endpoint, in force or not. */
  untilOf(endpoint: string | undefined): number {
    return this.#cooldowns.get(endpoint)?.until ?? -Infinity;
  }

  /** Whether an endpoint has served nothing, although others have: what refuses its requests concerns no other. */
  isBarred(endpoint: string): boolean {
    return this.#haveOthersServed(endpoint) && !this.hasServed(endpoint);
  }

  /** Whether an endpoint has served a request. */
  hasServed(endpoint: string): boolean {
    return this.#served.has(endpoint);
  }

  #haveOthersServed(endpoint: string): boolean {
    return this.#served.size > (this.hasServed(endpoint) ? 1 : 0);
  }

  /**
   * A request was refused.
   *
   * @returns whether by its endpoint alone: others have served, and none of them refuses, or it has served nothing; and every named window has room, or,
   * where none is named, it has served nothing, or another one served between two of its refusals.
   */
  onRefused({ endpoint }: Flight, refusal: Refusal, clock: ServerClock, now: number): boolean {
    const isBarred = this.isBarred(endpoint);
    const isMet = isBarred || (this.#haveOthersServed(endpoint) && (this.#refusing ?? endpoint) === endpoint);
    const isAlone = isMet && (hasRoom(refusal.quota) ?? (isBarred || this.#alone === endpoint));
    if (!isBarred) {
      this.#refusing = endpoint;
      this.#refusedAt = now;
    }
    if (isAlone) this.#cooldowns.of(endpoint).onRefused(refusal, clock, now);
    return isAlone;
  }

  /** All requests pause until an instant because this endpoint refused one, and no window explains it: a call of another endpoint probes the service. */
  letOthersProbe(endpoint: string, until: number): void {
    if (!this.#haveOthersServed(endpoint)) return;
    this.#cooldowns.of(endpoint).hold(until + LONGER_MS, 'the service refused a request');
  }

  /** A request was served during the pause of its endpoint: that ends, half-open. */
  end({ endpoint }: Flight, now: number): void {
    this.#cooldowns.get(endpoint)?.end(now);
  }

  /** A request is sent. */
  onSent(flight: Flight): void {
    this.#cooldowns.get(flight.endpoint)?.onSent(flight, false);
  }

  /** A request was served. */
  onServed(flight: Flight): void {
    const { endpoint, sentAt } = flight;
    this.#cooldowns.get(endpoint)?.onServed(flight);
    this.#served.add(endpoint);
    const [first = endpoint] = this.#served;
    if (this.#served.size > MOST_SERVED) this.#served.delete(first);
    if (sentAt < this.#refusedAt) return;
    if (endpoint !== this.#refusing) this.#alone = this.#refusing ?? this.#alone;
    this.#refusing = undefined;
  }

  check(charge: Charge, now: number): Hold | undefined {
    return this.#cooldowns.get(charge.endpoint)?.check(charge, now);
  }
}
