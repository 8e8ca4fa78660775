import type { Charge, Limit, Reason } from '../admission.ts';
import { type QuotaSnapshot, windowsOf } from '../headers/snapshot.ts';
import { ARRIVES_WITHIN_MS, type Flight } from '../usage/in-flight.ts';

/** After this many answers a dearest cost that did not come back is forgotten. */
const MEMORY = 500;

/** Until an endpoint whose costs differ was seen this often, its dearest cost may well lie ahead. */
const FAMILIAR = 30;

/** How much more is reserved for an endpoint whose costs differ and that is not yet familiar. */
const CAUTION = 1.5;

/** No more endpoints than this are remembered, so that a caller's free-form names cannot grow the table for ever. */
const ENDPOINTS = 1_000;

interface Experience {
  least: number;
  most: number;
  seen: number;
  /** Units of all answers together. */
  sum: number;
  /** The dearest since `most` was last met, and how many answers ago that was. */
  recentMost: number;
  sinceMost: number;
}

/**
 * What each endpoint costs, learned from `x-ratelimit-cost-stacks` (section 8). As a limit: of an endpoint whose cost was
 * never seen, one request is in flight until it is.
 */
export class Costs implements Limit {
  readonly #experience = new Map<string, Experience>();
  readonly #probes = new Map<string, Flight>();
  #dearest = 1;
  #stated = false;

  /** What to reserve for a request before its cost is known, in units: the dearest seen, because a mean is exceeded half of the time. */
  expect(endpoint: string): number {
    const known = this.#experience.get(endpoint);
    if (!known) return this.#dearest;
    return known.most > known.least && known.seen < FAMILIAR ? Math.ceil(known.most * CAUTION) : known.most;
  }

  /** What a request costs on average, in units: for plans, where the dearest would add up to too much. */
  mean(endpoint: string | undefined): number {
    const known = endpoint === undefined ? undefined : this.#experience.get(endpoint);
    return known ? known.sum / known.seen : this.#dearest;
  }

  /** Takes in the cost that an answer stated. */
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

  /** Takes the word of others for what an endpoint costs, where we have no experience. */
  expectOf(endpoint: string, units: number): void {
    if (!this.#experience.has(endpoint)) this.learn(endpoint, units);
  }

  take(flight: Flight): void {
    if (this.#isNews(flight.endpoint)) this.#probes.set(flight.endpoint, flight);
  }

  settle(flight: Flight): void {
    if (this.#probes.get(flight.endpoint) === flight) this.#probes.delete(flight.endpoint);
  }

  earliest(charge: Charge, now: number): number {
    if (this.#probes.size === 0) return now;
    const probe = this.#probes.get(charge.endpoint);
    return probe?.state === 'held' && this.#isNews(charge.endpoint) ? probe.sentAt + ARRIVES_WITHIN_MS : now;
  }

  isFirm(): boolean {
    return false;
  }

  explain(charge: Charge): Reason {
    return {
      kind: 'first-cost',
      why: `the cost of ${charge.endpoint} is unknown until its first response`,
    };
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
