import { CostTable } from './cost-table.ts';
import type { Parameters } from './parameters.ts';

/** How many samples are kept of each cost, and of how many costs. */
const OF_EACH = 8;
const MOST_COSTS = 16;

/** One unit too few weighs as much as this many that are held in vain, because the request may be refused. */
const SHORTFALL = 8;

/** A further parameter joins the table only if it avoids this part of the units held in vain. */
const GAIN = 0.1;

interface Sample {
  readonly parameters: Parameters;
  readonly cost: number;
  readonly number: number;
}

/** Recent answers of an endpoint, as many of rare costs as of frequent ones: the evidence for what decides the cost. */
export class CostSamples {
  /** The cost that was new last is the last. */
  readonly #byCost = new Map<number, Sample[]>();
  #count = 0;

  add(parameters: Parameters, cost: number): void {
    const known = this.#byCost.get(cost);
    const samples = known ?? [];
    samples.push({ parameters, cost, number: this.#count++ });
    if (samples.length > OF_EACH) samples.shift();
    if (known) return;
    this.#byCost.set(cost, samples);
    const [oldest] = this.#byCost.keys();
    if (this.#byCost.size > MOST_COSTS && oldest !== undefined) this.#byCost.delete(oldest);
  }

  /** The table of costs that would have held the fewest units in vain for these samples: only parameters that decide the cost pay. */
  bestTable(): CostTable {
    const samples = [...this.#byCost.values()].flat().sort((a, b) => a.number - b.number);
    const names = new Set(samples.flatMap(({ parameters }) => [...parameters.keys()]));
    let best = tried(samples, []);
    for (;;) {
      let better = best;
      for (const name of names) {
        const other = best.table.names.includes(name) ? best : tried(samples, [...best.table.names, name]);
        if (other.vain < better.vain) better = other;
      }
      if (better.vain >= best.vain * (1 - GAIN)) return best.table;
      best = better;
    }
  }
}

/** What a table by these parameters would have held for each sample, from those before it alone. */
function tried(
  samples: readonly Sample[],
  names: readonly string[],
): { readonly table: CostTable; readonly vain: number } {
  const table = new CostTable(names);
  let highest = 0;
  let vain = 0;
  for (const { parameters, cost } of samples) {
    const held = table.find(() => parameters)?.most ?? highest;
    vain += held < cost ? SHORTFALL * (cost - held) : held - cost;
    highest = Math.max(highest, cost);
    table.learn(parameters, cost);
  }
  return { table, vain };
}
