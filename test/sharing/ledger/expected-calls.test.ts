import { describe, expect, it } from 'vitest';
import { ExpectedCalls } from '../../../src/sharing/ledger/expected-calls.ts';

/** Calls of one unit each, one every `everyMs` until `until`. */
function steady(everyMs: number, until: number): ExpectedCalls {
  const expected = new ExpectedCalls();
  for (let at = 0; at <= until; at += everyMs) expected.onSent(1, at);
  return expected;
}

describe('the calls that are likely to follow', () => {
  it('are none before a call, and none after a single one', () => {
    expect(new ExpectedCalls().demand(false, 100, 1_000).units).toBe(0);
    expect(steady(1_000, 0).demand(false, 100, 0).units).toBe(0);
  });

  it('are those of the next two seconds by the rate of the last five, and are forgotten in silence', () => {
    const expected = steady(500, 20_000);
    expect([20_000, 25_000, 40_000].map((now) => expected.demand(false, 100, now).units)).toEqual([4, 1, 0]);
    expect(expected.demand(false, 100, 20_000).forMs).toBe(2_000);
  });

  it('are counted once where they come together', () => {
    const expected = new ExpectedCalls();
    for (let at = 0; at <= 21_000; at += 3_000) for (let nth = 0; nth < 6; nth++) expected.onSent(1, at + nth);
    expect([21_010, 22_000].map((now) => expected.demand(false, 100, now).units)).toEqual([1, 1]);
  });

  it('are four units at most, and no more than the smallest limit', () => {
    expect(steady(100, 10_000).demand(false, 100, 10_000).units).toBe(4);
    expect(steady(100, 10_000).demand(false, 2, 10_000).units).toBe(2);
  });

  it('are those of one second, and a twentieth of the smallest limit, for a store that is near', () => {
    expect(steady(1_000, 20_000).demand(true, 1_000, 20_000)).toEqual({ units: 1, forMs: 1_000 });
    expect(steady(100, 10_000).demand(true, 40, 10_000).units).toBe(2);
  });

  it('are none where the units that may be asked for are too few for a call like the last', () => {
    const units = (isNear: boolean, cost: number): number => {
      const expected = steady(500, 20_000);
      expected.onSent(cost, 20_000);
      return expected.demand(isNear, 40, 20_000).units;
    };
    expect([4, 5].map((cost) => units(false, cost))).toEqual([4, 0]);
    expect([2, 3].map((cost) => units(true, cost))).toEqual([2, 0]);
  });

  it('are not asked for again for two seconds after an ask in vain', () => {
    const expected = steady(500, 5_000);
    expect(expected.askFrom).toBe(-Infinity);
    expected.askedInVain(5_000);
    expect(expected.askFrom).toBe(7_000);
  });
});
