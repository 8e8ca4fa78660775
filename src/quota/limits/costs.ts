import { type Ask, type Charge, type Hold, holdUntil, type Limit } from '../admission.ts';
import { EndpointCosts } from '../costs/endpoint-costs.ts';
import { leastLimitOf, type QuotaSnapshot, windowsOf } from '../headers/snapshot.ts';
import { Probe } from '../recovery/probe.ts';
import type { Flight } from '../usage/in-flight.ts';

/** No more endpoints than this are remembered, so that a caller's free-form names cannot grow the table for ever. */
const ENDPOINTS = 1_000;

/** A request of unknown cost is sent only while this part of a short window is free. */
const SCOUTED_PART = 0.5;

/** After so many answers that state no cost, an endpoint is taken for one whose answers never do. */
const UNSTATED = 3;

/** What a request is expected to cost, in units. */
export interface ExpectedCost {
  /** Units to hold for it. */
  readonly certain: number;
  /** Units to space requests by. */
  readonly likely: number;
}

/**
 * What requests cost, learned from `x-ratelimit-cost-stacks`. As a limit: of an endpoint whose cost was never seen, or not for such
 * parameters, one request is in flight until it is.
 */
export class Costs implements Limit {
  readonly #byEndpoint = new Map<string, EndpointCosts>();
  /** Costs of unseen endpoints, as sibling processes stated them. */
  readonly #adopted = new Map<string, number>();
  readonly #probes = new Map<string, Probe>();
  /** Answers that stated no cost, of endpoints that were never seen to state one. */
  readonly #unstated = new Map<string, number>();
  #highest = 1;
  #cheapest = Infinity;
  #leastStated = Infinity;
  #stated = false;
  #surprises = 0;
  /** Costs for which requests were refused, by {@link requestKey}: parameters may decide them that are not known to. */
  readonly #refused = new Map<string, number>();

  /** Answers that stated a cost that was not known, or that varies. */
  get surprises(): number {
    return this.#surprises;
  }

  /** The lowest cost that is expected of any request, in units. */
  get cheapest(): number {
    return this.#cheapest;
  }

  /**
   * The charge for a request, at the cost that its caller states, or the one that is expected.
   *
   * @param windows - all that are known, with the units of the shortest.
   * @param waitedMs - for how long its call has waited.
   */
  charge(ask: Ask, windows: { readonly shortestLimit: number }, waitedMs?: number): Charge {
    const { endpoint, query, cost, priority = 0, urgency, maxWaitMs } = ask;
    if (cost !== undefined) {
      this.#state(cost);
      return { endpoint, query, units: cost, isStated: true, priority, urgency, maxWaitMs, waitedMs };
    }
    const { certain, likely } = this.expect(endpoint, query);
    const isNews = this.isNews({ endpoint, query });
    const units = isNews ? Math.max(certain, Math.ceil(SCOUTED_PART * windows.shortestLimit)) : certain;
    const least = isNews ? 0 : this.#leastOf(endpoint, query);
    return { endpoint, query, units, least, likely, priority, urgency, maxWaitMs, waitedMs };
  }

