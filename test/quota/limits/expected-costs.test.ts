import { describe, expect, it } from 'vitest';
import { Costs } from '../../../src/quota/limits/costs.ts';
import { charge, untilOf } from '../support/builders.ts';
import { certain, learned } from '../support/learned-costs.ts';

/** A caller states what a request costs. */
function state(costs: Costs, cost: number): void {
  costs.charge({ endpoint: 'GET /any', cost, maxWaitMs: 0 }, { shortestLimit: 10 });
}

describe('what a request is expected to cost', () => {
  it('is one unit while nothing is known', () => {
    expect(certain(new Costs(), 'GET /a')).toBe(1);
  });

  it('is what its endpoint has always cost', () => {
    expect(certain(learned(3, 3, 3), 'GET /a')).toBe(3);
  });

  it('is the highest of all endpoints where its own has not been seen', () => {
    const costs = learned(2, 4);
    costs.learn('GET /b', 3);
    expect(certain(costs, 'GET /new')).toBe(4);
  });

  it('is what sibling processes say, until a request of this process is answered', () => {
    const costs = learned(1);
    costs.expectOf('GET /b', 5);
    expect(certain(costs, 'GET /b')).toBe(5);
    expect(untilOf(costs, charge({ endpoint: 'GET /b' }), 0)).toBe(0);
    costs.learn('GET /b', 2);
    expect(certain(costs, 'GET /b')).toBe(2);
  });

  it('is the highest of all endpoints, and none goes first any more, once three answers of an endpoint have stated none', () => {
    const costs = learned(2, 4);
    for (const isNews of [true, true, true, false]) {
      expect(costs.isNews({ endpoint: 'GET /b' })).toBe(isNews);
      costs.onUnstated('GET /b');
    }
    expect(certain(costs, 'GET /b')).toBe(4);
    for (let answer = 0; answer < 3; answer++) costs.onUnstated('GET /a');
    costs.learn('GET /b', 9);
    expect([certain(costs, 'GET /a'), certain(costs, 'GET /b')]).toEqual([4, 9]);
  });

  it('stays one unit where answers state none at all', () => {
    const costs = new Costs();
    for (let answer = 0; answer < 3; answer++) costs.onUnstated('GET /a');
    costs.learn('GET /b', 5);
    expect(costs.isNews({ endpoint: 'GET /a' })).toBe(true);
  });

  it('differs by the parameters that decide it, where those were seen', () => {
    const costs = new Costs();
    for (let page = 0; page < 40; page++) {
      const limit = page % 2 ? 20 : 100;
      costs.learn('GET /a', limit / 20, `limit=${limit}&offset=${page * 20}`);
    }
    expect(certain(costs, 'GET /a', 'limit=20&offset=9000')).toBe(1);
    expect(certain(costs, 'GET /a', 'limit=100&offset=9000')).toBe(5);
    expect(costs.mean({ endpoint: 'GET /a' })).toBeCloseTo(3, 1);
    expect(costs.highestOf('GET /a')).toBe(5);
    expect(costs.cheapest).toBe(1);
  });
});

