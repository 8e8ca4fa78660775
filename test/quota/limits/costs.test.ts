import { describe, expect, it } from 'vitest';
import type { Charge } from '../../../src/quota/admission.ts';
import { believableCost, Costs, refusedCost } from '../../../src/quota/limits/costs.ts';
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

/** A caller states what a request costs. */
function state(costs: Costs, cost: number): void {
  costs.charge({ endpoint: 'GET /any', cost, maxWaitMs: 0 }, { shortestLimit: 10 });
}

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
    scout.isOver = true;
    costs.onEnded(scout);
    expect(untilOf(costs, charge({ endpoint: 'GET /b' }), 1_002)).toBe(1_002);
    expect(certain(costs, 'GET /b')).toBe(5);
  });

  it('another goes when the first was lost', () => {
    const costs = learned(2);
    const scout = flightOf('GET /b', 1_000);
    costs.onSent(scout);
    scout.isOver = true;
    costs.onEnded(scout);
    expect(untilOf(costs, charge({ endpoint: 'GET /b' }), 1_002)).toBe(1_002);
  });

  it('all go at once where answers state no costs', () => {
    const costs = new Costs();
    costs.onSent(flightOf('GET /b', 0));
    expect(untilOf(costs, charge({ endpoint: 'GET /b' }), 1)).toBe(1);
  });

  it('no more than a thousand are remembered, so that made-up names cannot fill the memory or hold back calls', () => {
    const costs = new Costs();
    for (let name = 0; name < 1_000; name++) costs.learn(`GET /${name}`, 1);
    costs.learn('GET /costly', 7);
    expect(certain(costs, 'GET /0')).toBe(1);
    expect(certain(costs, 'GET /costly')).toBe(7);
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

describe('the charge of a request', () => {
  const charged = (costs: Costs, ask: object = {}, shortestLimit = 9): Charge =>
    costs.charge({ endpoint: 'GET /a', maxWaitMs: 0, ...ask }, { shortestLimit });

  it('is what its caller states, of whatever endpoint', () => {
    const stated = { endpoint: 'GET /new', cost: 3, priority: 2 };
    expect(charged(learned(2), stated)).toMatchObject({ units: 3, isStated: true, priority: 2 });
  });

  it('is its expected cost, at no priority unless the caller says one', () => {
    expect(charged(learned(2))).toMatchObject({ units: 2, likely: 2, least: 0, priority: 0 });
    expect(charged(learned(2), { priority: 5 }).priority).toBe(5);
  });

  it('is half of the shortest window where its cost is unknown, or the highest cost if that is more', () => {
    const news = { endpoint: 'GET /new' };
    expect([9, 10, 2].map((limit) => charged(learned(2), news, limit).units)).toEqual([5, 5, 2]);
    expect(charged(new Costs(), news).units).toBe(1);
  });

  it('says from which cost on such requests were refused, until one is served', () => {
    const costs = learned(2);
    const least = (query?: string, endpoint = 'GET /a'): number | undefined =>
      charged(costs, { endpoint, query }).least;
    expect(least()).toBe(0);
    costs.learnRefused('GET /a', 6, 'limit=50');
    costs.learnRefused('GET /b', 7);
    expect([least('limit=50'), least(), least('', 'GET /b'), least(undefined, 'GET /b')]).toEqual([6, 2, 7, 7]);
    expect(least(undefined, 'GET /new')).toBe(0);
    costs.learn('GET /a', 4, 'limit=50');
    expect(least('limit=50')).toBe(2);
    costs.learn('GET /b', 4);
    expect(least()).toBe(0);
  });

  it('remembers a thousand of those that were refused', () => {
    const costs = new Costs();
    for (let page = 0; page <= 1_000; page++) costs.learnRefused('GET /a', page === 999 ? 5 : 3, `page=${page}`);
    const least = (page: number): number | undefined => charged(costs, { query: `page=${page}` }).least;
    expect([least(999), least(1_000)]).toEqual([5, 3]);
    costs.learnRefused('GET /a', 2, 'page=1001');
    expect(least(1_001)).toBe(2);
    costs.learnRefused('GET /a', 9, 'page=1002');
    expect(least(1_002)).toBe(2);
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

describe('a cost is being found out', () => {
  it('from when the first request of an endpoint is sent until it ends or must have arrived', () => {
    const costs = learned(2);
    expect(costs.isProbing(1_000)).toBe(false);
    const [one, other] = [flightOf('GET /b', 1_000), flightOf('GET /c', 2_000)];
    for (const flight of [one, other]) costs.onSent(flight);
    expect([3_999, 4_000, 4_999, 5_000].map((now) => costs.isProbing(now))).toEqual([true, true, true, false]);
    other.isOver = true;
    costs.onEnded(other);
    expect([3_999, 4_000].map((now) => costs.isProbing(now))).toEqual([true, false]);
    one.isOver = true;
    costs.onEnded(one);
    expect(costs.isProbing(3_999)).toBe(false);
  });
});

describe('the cost of a refused request', () => {
  const refused = (hadRoom: boolean, stacks: object): number | undefined =>
    refusedCost({ receivedAt: 0, malformed: [], unrecognised: {}, stacks }, hadRoom);
  const [left, full] = [
    { limit: 10, remaining: 4 },
    { limit: 20, remaining: 0 },
  ];

  it('is the cause where it exceeds what is left of a window', () => {
    expect(refused(false, { cost: 5, second: left, minute: { limit: 99, remaining: 50 } })).toBe(5);
  });

  it('is not the cause where as much or more is left, or nothing is stated', () => {
    expect(refused(true, { cost: 4, second: left })).toBeUndefined();
    expect(refused(true, { second: left })).toBeUndefined();
    expect(refused(true, { cost: 4 })).toBeUndefined();
    expect(refused(true, { cost: 4, second: { limit: 3 } })).toBeUndefined();
  });

  it('may not be the cause where a window is full, unless all had room before', () => {
    expect([refused(false, { cost: 5, minute: full }), refused(true, { cost: 5, minute: full })]).toEqual([
      undefined,
      5,
    ]);
    expect(refused(false, { cost: 5, second: left, minute: full })).toBeUndefined();
    expect(refused(false, { cost: 5, second: left, minute: { limit: 20 } })).toBeUndefined();
  });
});

describe('the highest cost', () => {
  it('is never that of a request which was refused for it', () => {
    const costs = learned(2);
    costs.learnRefused('GET /b', 8);
    expect([costs.highest, costs.highestOf('GET /b')]).toEqual([2, 8]);
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