  /** The expected cost of a request; if such a request was never seen, the highest cost of its endpoint, or of all endpoints. */
  expect(endpoint: string, query: string = ''): ExpectedCost {
    const known = this.#byEndpoint.get(endpoint);
    return known?.find(query) ?? same(known?.highest ?? this.#adopted.get(endpoint) ?? this.#highest);
  }

  /** The lowest cost of such requests so far, in units; 0: none was seen, or none was ever refused for its cost. */
  #leastOf(endpoint: string, query: string = ''): number {
    if (this.#refused.size === 0) return 0;
    return this.#refused.get(requestKey(endpoint, query)) ?? this.#byEndpoint.get(endpoint)?.leastOf(query) ?? 0;
  }

  /** Average cost of such a request, in units: for plans, where the highest would add up to too much. */
  mean({ endpoint, query, cost }: Pick<Ask, 'query' | 'cost'> & { readonly endpoint?: string | undefined }): number {
    if (cost !== undefined) return cost;
    if (endpoint === undefined) return this.#highest;
    const known = this.#byEndpoint.get(endpoint);
    return (
      (query === undefined ? undefined : known?.find(query)?.likely) ?? known?.mean ?? this.expect(endpoint).likely
    );
  }

  /** A cost that the mean of such requests is unlikely to be below, in units: a call that is late by it is late in all likelihood. */
  surely({ endpoint, query = '', cost }: Ask): number {
    return cost ?? this.#byEndpoint.get(endpoint)?.surely(query) ?? 1;
  }

  /** The highest cost of all endpoints, in units; 1 while none is known. */
  get highest(): number {
    return this.#highest;
  }

  /** The highest cost of an endpoint, in units, for sibling processes. */
  highestOf(endpoint: string): number {
    return this.#byEndpoint.get(endpoint)?.highest ?? this.#highest;
  }

  /** Learns from the cost stated by an answer. */
  learn(endpoint: string, cost: number, query?: string): void {
    this.#highest = Math.max(this.#highest, cost);
    if (this.#refused.size > 0) this.#refused.delete(requestKey(endpoint, query));
    this.#learnOf(endpoint, cost, query);
  }

  /** An answer stated no cost. Where those of its endpoint never do, its requests are taken to cost as much as the costliest of all. */
  onUnstated(endpoint: string): void {
    if (!this.#stated || this.#byEndpoint.has(endpoint) || this.#unstated.size >= ENDPOINTS) return;
    const answers = (this.#unstated.get(endpoint) ?? 0) + 1;
    this.#unstated.set(endpoint, answers);
    if (answers === UNSTATED) this.expectOf(endpoint, this.#highest);
  }

  /** Learns the cost of a request that was refused for it. */
  learnRefused(endpoint: string, cost: number, query?: string): void {
    if (this.#refused.size < ENDPOINTS) this.#refused.set(requestKey(endpoint, query), cost);
    this.#learnOf(endpoint, cost, query);
  }

  #learnOf(endpoint: string, cost: number, query: string = ''): void {
    this.#stated = true;
    let known = this.#byEndpoint.get(endpoint);
    if (!known) {
      if (this.#byEndpoint.size >= ENDPOINTS) return;
      known = new EndpointCosts();
      this.#byEndpoint.set(endpoint, known);
    }
    const { cheapest } = known;
    if (!known.learn(query, cost)) this.#surprises++;
    if (known.cheapest !== cheapest) this.#findCheapest();
  }

  /** A caller states what a request costs. */
  #state(units: number): void {
    if (units < this.#leastStated) this.#leastStated = units;
    if (units < this.#cheapest) this.#cheapest = units;
  }

  #findCheapest(): void {
    this.#cheapest = this.#leastStated;
    for (const { cheapest } of this.#byEndpoint.values()) this.#cheapest = Math.min(this.#cheapest, cheapest);
  }

  /** Adopts an endpoint's highest cost from sibling processes, until a request of this process is answered. */
  expectOf(endpoint: string, units: number): void {
    this.#stated = true;
    this.#highest = Math.max(this.#highest, units);
    if (this.#adopted.size < ENDPOINTS) this.#adopted.set(endpoint, units);
  }

  /** A request is sent: the first of an endpoint whose cost is unknown is its probe. */
  onSent(flight: Flight): void {
    if (!this.isNews(flight)) return;
    const probe = this.#probes.get(flight.endpoint) ?? new Probe();
    probe.onSent(flight);
    this.#probes.set(flight.endpoint, probe);
  }

  /** A request has ended, so that the probe of its endpoint may be forgotten. */
  onEnded({ endpoint, sentAt }: Flight): void {
    const probe = this.#probes.get(endpoint);
    if (probe?.heldUntil(sentAt) === sentAt) this.#probes.delete(endpoint);
  }

  /** Whether a request of unknown cost is under way: a reading may count a whole window for it. */
  isProbing(now: number): boolean {
    for (const probe of this.#probes.values()) if (probe.heldUntil(now) > now) return true;
    return false;
  }

  /** Usually over after one round trip, so calls of other endpoints do not pass: the queue keeps its order. */
  check(charge: Charge, now: number): Hold | undefined {
    if (this.#probes.size === 0 || charge.isStated) return undefined;
    const { endpoint } = charge;
    const probe = this.#probes.get(endpoint);
    const until = probe?.heldUntil(now) ?? now;
    if (until <= now || !this.isNews(charge)) return undefined;
    const why = `the cost of ${endpoint} is unknown until its first response`;
    return holdUntil(until, () => ({ kind: 'first-cost', why }), { scope: probe?.isRepeated ? 'endpoint' : 'all' });
  }

  /**
   * Whether the cost of a request is unknown, so that it goes alone of its endpoint. Where answers state no costs, every request
   * counts as one unit and there is nothing to learn.
   */
  isNews({ endpoint, query = '' }: Pick<Charge, 'endpoint' | 'query'>): boolean {
    if (!this.#stated) return false;
    const known = this.#byEndpoint.get(endpoint);
    return known ? known.isNews(query) : this.#byEndpoint.size < ENDPOINTS && !this.#adopted.has(endpoint);
  }
}

/** Equal for requests of an endpoint with the same parameters. */
function requestKey(endpoint: string, query: string = ''): string {
  return `${endpoint} ${query}`;
}

function same(units: number): ExpectedCost {
  return { certain: units, likely: units };
}

/** The stated cost, or `undefined` if implausible: larger than a whole window although no window shows that much usage. */
export function believableCost(quota: QuotaSnapshot): number | undefined {
  const { cost } = quota.stacks;
  if (cost === undefined) return undefined;
  if (cost <= leastLimitOf(quota)) return cost;
  return windowsOf(quota).every(({ limit = 0, remaining = 0 }) => cost > limit - remaining) ? undefined : cost;
}

/**
 * The stated cost of a request that was refused because it exceeds what is left of a window; undefined: something else may be the cause.
 *
 * @param hadRoom - whether every window had units left before the request, by our own books.
 */
export function refusedCost(quota: QuotaSnapshot, hadRoom: boolean): number | undefined {
  const { cost } = quota.stacks;
  const windows = windowsOf(quota);
  if (cost === undefined || !windows.some(({ remaining = Infinity }) => cost > remaining)) return undefined;
  // A service that charges after the answer would serve it while anything is left. One that counts refused requests leaves nothing.
  return hadRoom || windows.every(({ remaining = 0 }) => remaining > 0) ? cost : undefined;
}
