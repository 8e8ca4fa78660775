import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EndpointCosts } from '../../../src/quota/costs/endpoint-costs.ts';
import { seeded } from '../../../src/testing/index.ts';
import { DEEP, runs } from '../../support/deep.ts';

type Rule = (parameters: URLSearchParams) => number;

/** Costs of an endpoint that was asked with these queries, and costs by that rule. */
function learned(rule: Rule, queries: readonly string[]): EndpointCosts {
  const costs = new EndpointCosts();
  for (const query of queries) costs.learn(query, rule(new URLSearchParams(query)));
  return costs;
}

/** The parameters of an answered query that decide its cost: with another value of one of these it is not the same costs that are found. */
function decidingOf(costs: EndpointCosts, query: string): readonly string[] {
  const known = costs.find(query);
  return [...new URLSearchParams(query).keys()].filter((name) => {
    const other = new URLSearchParams(query);
    other.set(name, 'other');
    return costs.find(other.toString()) !== known;
  });
}

const byPage: Rule = (parameters) => Math.ceil(Number(parameters.get('limit') ?? 20) / 20);
const pages = (count: number, limitOf: (index: number) => number): string[] =>
  Array.from({ length: count }, (_, index) => `limit=${limitOf(index)}&offset=${index * 20}`);

describe('the parameters that decide a cost', () => {
  it('are none while all requests cost the same', () => {
    const costs = learned(
      () => 3,
      pages(50, (index) => index),
    );
    expect(decidingOf(costs, 'limit=49&offset=980')).toEqual([]);
  });

  it('are found by evidence, whatever they are called, and an offset is none', () => {
    const costs = learned(
      byPage,
      pages(20, (index) => 20 * (1 + (index % 5))),
    );
    expect(decidingOf(costs, 'limit=100&offset=380')).toEqual(['limit']);
    const odd: Rule = (parameters) => (parameters.get('zz') === 'full' ? 9 : 1);
    const queries = Array.from(
      { length: 12 },
      (_, index) => `cursor=${index * 7_919}&zz=${index % 3 ? 'brief' : 'full'}`,
    );
    expect(decidingOf(learned(odd, queries), 'cursor=0&zz=full')).toEqual(['zz']);
  });

  it('may be two together', () => {
    const rule: Rule = (parameters) => byPage(parameters) * (parameters.get('unanchored') === 'true' ? 3 : 1);
    const queries = Array.from(
      { length: 80 },
      (_, index) => `limit=${20 * (1 + (index % 4))}&unanchored=${index % 3 === 0}&offset=${index * 20}`,
    );
    const costs = learned(rule, queries);
    expect(decidingOf(costs, 'limit=80&unanchored=true&offset=60')).toEqual(['limit', 'unanchored']);
    expect(costs.find('limit=80&unanchored=true&offset=1')?.certain).toBe(12);
    expect(costs.find('limit=80&unanchored=false&offset=1')?.certain).toBe(4);
  });

  it('are none where the content decides', () => {
    const random = seeded(7);
    const costs = learned(
      () => 1 + Math.floor(random() * 8),
      pages(400, () => 20),
    );
    expect(decidingOf(costs, 'limit=20&offset=0')).toEqual([]);
  });
});

describe('the cost of a request', () => {
  it('is after one costly page among a thousand what it was before, at each place of that page', () => {
    for (const place of [0, 1, 2, 3, 500, 999]) {
      const costs = learned(
        byPage,
        pages(1_000, (index) => (index === place ? 100 : 20)),
      );
      expect(costs.find('limit=20&offset=77777')?.certain).toBe(1);
      expect(costs.highest).toBeLessThanOrEqual(5);
    }
  });

  it('is by the next larger known number', () => {
    const costs = learned(
      byPage,
      pages(30, (index) => [20, 60, 100][index % 3] ?? 0),
    );
    expect(costs.find('limit=50')?.certain).toBe(3);
    expect(costs.find('limit=100')?.certain).toBe(5);
    expect(costs.find('limit=200')).toBeUndefined();
    expect(costs.isNews('limit=200')).toBe(true);
  });

  it('is never less than what 3 of 100 exceed, where nothing tells it, and forgets what no longer comes', () => {
    const random = seeded(3);
    const rare = learned(
      () => (random() < 0.1 ? 9 : 1),
      pages(500, () => 20),
    );
    expect(rare.find('limit=20')?.certain).toBe(9);
    expect(rare.find('limit=20')?.likely).toBeLessThan(3);
    for (let index = 0; index < 300; index++) rare.learn('limit=20', 1);
    expect(rare.find('limit=20')?.certain).toBe(1);
  });

  it('is remembered of a bounded number of combinations, and looked up of any query', () => {
    // To prepare to make any parameters takes a second; of these characters are those that a program trips over.
    const letters = fc.string({ unit: fc.constantFrom(...'abc12=&%+'), maxLength: 60 });
    const queries = DEEP ? fc.webQueryParameters() : letters;
    fc.assert(
      fc.property(fc.array(fc.tuple(queries, fc.nat(30)), { maxLength: 200 }), (answers) => {
        const costs = new EndpointCosts();
        for (const [query, cost] of answers) {
          costs.learn(query, cost);
          expect(costs.find(query)?.certain ?? costs.highest).toBeLessThanOrEqual(30);
        }
      }),
      { numRuns: runs(20, 100) },
    );
  });
});

