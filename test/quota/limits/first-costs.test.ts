import { describe, expect, it } from 'vitest';
import { Costs } from '../../../src/quota/limits/costs.ts';
import { charge, untilOf } from '../support/builders.ts';
import { flightOf } from '../support/flight.ts';
import { certain, learned } from '../support/learned-costs.ts';
import { AGE_MS } from '../support/script.ts';

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

  it('those of other endpoints pass once another had to go, because the first was not answered in time', () => {
    const costs = learned(2);
    const scopeAt = (now: number) => costs.check(charge({ endpoint: 'GET /b' }), now)?.scope;
    costs.onSent(flightOf('GET /b', 1_000));
    expect(scopeAt(1_001)).toBe('all');
    costs.onSent(flightOf('GET /b', 1_000 + AGE_MS));
    expect(scopeAt(1_001 + AGE_MS)).toBe('endpoint');
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
