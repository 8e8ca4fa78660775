import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CommonBudget, RetryBudget } from '../../src/scheduler/retry-budget.ts';

describe('the budget of retries', () => {
  const PATIENCE_MS = 60_000;

  it('pays for ten at once, then delays each retry until a second has earned it', () => {
    const budget = new RetryBudget(new CommonBudget());
    const waits = Array.from({ length: 13 }, () => budget.pay(0, PATIENCE_MS));
    expect(waits).toEqual([...Array(10).fill(0), 1_000, 2_000, 3_000]);
  });

  it('delays no retry for longer than its call may wait, and takes nothing from the others then', () => {
    const budget = new RetryBudget(new CommonBudget());
    for (let retry = 0; retry < 12; retry++) budget.pay(0, PATIENCE_MS);
    expect([budget.pay(0, 2_999), budget.pay(0, 2_999), budget.pay(0, 3_000)]).toEqual([undefined, undefined, 3_000]);
  });

  it('pays for another what it is given back', () => {
    const common = new CommonBudget();
    const waits = Array.from({ length: 3 }, () => common.pay(0, PATIENCE_MS));
    common.giveBack();
    expect([...waits, common.pay(0, PATIENCE_MS)]).toEqual([0, 1_000, 2_000, 2_000]);
  });

  it('earns a fifth of a retry by a success, and one by a second', () => {
    const budget = new RetryBudget(new CommonBudget());
    for (let retry = 0; retry < 10; retry++) budget.pay(0, PATIENCE_MS);
    for (let success = 0; success < 5; success++) budget.earn();
    expect([budget.pay(0, 0), budget.pay(999, 0), budget.pay(1_000, 0)]).toEqual([0, undefined, 0]);
  });

  it('saves for no more than ten', () => {
    const budget = new RetryBudget(new CommonBudget());
    for (let success = 0; success < 1_000; success++) budget.earn();
    expect(Array.from({ length: 20 }, () => budget.pay(1e9, 0)).filter((wait) => wait === 0)).toHaveLength(10);
  });

  it('pays for the retries of one endpoint although another has spent its own, and one a second for both together', () => {
    const common = new CommonBudget();
    const [failing, other] = [new RetryBudget(common), new RetryBudget(common)];
    for (let retry = 0; retry < 12; retry++) failing.pay(0, PATIENCE_MS);
    const waits = Array.from({ length: 10 }, () => other.pay(0, PATIENCE_MS));
    expect(waits).toEqual([...Array(9).fill(0), 3_000]);
    expect(failing.pay(0, PATIENCE_MS)).toBe(4_000);
  });

  it('never pays for more than ten, a fifth of the successes and one a second', () => {
    // Mostly several in a second, so that the budget is spent.
    const ms = fc.oneof({ weight: 9, arbitrary: fc.nat({ max: 500 }) }, fc.nat({ max: 3_000 }));
    const step = fc.record({ isSuccess: fc.boolean(), ms });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 500, size: 'max' }), (steps) => {
        const budget = new RetryBudget(new CommonBudget());
        let [now, successes, retries] = [0, 0, 0];
        for (const { isSuccess, ms } of steps) {
          now += ms;
          if (isSuccess) {
            successes++;
            budget.earn();
          } else if (budget.pay(now, 0) === 0) retries++;
          expect(retries).toBeLessThanOrEqual(10 + 0.2 * successes + now / 1_000 + 1e-6);
        }
      }),
    );
  });
});
