import type { ServiceLimits } from '../../src/testing/index.ts';
import { Ledger } from '../../src/testing/limits/ledger.ts';
import { settingsFrom } from '../../src/testing/settings.ts';
import { LeftOver, type Taken } from './left-over.ts';
import type { Change, Scenario, Stretch } from './scenario.ts';

/** Requests of the same cost, each with its earliest instant. */
export interface Load {
  readonly cost: number;
  readonly endpoint: string;
  /** The earliest instant of each, in milliseconds from the start, in order. */
  readonly fromMs: readonly number[];
}

/** The true state of the service. */
export interface Terms {
  readonly windows: Scenario['windows'];
  readonly limits: ServiceLimits;
  /** Limits of single endpoints, in requests. */
  readonly ceilings: Readonly<Record<string, ServiceLimits>>;
  readonly spent: Scenario['spent'];
  /** The service's clock at the start, in milliseconds since the Unix epoch. */
  readonly startsAt: number;
  readonly changes: readonly Change[];
  /** Periods in which no request can arrive. */
  readonly pauses: readonly Stretch[];
  readonly leastLatencyMs: number;
  /** What other consumers were served, in order. */
  readonly taken: readonly Taken[];
}

/**
 * The shortest time, in milliseconds, in which the service could have answered the load without a refusal: every request arrives at the
 * first instant with room, in the best order (costly ones first), with the shortest latency, and other consumers get what they
 * got in fact. It uses the windows of the mock service
 * and shares no code with the client.
 *
 * A service that charges after the response would admit more than its limit; this is not taken into account.
 */
export function shortestMs(loads: readonly Load[], terms: Terms): number {
  const omniscient = new Omniscient(loads, terms);
  let at = 0;
  let last = 0;
  while (omniscient.isBusy) {
    if (omniscient.serveAt(at)) last = at;
    else at = omniscient.nextAfter(at);
  }
  return last + terms.leastLatencyMs;
}

class Omniscient {
  readonly #terms: Terms;
  readonly #quota: LeftOver;
  readonly #ceilings = new Map<string, Ledger>();
  readonly #loads: { readonly load: Load; served: number }[];
  readonly #changes: readonly Change[];
  #limits: ServiceLimits;
  #skew = 0;
  #changed = 0;

  constructor(loads: readonly Load[], terms: Terms) {
    const { kindOf } = settingsFrom({ windows: terms.windows });
    const counting = { kindOf, charge: 'before' } as const;
    this.#terms = terms;
    this.#limits = terms.limits;
    this.#quota = new LeftOver(counting, terms.taken);
    this.#quota.limit(terms.limits);
    if (terms.spent) this.#quota.charge(terms.spent.units, terms.startsAt - terms.spent.agoMs);
    for (const [name, limits] of Object.entries(terms.ceilings)) {
      this.#ceilings.set(name, new Ledger(counting).limit(limits));
    }
    this.#loads = loads.filter(({ fromMs }) => fromMs.length > 0).map((load) => ({ load, served: 0 }));
    this.#loads.sort((a, b) => b.load.cost - a.load.cost);
    this.#changes = terms.changes.toSorted((a, b) => a.atMs - b.atMs);
  }

  get isBusy(): boolean {
    return this.#loads.some(({ load, served }) => served < load.fromMs.length);
  }

  /** Serves all requests that fit at an instant; false if none does. */
  serveAt(at: number): boolean {
    this.#passChanges(at);
    this.#quota.passTo(this.#serviceTime(at));
    let isServed = false;
    for (const entry of this.#loads) {
      const { cost, endpoint, fromMs } = entry.load;
      for (; (fromMs[entry.served] ?? Infinity) <= at && this.#admitsAt(entry.load, at) <= at; entry.served++) {
        this.#quota.charge(cost, this.#serviceTime(at));
        this.#ceilings.get(endpoint)?.charge(1, this.#serviceTime(at));
        isServed = true;
      }
    }
    return isServed;
  }

  /** The next instant at which a request may fit. */
  nextAfter(at: number): number {
    let next = Infinity;
    for (const { load, served } of this.#loads) {
      const from = load.fromMs[served];
      if (from === undefined) continue;
      next = Math.min(next, from > at ? from : Math.max(at + 1e-3, this.#admitsAt(load, at)));
    }
    const taken = this.#quota.nextTakenAt - this.#serviceTime(0);
    return Math.min(next, taken, this.#changes[this.#changed]?.atMs ?? Infinity);
  }

  #admitsAt({ cost, endpoint }: Load, at: number): number {
    for (const { fromMs, toMs } of this.#terms.pauses) if (at >= fromMs && at < toMs) return toMs;
    const time = this.#serviceTime(at);
    // A request that costs more than a whole window needs an empty one.
    const fitting = Math.min(cost, ...Object.values(this.#limits));
    const admitted = Math.max(
      this.#quota.admitsAt(fitting, time),
      this.#ceilings.get(endpoint)?.admitsAt(1, time) ?? 0,
    );
    return admitted <= time ? at : at + (admitted - time);
  }

  #passChanges(at: number): void {
    for (
      let change = this.#changes[this.#changed];
      change && change.atMs <= at;
      change = this.#changes[++this.#changed]
    ) {
      this.#skew = change.skewMs ?? this.#skew;
      this.#limits = change.limits ?? this.#limits;
      this.#quota.limit(this.#limits);
    }
  }

  #serviceTime(at: number): number {
    return this.#terms.startsAt + this.#skew + at;
  }
}