describe('a request of unknown cost', () => {
  const asked = (...queries: readonly string[]): EndpointCosts => learned(() => 2, queries);

  it('has a parameter that was never answered, or another value of one with fewer than three', () => {
    const costs = asked('a=1', 'a=2');
    expect(['a=1', 'a=2', 'a=3', 'b=1', 'a=1&b=1', ''].map((query) => costs.isNews(query))).toEqual([
      ...[false, false, true, true, true, false],
    ]);
    costs.learn('a=3', 2);
    expect(costs.isNews('a=4')).toBe(false);
    expect(asked().isNews('')).toBe(false);
  });

  it('is none for its parameter alone where sixteen are known', () => {
    const names = Array.from({ length: 16 }, (_, at) => `p${at}=1`);
    expect(asked(...names.slice(1)).isNews('another=1')).toBe(true);
    expect(asked(...names).isNews('another=1')).toBe(false);
    expect(asked(...names).isNews('p15=2')).toBe(true);
    expect(asked(...names, 'p16=1').isNews('p16=2')).toBe(false);
  });

  it('is none where the table of what decides holds no more', () => {
    const queries = Array.from({ length: 66 }, (_, at) => `kind=k${at}`);
    const rule: Rule = (parameters) => (Number(parameters.get('kind')?.slice(1)) % 2 ? 1 : 9);
    const twice = (count: number) => queries.slice(0, count).flatMap((query) => [query, query]);
    const roomy = learned(rule, twice(40));
    expect(decidingOf(roomy, 'kind=k39')).toEqual(['kind']);
    expect(['kind=k40', 'kind=k39', ''].map((query) => roomy.isNews(query))).toEqual([true, false, false]);
    // The table begins anew from samples when it is found.
    const full = learned(rule, [...twice(40), ...twice(66)]);
    expect([decidingOf(full, 'kind=k39'), full.isNews('kind=k99')]).toEqual([['kind'], false]);
  });

  it('may still be known to cost no less than what such requests have cost', () => {
    const costs = learned(byPage, [...pages(20, (index) => 20 * (1 + (index % 3)))]);
    expect([costs.leastOf('limit=40&offset=1'), costs.leastOf('limit=30'), asked().leastOf('limit=40')]).toEqual([
      2, 0, 0,
    ]);
  });
});

describe('the costs of an endpoint', () => {
  it('are none at first', () => {
    const costs = new EndpointCosts();
    expect([costs.cheapest, costs.highest, costs.find('')]).toEqual([Infinity, 0, undefined]);
  });

  it('may be 0 units', () => {
    expect(learned(() => 0, ['', 'limit=20']).cheapest).toBe(0);
  });

  it('are no longer expected to be as low as before from the first answer that is higher', () => {
    const costs = learned(() => 1, ['']);
    costs.learn('', 9);
    expect(costs.cheapest).toBe(9);
  });

  it('are told by the cheapest and the costliest kind, and by their mean', () => {
    const costs = learned(
      byPage,
      pages(60, (index) => [20, 60][index % 2] ?? 0),
    );
    expect([costs.cheapest, costs.highest]).toEqual([1, 3]);
    expect(costs.mean).toBeGreaterThan(1.9);
    expect(costs.mean).toBeLessThan(2.1);
  });

  it('show what decides them however long nothing did, within some hundred answers', () => {
    const random = seeded(5);
    const costs = learned(
      () => 1 + Math.floor(random() * 8),
      pages(3_000, (index) => 20 * (1 + (index % 4))),
    );
    expect(decidingOf(costs, 'limit=20&offset=0')).toEqual([]);
    for (const query of pages(600, (index) => 20 * (1 + (index % 4))))
      costs.learn(query, 10 * byPage(new URLSearchParams(query)));
    expect(decidingOf(costs, 'limit=20&offset=0')).toEqual(['limit']);
  });
});

describe('what requests of an endpoint surely cost', () => {
  it('is what those of their kind hardly cost less than, and one unit at most of a kind that was not seen', () => {
    const costs = new EndpointCosts();
    for (let nth = 0; nth < 20; nth++)
      for (const [query, cost] of [
        ['kind=a', 2],
        ['kind=b', 8],
      ] as const)
        costs.learn(query, cost);
    expect(costs.surely('kind=a')).toBeLessThanOrEqual(2);
    expect(costs.surely('kind=b')).toBeGreaterThan(2);
    expect(costs.surely('kind=new')).toBe(1);
  });

  it('is known where each was the same: an answer says so or is a surprise', () => {
    const costs = new EndpointCosts();
    expect([3, 3, 5, 3].map((cost) => costs.learn('', cost))).toEqual([false, true, false, false]);
  });
});
