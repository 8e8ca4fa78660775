import fc from 'fast-check';
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

describe('what a request is expected to cost', () => {
  it('is one unit while nothing is known', () => {
    expect(new Costs().expect('GET /a')).toBe(1);
  });

  it('is what its endpoint has always cost', () => {
    expect(learned(3, 3, 3).expect('GET /a')).toBe(3);
  });

  it('is the dearest of all endpoints where its own has not been seen', () => {
    const costs = learned(2, 4);
    costs.learn('GET /b', 3);
    expect(costs.expect('GET /new')).toBe(4);
  });

  it('is half as much again as the dearest while costs differ and few have been seen', () => {
    expect(learned(1, 3).expect('GET /a')).toBe(5);
    expect(learned(...Array(29).fill(1), 3).expect('GET /a')).toBe(3);
  });

  it('is never less than any of the last 500, in whatever order they came', () => {
    const costs = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(costs, fc.integer({ min: 1, max: 60 }), (pattern, times) => {
        const known = new Costs();
        const all = Array<readonly number[]>(times).fill(pattern).flat();
        for (const [place, cost] of all.entries()) {
          known.learn('GET /a', cost);
          if (place % 101 !== 0 && place !== all.length - 1) continue;
          expect(known.expect('GET /a')).toBeGreaterThanOrEqual(
            Math.max(...all.slice(Math.max(0, place - 499), place + 1)),
          );
        }
      }),
      { numRuns: 50 },
    );
  });

  it('forgets a dear one that did not come back for a thousand answers', () => {
    expect(learned(9, ...Array(499).fill(2)).expect('GET /a')).toBe(9);
    expect(learned(9, ...Array(1_000).fill(2)).expect('GET /a')).toBe(2);
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
    expect(costs.expect('GET /b')).toBe(5);
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
    expect(costs.expect('GET /0')).toBe(1);
    expect(costs.expect('GET /dear')).toBe(7);
    costs.onSent(flightOf('GET /other', 0));
    expect(untilOf(costs, charge({ endpoint: 'GET /other' }), 1)).toBe(1);
  });
});
