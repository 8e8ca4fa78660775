import { type Charge, type Hold, holdUntil, type Limit } from '../admission.ts';
import { type QuotaSnapshot, windowsOf } from '../headers/snapshot.ts';
import { Probe } from '../recovery/probe.ts';
import type { Flight } from '../usage/in-flight.ts';

/** After this many answers a highest cost that was not seen again is forgotten. */
const MEMORY = 500;

/** Until an endpoint with varying costs was seen this often, a higher cost is likely to come. */
const FAMILIAR = 30;

/** Safety factor for an endpoint with varying costs that was not yet seen that often. */
const CAUTION = 1.5;

/** No more endpoints than this are remembered, so that a caller's free-form names cannot grow the table for ever. */
const ENDPOINTS = 1_000;

interface Experience {
  least: number;
  most: number;
  seen: number;
  /** Units of all answers together. */
  sum: number;
  /** The highest cost since `most` was last seen, and how many answers ago that was. */
  recentMost: number;
  sinceMost: number;
}

/**
 * What each endpoint costs, learned from `x-ratelimit-cost-stacks`. As a limit: of an endpoint whose cost was
 * never seen, one request is in flight until it is.
 */
export class Costs implements Limit {
  readonly #experience = new Map<string, Experience>();
  readonly #probes = new Map<string, Probe>();
  #dearest = 1;
  #stated = false;

  /** Units to hold for a request before its cost is known: the highest seen, because a mean is exceeded half of the time. */
  expect(endpoint: string): number {
    const known = this.#experience.get(endpoint);
    if (!known) return this.#dearest;
    return known.most > known.least && known.seen < FAMILIAR ? Math.ceil(known.most * CAUTION) : known.most;
  }

  /** Average cost of a request, in units: for plans, where the highest would add up to too much. */
  mean(endpoint: string | undefined): number {
    const known = endpoint === undefined ? undefined : this.#experience.get(endpoint);
    return known ? known.sum / known.seen : this.#dearest;
  }

  /** Learns from the cost stated by an answer. */
  learn(endpoint: string, cost: number): void {
    this.#stated = true;
    this.#dearest = Math.max(this.#dearest, cost);
    let known = this.#experience.get(endpoint);
    if (!known) {
      if (this.#experience.size >= ENDPOINTS) return;
      known = { least: cost, most: cost, seen: 0, sum: 0, recentMost: 0, sinceMost: 0 };
      this.#experience.set(endpoint, known);
    }
    known.seen++;
    known.sum += cost;
    known.least = Math.min(known.least, cost);
    known.recentMost = Math.max(known.recentMost, cost);
    if (cost >= known.most || ++known.sinceMost >= MEMORY) {
      known.most = known.recentMost;
      known.recentMost = 0;
      known.sinceMost = 0;
    }
  }

  /** Adopts an endpoint's cost from sibling processes, if it is unknown here. */
  expectOf(endpoint: string, units: number): void {
    if (!this.#experience.has(endpoint)) this.learn(endpoint, units);
  }

  /** A request is sent: the first of an endpoint whose cost is unknown is its probe. */
  onSent(flight: Flight): void {
    if (!this.#isNews(flight.endpoint)) return;
    const probe = this.#probes.get(flight.endpoint) ?? new Probe();
    probe.onSent(flight);
    this.#probes.set(flight.endpoint, probe);
  }

  /** A request has ended. */
  onEnded(flight: Flight): void {
    const probe = this.#probes.get(flight.endpoint);
    if (probe?.onEnded(flight)) this.#probes.delete(flight.endpoint);
  }

  /** Over after one round trip, so calls of other endpoints do not pass: the queue keeps its order. */
  check({ endpoint }: Charge, now: number): Hold | undefined {
    if (this.#probes.size === 0) return undefined;
    const until = this.#probes.get(endpoint)?.heldUntil(now) ?? now;
    if (until <= now || !this.#isNews(endpoint)) return undefined;
    const why = `the cost of ${endpoint} is unknown until its first response`;
    return holdUntil(until, false, () => ({ kind: 'first-cost', why }));
  }

  /** Where answers state no costs, every request counts as one unit and there is nothing to learn. */
  #isNews(endpoint: string): boolean {
    return this.#stated && !this.#experience.has(endpoint) && this.#experience.size < ENDPOINTS;
  }
}

/** The stated cost, or `undefined` if implausible: larger than a whole window although no window shows that much usage. */
export function believableCost(quota: QuotaSnapshot): number | undefined {
  const { cost } = quota.stacks;
  if (cost === undefined) return undefined;
  const windows = windowsOf(quota);
  const isTooDear = windows.some(({ limit = Number.POSITIVE_INFINITY }) => cost > limit);
  return isTooDear && windows.every(({ limit = 0, remaining = 0 }) => cost > limit - remaining) ? undefined : cost;
}
