import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EndpointCosts } from '../../../src/quota/costs/endpoint-costs.ts';
import { seeded } from '../../../src/testing/index.ts';

type Rule = (parameters: URLSearchParams) => number;

/** Costs of an endpoint that was asked with these queries, and costs by that rule. */
function learned(rule: Rule, queries: readonly string[]): EndpointCosts {
  const costs = new EndpointCosts();
  for (const query of queries) costs.learn(query, rule(new URLSearchParams(query)));
  return costs;
}

const byPage: Rule = (parameters) => Math.ceil(Number(parameters.get('limit') ?? 20) / 20);
const pages = (count: number, limitOf: (index: number) => number): string[] =>
  Array.from({ length: count }, (_, index) => `limit=${limitOf(index)}&offset=${index * 20}`);

describe('the parameters that decide a cost', () => {
  it('are none while all requests cost the same', () => {
    expect(
      learned(
        () => 3,
        pages(50, (index) => index),
      ).deciding,
    ).toEqual([]);
  });

  it('are found by evidence, whatever they are called, and an offset is none', () => {
    expect(
      learned(
        byPage,
        pages(20, (index) => 20 * (1 + (index % 5))),
      ).deciding,
    ).toEqual(['limit']);
    const odd: Rule = (parameters) => (parameters.get('zz') === 'full' ? 9 : 1);
    const queries = Array.from(
      { length: 12 },
      (_, index) => `cursor=${index * 7_919}&zz=${index % 3 ? 'brief' : 'full'}`,
    );
    expect(learned(odd, queries).deciding).toEqual(['zz']);
  });

  it('may be two together', () => {
    const rule: Rule = (parameters) => byPage(parameters) * (parameters.get('unanchored') === 'true' ? 3 : 1);
    const queries = Array.from(
      { length: 80 },
      (_, index) => `limit=${20 * (1 + (index % 4))}&unanchored=${index % 3 === 0}&offset=${index * 20}`,
    );
    const costs = learned(rule, queries);
    expect([...costs.deciding].sort()).toEqual(['limit', 'unanchored']);
    expect(costs.find('limit=80&unanchored=true&offset=1')?.certain).toBe(12);
    expect(costs.find('limit=80&unanchored=false&offset=1')?.certain).toBe(4);
  });

  it('are none where the content decides', () => {
    const random = seeded(7);
    expect(
      learned(
        () => 1 + Math.floor(random() * 8),
        pages(400, () => 20),
      ).deciding,
    ).toEqual([]);
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
      expect(costs.dearest).toBeLessThanOrEqual(5);
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
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.webQueryParameters(), fc.nat(30)), { maxLength: 200 }), (answers) => {
        const costs = new EndpointCosts();
        for (const [query, cost] of answers) {
          costs.learn(query, cost);
          expect(costs.find(query)?.certain ?? costs.dearest).toBeLessThanOrEqual(30);
        }
      }),
      { numRuns: 30 },
    );
  });
});
