import { CostSamples } from './cost-samples.ts';
import { CostSpread } from './cost-spread.ts';
import { CostTable } from './cost-table.ts';
import { parametersOf } from './parameters.ts';

/** Once this many values of a parameter were answered, another one no longer makes a request news. */
const FAMILIAR = 3;

/** Parameters whose values are remembered for that. */
const MOST_PARAMETERS = 16;

/** The samples are looked at again after twice as many wrong expectations, but no later than after this many. */
const LONGEST_WRONG = 256;

/** What an endpoint costs, by those of its parameters that decide it. */
export class EndpointCosts {
  readonly #all = new CostSpread();
  readonly #samples = new CostSamples();
  /** The first values of each parameter. */
  readonly #values = new Map<string, Set<string>>();
  #table = new CostTable([]);
  #wrong = 0;
  #lookAt = 1;

  /** Average cost of its requests, in units. */
  get mean(): number {
    return this.#all.likely;
  }

  /** The highest cost that is remembered of it, in units. */
  get highest(): number {
    return this.#all.most;
  }

  /** The lowest cost that is expected of any of its requests, in units. */
  get cheapest(): number {
    return this.#table.cheapest;
  }

  /** The costs of a request; undefined: no such request was seen, and it may have the highest cost or a higher one. */
  find(query: string): CostSpread | undefined {
    return this.#table.find(() => parametersOf(query));
  }

  /** What such requests hardly cost less than on average, in units. */
  surely(query: string): number {
    if (this.isNews(query)) return Math.min(1, this.#all.least);
    return (this.#table.findOwn(() => parametersOf(query)) ?? this.#all).surely;
  }

  /** The lowest cost of such requests; 0: none was seen. */
  leastOf(query: string): number {
    return this.#table.findOwn(() => parametersOf(query))?.least ?? 0;
  }

  /** Whether the cost of a request is unknown, so that one goes first. */
  isNews(query: string): boolean {
    if (query === '') return false;
    for (const [name, value] of parametersOf(query)) {
      const values = this.#values.get(name);
      if (values ? values.size < FAMILIAR && !values.has(value) : this.#values.size < MOST_PARAMETERS) return true;
    }
    return this.#table.hasRoom && this.find(query) === undefined;
  }

  /**
   * Learns from the cost stated by an answer.
   *
   * @returns whether such a request was known to cost as much, and always does.
   */
  learn(query: string, cost: number): boolean {
    const known = this.find(query);
    const expected = known?.certain ?? this.highest;
    const parameters = parametersOf(query);
    this.#all.learn(cost);
    this.#table.learn(parameters, cost);
    this.#samples.add(parameters, cost);
    for (const [name, value] of parameters) this.#remember(name, value);
    if (cost !== expected) this.#onWrong();
    return cost === known?.least && cost === known.most;
  }

  #remember(name: string, value: string): void {
    const values = this.#values.get(name);
    if (!values && this.#values.size < MOST_PARAMETERS) this.#values.set(name, new Set([value]));
    else if (values && values.size < FAMILIAR) values.add(value);
  }

  #onWrong(): void {
    if (++this.#wrong < this.#lookAt) return;
    this.#lookAt = this.#wrong + Math.min(this.#wrong, LONGEST_WRONG);
    const table = this.#samples.bestTable();
    if (table.names.join('&') !== this.#table.names.join('&')) this.#table = table;
  }
}
