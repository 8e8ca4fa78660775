import { describe, expect, it } from 'vitest';
import { CostSamples } from '../../../src/quota/costs/cost-samples.ts';
import { CostTable } from '../../../src/quota/costs/cost-table.ts';
import { type Parameters, parametersOf } from '../../../src/quota/costs/parameters.ts';

const of = (query: string) => (): Parameters => parametersOf(query);

/** A table by some parameters, of queries that each cost something. */
function table(names: readonly string[], costs: Readonly<Record<string, number>>): CostTable {
  const learned = new CostTable(names);
  for (const [query, cost] of Object.entries(costs)) learned.learn(parametersOf(query), cost);
  return learned;
}

describe('a table of costs', () => {
  it('without names has one row, of all requests', () => {
    const one = table([], { 'limit=20': 2, 'limit=100': 2 });
    expect(one.find(of('other=1'))?.certain).toBe(2);
    expect(table([], {}).find(of('limit=20'))).toBeUndefined();
    expect([one.findOwn(of('other=1'))?.most, table([], {}).findOwn(of(''))]).toEqual([2, undefined]);
    expect([one.cheapest, table([], {}).cheapest]).toEqual([2, Infinity]);
  });

  it('has a row for each combination of values, whatever other parameters say', () => {
    const two = table(['limit', 'full'], { 'limit=20&full=1': 3, 'limit=20&full=0': 1, 'limit=100&full=0': 5 });
    expect(two.find(of('full=1&offset=7&limit=20'))?.certain).toBe(3);
    expect(two.cheapest).toBe(1);
  });

  it('tells an empty value, as of a parameter that is but a name, from none', () => {
    const two = table(['full', 'raw'], { '': 1, full: 5, 'raw=': 7 });
    expect(two.find(of('limit=20'))?.certain).toBe(1);
    expect(two.find(of('full='))?.certain).toBe(5);
    expect(two.find(of('raw'))?.certain).toBe(7);
    expect(two.find(of('full&raw'))).toBeUndefined();
  });

  it('takes the cheapest row whose numbers are all as large, and whose other values are the same', () => {
    const two = table(['limit', 'kind'], { 'limit=50&kind=a': 3, 'limit=100&kind=a': 5, 'limit=200&kind=b': 1 });
    expect(two.find(of('limit=20&kind=a'))?.certain).toBe(3);
    expect(two.find(of('limit=50&kind=b'))?.certain).toBe(1);
    expect(two.find(of('limit=60&kind=a'))?.certain).toBe(5);
    expect(two.find(of('limit=101&kind=a'))).toBeUndefined();
    expect(two.find(of('kind=a'))).toBeUndefined();
    expect(two.find(of('limit=few&kind=a'))).toBeUndefined();
    const falling = table(['limit'], { 'limit=50': 5, 'limit=100': 3 });
    expect(falling.find(of('limit=20'))?.certain).toBe(3);
    expect(falling.find(of('limit=0100'))?.certain).toBe(3);
  });

  it('holds sixty-four combinations, and learns on of those', () => {
    const full = new CostTable(['limit']);
    for (let limit = 1; limit <= 64; limit++) {
      expect(full.hasRoom).toBe(true);
      full.learn(parametersOf(`limit=${limit}`), 2);
    }
    expect(full.hasRoom).toBe(false);
    full.learn(parametersOf('limit=65'), 2);
    expect(full.find(of('limit=65'))).toBeUndefined();
    full.learn(parametersOf('limit=64'), 9);
    expect(full.find(of('limit=64'))?.most).toBe(9);
  });
});

describe('samples of what requests cost', () => {
  /** The names that decide the cost of some answers in a row. */
  function deciding(answers: readonly (readonly [query: string, cost: number])[]): readonly string[] {
    const samples = new CostSamples();
    for (const [query, cost] of answers) samples.add(parametersOf(query), cost);
    return samples.bestTable().names;
  }

  const byLimit = Array.from({ length: 12 }, (_, at) => [`limit=${at % 2}&offset=${at}`, at % 2 ? 5 : 1] as const);

  it('show the parameter that decides, and none where all cost the same or there are none', () => {
    expect(deciding(byLimit)).toEqual(['limit']);
    expect(deciding(byLimit.map(([query]) => [query, 3]))).toEqual([]);
    expect(deciding([])).toEqual([]);
  });

  it('are eight of each cost, the last ones', () => {
    const before = Array.from({ length: 8 }, (_, at) => [`kind=${at % 2}`, at % 2 ? 5 : 1] as const);
    expect(deciding(before)).toEqual(['kind']);
    const since = Array.from({ length: 16 }, (_, at) => ['kind=0', at % 2 ? 5 : 1] as const);
    expect(deciding([...before, ...since])).toEqual([]);
  });

  it('are forgotten for newer ones of the same cost, however many there were', () => {
    const before = Array.from({ length: 200 }, (_, at) => ['kind=0', at % 2 ? 5 : 1] as const);
    const since = Array.from({ length: 16 }, (_, at) => [`kind=${at % 2}`, at % 2 ? 5 : 1] as const);
    expect(deciding([...before, ...since])).toEqual(['kind']);
    expect(deciding([...before, ...since.slice(0, 4)])).toEqual([]);
  });

  it('are of sixteen costs, without the one that came first', () => {
    const costly = Array(8).fill(['kind=1', 50] as const);
    const others = (count: number) => Array.from({ length: count }, (_, at) => ['kind=0', at + 11] as const);
    expect(deciding([...costly, ...others(15)])).toEqual(['kind']);
    expect(deciding([...costly, ...others(16)])).toEqual([]);
    expect(deciding([['kind=0', 9], ...costly, ...others(14), ['kind=0', 30]])).toEqual(['kind']);
  });

  it('are looked at in the order they came: what only grows decides nothing where the cost rose meanwhile', () => {
    expect(deciding(Array.from({ length: 16 }, (_, at) => [`offset=${at}`, at < 8 ? 1 : 5] as const))).toEqual([]);
  });

  it('show a unit held too few as worse than several held in vain', () => {
    // Each smaller limit is new, costlier than the larger one, and so expected to be as cheap.
    const answers = Array.from({ length: 8 }, (_, at) => [['limit=99', 1] as const, [`limit=${98 - at}`, 5] as const]);
    expect(deciding(answers.flat())).toEqual([]);
  });

  it('show the first of two parameters that always change together', () => {
    expect(deciding(byLimit.map(([query, cost]) => [`${query}&page=${cost}`, cost] as const))).toEqual(['limit']);
  });
});
