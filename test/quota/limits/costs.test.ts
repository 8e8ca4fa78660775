import { describe, expect, it } from 'vitest';
import { Costs } from '../../../src/quota/limits/costs.ts';
import { charge, untilOf } from '../support/builders.ts';
import { flightOf } from '../support/flight.ts';
import { AGE_MS } from '../support/script.ts';

function learned(...costs: readonly number[]): Costs {
  const known = new Costs();
  for (const cost of costs) known.learn('GET /a', cost);
  return known;
}

const certain = (costs: Costs, endpoint: string, query?: string): number => costs.expect(endpoint, query).certain;

describe('what a request is expected to cost', () => {
  it('is one unit while nothing is known', () => {
    expect(certain(new Costs(), 'GET /a')).toBe(1);
  });

  it('is what its endpoint has always cost', () => {
    expect(certain(learned(3, 3, 3), 'GET /a')).toBe(3);
  });

  it('is the dearest of all endpoints where its own has not been seen', () => {
    const costs = learned(2, 4);
    costs.learn('GET /b', 3);
    expect(certain(costs, 'GET /new')).toBe(4);
  });

  it('is what sibling processes say, until one of ours is answered', () => {
    const costs = learned(1);
    costs.expectOf('GET /b', 5);
    expect(certain(costs, 'GET /b')).toBe(5);
    expect(untilOf(costs, charge({ endpoint: 'GET /b' }), 0)).toBe(0);
    costs.learn('GET /b', 2);
    expect(certain(costs, 'GET /b')).toBe(2);
  });

  it('differs by the parameters that decide it, where those were seen', () => {
    const costs = new Costs();
    for (let page = 0; page < 40; page++) {
      const limit = page % 2 ? 20 : 100;
      costs.learn('GET /a', limit / 20, `limit=${limit}&offset=${page * 20}`);
    }
    expect(certain(costs, 'GET /a', 'limit=20&offset=9000')).toBe(1);
    expect(certain(costs, 'GET /a', 'limit=100&offset=9000')).toBe(5);
    expect(costs.mean('GET /a')).toBeCloseTo(3, 1);
    expect(costs.dearestOf('GET /a')).toBe(5);
    expect(costs.cheapest).toBe(1);
  });
});

describe('of an endpoint whose cost was never seen', () => {
  it('one request goes first, and the others wait for its answer', () => {
    const costs = learned(2);
    const scout = flightOf('GET /b', 1_000);
    expect(untilOf(costs, charge({ endpoint: 'GET /b' }), 1_000)).toBe(1_000);
    costs.onSent(scout);
    expect(untilOf(costs, charge({ endpoint: 'GET /b' }), 1_001)).toBe(1_000 + AGE_MS);
    expect(untilOf(costs, charge({ endpoint: 'GET /a' }), 1_001)).toBe(1_001);
    expect(costs.check(charge({ endpoint: 'GET /b' }), 1_001)?.reason().kind).toBe('first-cost');
    expect(costs.check(charge({ endpoint: 'GET /b' }), 1_001)?.isFirm).toBe(false);
    costs.learn('GET /b', 5);
    costs.onEnded(scout);
    expect(untilOf(costs, charge({ endpoint: 'GET /b' }), 1_002)).toBe(1_002);
    expect(certain(costs, 'GET /b')).toBe(5);
  });

  it('another goes when the first was lost', () => {
    const costs = learned(2);
    const scout = flightOf('GET /b', 1_000);
    costs.onSent(scout);
    costs.onEnded(scout);
    expect(untilOf(costs, charge({ endpoint: 'GET /b' }), 1_002)).toBe(1_002);
  });

  it('all go at once where answers state no costs', () => {
    const costs = new Costs();
    costs.onSent(flightOf('GET /b', 0));
    expect(untilOf(costs, charge({ endpoint: 'GET /b' }), 1)).toBe(1);
  });

  it('no more than a thousand are remembered, so that made-up names cannot fill the memory or hold anybody back', () => {
    const costs = new Costs();
    for (let name = 0; name < 1_000; name++) costs.learn(`GET /${name}`, 1);
    costs.learn('GET /dear', 7);
    expect(certain(costs, 'GET /0')).toBe(1);
    expect(certain(costs, 'GET /dear')).toBe(7);
    costs.onSent(flightOf('GET /other', 0));
    expect(untilOf(costs, charge({ endpoint: 'GET /other' }), 1)).toBe(1);
  });
});

describe('of an endpoint with parameters', () => {
  it('a value that is new of a parameter that hardly varied goes first', () => {
    const costs = learned(1);
    const ask = (query: string): number => untilOf(costs, charge({ query }), 1);
    for (let page = 0; page < 3; page++) costs.learn('GET /a', 1, `limit=20&offset=${page}`);
    costs.onSent({ ...flightOf('GET /a', 0), query: 'limit=50&offset=9' });
    expect(ask('limit=50&offset=9')).toBeGreaterThan(1);
    expect(ask('limit=20&offset=9')).toBe(1);
    expect(ask('')).toBe(1);
  });
});
