import { describe, expect, it } from 'vitest';
import { StoreBreaker } from '../../../src/sharing/trips/store-breaker.ts';

const breaker = (): StoreBreaker => new StoreBreaker(50, () => 0.5);

/** A breaker after so many failures, a second apart. */
function failed(times: number): StoreBreaker {
  const store = breaker();
  for (let count = 0; count < times; count++) store.fail(count * 1_000);
  return store;
}

describe('a store that fails', () => {
  it('is given longer after each failure, because it may only be slow, but never more than a second', () => {
    expect([0, 1, 2, 3, 20].map((times) => failed(times).timeoutMs)).toEqual([50, 100, 200, 400, 1_000]);
  });

  it('is given three times what it took at the slowest lately, because it may be far away', () => {
    const store = breaker();
    store.answered(40, 0);
    expect(store.timeoutMs).toBe(120);
    for (let count = 0; count < 60; count++) store.answered(1, 0);
    expect(store.timeoutMs).toBe(50);
    store.answered(10_000, 0);
    expect(store.timeoutMs).toBe(1_000);
  });

  it('is asked again at once after one failure and after two', () => {
    expect(failed(2).retryAt).toBe(-Infinity);
  });

  it('is taken to be lost with the third failure in a row, and that is said once', () => {
    const store = breaker();
    const isLost = [1, 2, 3, 4].map((time) => [store.fail(time), store.lostSince]);
    expect(isLost).toEqual([
      [false, undefined],
      [false, undefined],
      [true, 1],
      [false, 1],
    ]);
  });

  it('was away since the first failure of those in a row, which is said when it is back', () => {
    const store = breaker();
    for (const time of [1_000, 2_000]) store.fail(time);
    expect(store.mend(3_000)).toBeUndefined();
    for (const time of [4_000, 5_000, 6_000]) store.fail(time);
    expect([store.mend(9_000), store.mend(9_001)]).toEqual([5_000, undefined]);
  });

  it('is left alone for longer then, to half a second, so that it can recover', () => {
    const store = failed(2);
    const pauses = Array.from({ length: 6 }, () => {
      const now = Math.max(10_000, store.retryAt);
      store.fail(now);
      return store.retryAt - now;
    });
    expect(pauses).toEqual([200, 400, 500, 500, 500, 500]);
  });

  it('is tried by different processes at different times', () => {
    const [early, late] = [0, 1].map((random) => {
      const store = new StoreBreaker(50, () => random);
      for (let count = 0; count < 3; count++) store.fail(0);
      return store.retryAt;
    });
    expect([early, late]).toEqual([150, 250]);
  });

  it('is as good as new when it answers, and says for how long it was lost', () => {
    const store = failed(3);
    expect(store.mend(5_000)).toBe(5_000);
    expect([store.timeoutMs, store.lostSince, store.retryAt]).toEqual([50, undefined, -Infinity]);
    store.answered(1, 5_000);
    expect(store.heardAt).toBe(5_000);
  });

  it('was never lost if it failed but twice', () => {
    expect(failed(2).mend(5_000)).toBeUndefined();
  });
});
