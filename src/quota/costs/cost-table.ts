import { CostSpread } from './cost-spread.ts';
import { numberOf, type Parameters } from './parameters.ts';

/** Combinations of values that a table holds. */
const MOST_KINDS = 64;

interface Kind {
  readonly values: readonly string[];
  readonly spread: CostSpread;
}

/** What the requests of an endpoint cost, by the values of some of their parameters. */
export class CostTable {
  /** Names of the parameters that tell its rows apart. */
  readonly names: readonly string[];
  readonly #kinds = new Map<string, Kind>();

  constructor(names: readonly string[]) {
    this.names = names;
  }

  /** Whether another combination of values can be learned. */
  get hasRoom(): boolean {
    return this.#kinds.size < MOST_KINDS;
  }

  /** The lowest of the costs that requests of any combination are sure to need; Infinity: none is known. */
  get cheapest(): number {
    let cheapest = Infinity;
    for (const { spread } of this.#kinds.values()) cheapest = Math.min(cheapest, spread.certain);
    return cheapest;
  }

  /** Learns what a request with these parameters cost. A full table learns only of combinations that it holds. */
  learn(parameters: Parameters, cost: number): void {
    const spread = this.findOwn(() => parameters) ?? this.#open(this.#valuesOf(parameters));
    spread?.learn(cost);
  }

  #open(values: readonly string[]): CostSpread | undefined {
    if (!this.hasRoom) return undefined;
    const spread = new CostSpread();
    this.#kinds.set(values.join('&'), { values, spread });
    return spread;
  }

  /** The costs of requests with these very parameters, as far as they decide; undefined: none was seen. */
  findOwn(parameters: () => Parameters): CostSpread | undefined {
    const key = this.names.length > 0 ? this.#valuesOf(parameters()).join('&') : '';
    return this.#kinds.get(key)?.spread;
  }

  /**
   * The costs of requests with these parameters. Of an unknown combination it is the cheapest of those known whose
   * numbers are all as large or larger, and whose other values are the same; undefined: there is none.
   */
  find(parameters: () => Parameters): CostSpread | undefined {
    const own = this.findOwn(parameters);
    if (own) return own;
    const values = this.#valuesOf(parameters());
    let cheapest: CostSpread | undefined;
    for (const kind of this.#kinds.values()) {
      const isCheaper = !cheapest || kind.spread.certain < cheapest.certain;
      if (isCheaper && values.every((value, place) => reaches(kind.values[place], value))) cheapest = kind.spread;
    }
    return cheapest;
  }

  /** An absent parameter differs from one without a value: `#` stands for it, because no query contains one. */
  #valuesOf(parameters: Parameters): readonly string[] {
    return this.names.map((name) => parameters.get(name) ?? '#');
  }
}

/** Whether a known value is the same as another, or a number no smaller than it. */
function reaches(known: string | undefined, value: string): boolean {
  if (known === value) return true;
  const [least, most] = [numberOf(value), numberOf(known)];
  return least !== undefined && most !== undefined && least <= most;
}
