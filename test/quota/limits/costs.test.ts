import { describe, expect, it } from 'vitest';
import { believableCost, Costs } from '../../../src/quota/limits/costs.ts';
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

describe('the cost of an endpoint', () => {
  const byPage = (): Costs => {
    const costs = new Costs();
    for (let page = 0; page < 20; page++) costs.learn('GET /a', page % 2 ? 1 : 5, `limit=${page % 2 ? 20 : 100}`);
    costs.learn('GET /dear', 9);
    return costs;
  };

  it('is its own highest for parameters of which no answer tells, not that of another endpoint', () => {
    expect(certain(byPage(), 'GET /a', 'limit=200')).toBe(5);
    expect([byPage().dearestOf('GET /a'), byPage().dearestOf('GET /new'), byPage().dearest]).toEqual([5, 9, 9]);
  });

  it('is on average its own mean, or else what a request is expected to cost', () => {
    const costs = byPage();
    expect(costs.mean('GET /a')).toBeCloseTo(3, 0);
    expect(costs.mean('GET /new')).toBe(9);
    expect(costs.mean(undefined)).toBe(9);
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

/** A caller states what a request costs. */
function state(costs: Costs, cost: number): void {
  costs.charge({ endpoint: 'GET /any', cost, maxWaitMs: 0 }, { shortestLimit: 10 });
}

describe('the lowest cost that is expected of any request', () => {
  it('is unknown at first, and then the lowest that was learned or stated', () => {
    const costs = new Costs();
    expect(costs.cheapest).toBe(Number.POSITIVE_INFINITY);
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

describe('of an endpoint whose cost was never seen', () => {
  it('a request whose cost is stated does not wait, nor does any once the first must have arrived', () => {
    const costs = learned(2);
    costs.onSent(flightOf('GET /b', 1_000));
    expect(costs.check(charge({ endpoint: 'GET /b', isStated: true }), 1_001)).toBeUndefined();
    expect(costs.check(charge({ endpoint: 'GET /b' }), 1_000 + AGE_MS)).toBeUndefined();
  });

  it('the others wait for the first, whatever becomes of another', () => {
    const costs = learned(2);
    costs.onSent(flightOf('GET /b', 1_000));
    costs.onEnded(flightOf('GET /b', 1_000));
    expect(untilOf(costs, charge({ endpoint: 'GET /b' }), 1_001)).toBe(1_000 + AGE_MS);
  });

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

describe('a request of known cost', () => {
  it('is no first one that requests with other parameters wait for', () => {
    const costs = new Costs();
    for (let page = 0; page < 3; page++) costs.learn('GET /a', 1, `limit=20&offset=${page}`);
    costs.onSent({ ...flightOf('GET /a', 0), query: 'limit=20&offset=1' });
    expect(costs.check(charge({ query: 'limit=50&offset=1' }), 1)).toBeUndefined();
  });
});

describe('a stated cost', () => {
  const believed = (cost: number | undefined, stacks: object): number | undefined =>
    believableCost({
      ...{ receivedAt: 0, malformed: [], unrecognised: {} },
      stacks: { ...stacks, ...(cost !== undefined && { cost }) },
    });
  const second = { limit: 10, remaining: 9 };

  it('is believed up to what each window holds', () => {
    expect(believed(undefined, { second })).toBeUndefined();
    expect(believed(3, {})).toBe(3);
    expect(believed(10, { second })).toBe(10);
  });

  it('beyond what a window holds is believed only where another shows that much usage', () => {
    expect(believed(11, { second })).toBeUndefined();
    expect(believed(11, { second, minute: { limit: 500, remaining: 489 } })).toBe(11);
    expect(believed(11, { second, minute: { limit: 500, remaining: 490 } })).toBeUndefined();
    expect(believed(11, { minute: { remaining: 490 }, second: { limit: 10 } })).toBeUndefined();
  });
});