describe('the cost of an endpoint', () => {
  const byPage = (): Costs => {
    const costs = new Costs();
    for (let page = 0; page < 20; page++) costs.learn('GET /a', page % 2 ? 1 : 5, `limit=${page % 2 ? 20 : 100}`);
    costs.learn('GET /costly', 9);
    return costs;
  };

  it('is its own highest for parameters of which no answer tells, not that of another endpoint', () => {
    expect(certain(byPage(), 'GET /a', 'limit=200')).toBe(5);
    expect([byPage().highestOf('GET /a'), byPage().highestOf('GET /new'), byPage().highest]).toEqual([5, 9, 9]);
  });

  it('is on average its own mean, or else what a request is expected to cost', () => {
    const costs = byPage();
    for (const query of [undefined, 'limit=200'])
      expect(costs.mean({ endpoint: 'GET /a', ...(query && { query }) })).toBeCloseTo(3, 0);
    expect(costs.mean({ endpoint: 'GET /new' })).toBe(9);
    expect(costs.mean({ endpoint: 'GET /new', query: 'limit=5' })).toBe(9);
    expect(costs.mean({ endpoint: undefined })).toBe(9);
  });

  it('is by the word of sibling processes lower than that of others', () => {
    const costs = byPage();
    costs.expectOf('GET /b', 4);
    expect(certain(costs, 'GET /b')).toBe(4);
    expect(certain(costs, 'GET /new')).toBe(9);
    costs.expectOf('GET /c', 12);
    expect(certain(costs, 'GET /new')).toBe(12);
  });

  it('is worth learning as soon as a sibling process has seen one stated', () => {
    const costs = new Costs();
    expect(costs.isNews({ endpoint: 'GET /new' })).toBe(false);
    costs.expectOf('GET /b', 4);
    expect(costs.isNews({ endpoint: 'GET /new' })).toBe(true);
    expect(costs.isNews({ endpoint: 'GET /b' })).toBe(false);
  });

  it('is remembered of a thousand endpoints, by the word of sibling processes, too', () => {
    const [learned, told] = [new Costs(), new Costs()];
    for (let name = 0; name < 1_001; name++) {
      learned.learn(`GET /${name}`, name === 0 ? 7 : 1);
      told.expectOf(`GET /${name}`, name === 500 ? 7 : 1);
    }
    expect(['GET /999', 'GET /1000'].map((endpoint) => certain(learned, endpoint))).toEqual([1, 7]);
    expect(['GET /999', 'GET /1000'].map((endpoint) => certain(told, endpoint))).toEqual([1, 7]);
  });
});

describe('the lowest cost that is expected of any request', () => {
  it('is unknown at first, and then the lowest that was learned or stated', () => {
    const costs = new Costs();
    expect(costs.cheapest).toBe(Infinity);
    costs.learn('GET /a', 3);
    expect(costs.cheapest).toBe(3);
    state(costs, 2);
    state(costs, 5);
    expect(costs.cheapest).toBe(2);
    costs.learn('GET /b', 1);
    expect(costs.cheapest).toBe(1);
  });

  it('is no lower than what was stated, once a low one is no longer expected', () => {
    const costs = new Costs();
    costs.learn('GET /a', 1);
    state(costs, 2);
    for (let answer = 0; answer < 200; answer++) costs.learn('GET /a', 4);
    expect(costs.cheapest).toBe(2);
  });
});

describe('the average cost of requests', () => {
  it('is that of the same parameters, where they decide it', () => {
    const costs = new Costs();
    for (let page = 0; page < 40; page++) costs.learn('GET /a', page % 2 ? 1 : 5, `limit=${page % 2 ? 20 : 100}`);
    expect([
      costs.mean({ endpoint: 'GET /a', query: 'limit=20' }),
      costs.mean({ endpoint: 'GET /a', query: 'limit=100' }),
    ]).toEqual([1, 5]);
  });
});

describe('what answers say of costs', () => {
  it('is a surprise where it was not known, or varies', () => {
    const costs = new Costs();
    const surprisesAfter = (cost: number): number => {
      costs.learn('GET /a', cost);
      return costs.surprises;
    };
    expect(surprisesAfter(3)).toBe(1);
    const known = surprisesAfter(3);
    expect(surprisesAfter(3)).toBe(known);
    expect(surprisesAfter(7)).toBe(known + 1);
  });

  it('tells what such requests hardly cost less than: what is stated, else what was learned, else one unit', () => {
    const costs = new Costs();
    expect(costs.surely({ endpoint: 'GET /a', maxWaitMs: 0 })).toBe(1);
    for (let nth = 0; nth < 20; nth++) costs.learn('GET /a', 3);
    const learned = costs.surely({ endpoint: 'GET /a', maxWaitMs: 0 });
    expect(learned).toBeGreaterThan(1);
    expect(learned).toBeLessThanOrEqual(3);
    expect(costs.surely({ endpoint: 'GET /a', maxWaitMs: 0, cost: 2 })).toBe(2);
  });
});
