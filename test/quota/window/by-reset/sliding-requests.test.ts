import { describe, expect, it } from 'vitest';
import { SlidingRequests } from '../../../../src/quota/window/by-reset/sliding-requests.ts';

/** Requests of a window of so many, answered at these instants. */
function answered(limit: number, instants: readonly number[], lengthMs = 60_000): SlidingRequests {
  const requests = new SlidingRequests(limit);
  requests.length.observe(lengthMs, lengthMs, false);
  for (const at of instants) {
    requests.onSent(at);
    requests.add(at);
  }
  return requests;
}

describe('requests of the last window', () => {
  it('count for its length after each was answered, and a little longer, as clocks differ', () => {
    const requests = answered(3, [0, 10_000, 20_000]);
    expect([60_005, 60_007, 80_007].map((now) => requests.countedAt(now))).toEqual([3, 2, 0]);
  });

  it('leave room for one more when enough of them count no longer', () => {
    const requests = answered(3, [0, 10_000, 20_000]);
    expect([0, 1, 2].map((held) => requests.earliest(held))).toEqual([60_006, 70_006, 80_006]);
    expect(requests.earliest(3)).toBe(Infinity);
  });

  it('decide in a window of a few seconds from its second instance on, and in a longer one from when they explain that it holds more', () => {
    const short = answered(3, [], 5_000);
    expect(short.areDecisive).toBe(false);
    short.onBegun(0, 0);
    expect(short.areDecisive).toBe(true);
    const requests = answered(3, [0, 10_000, 20_000], 5_001);
    requests.onBegun(0, 0);
    expect(requests.areDecisive).toBe(false);
    const minute = answered(3, [0, 10_000, 20_000]);
    minute.onFuller(4, true, 30_000);
    expect(minute.areDecisive).toBe(false);
    minute.onFuller(3, true, 30_000);
    expect(minute.areDecisive).toBe(true);
    expect(minute.earliest(0)).toBe(60_006);
  });

  it('decide from when a new instance counts about as many from its first moment, and most of the limit', () => {
    const decideAt = (carried: number, own = 10): boolean => {
      const requests = answered(
        20,
        Array.from({ length: own }, (_, nth) => nth),
      );
      requests.onBegun(carried, 60_000);
      return requests.areDecisive;
    };
    // More than these are of others, and fewer are what others took at once; of few it is not seen.
    expect([10, 11, 9].map((carried) => decideAt(carried))).toEqual([false, false, false]);
    expect([11, 12, 10, 9].map((carried) => decideAt(carried, 11))).toEqual([true, false, false, false]);
  });

  it.each([
    ['three', 3, 30_003],
    ['one', 1, 120_012],
  ])('are spaced evenly in a window of %s where it holds more than them', (_, limit, gapMs) => {
    const requests = answered(limit, [0]);
    for (let times = 0; times < 2; times++) requests.onFuller(1, true, 1_000);
    requests.onSent(90_000);
    expect(requests.earliest(0)).toBe(90_000 + gapMs);
  });

  it('are spaced evenly where two windows explain what one does not', () => {
    const requests = answered(3, [0, 60_000, 61_000], 60_000);
    requests.onFuller(2, true, 61_000);
    requests.onFuller(3, false, 61_000);
    requests.onSent(130_000);
    expect(requests.earliest(0)).toBe(160_003);
  });

  it('of a guessed length are told from those of a longer one by a refusal in spite of even spaces', () => {
    const requests = new SlidingRequests(3);
    requests.length.observe(121_000, 121_000, true);
    requests.length.onEmptied();
    requests.add(0);
    requests.onFuller(1, true, 500);
    expect(requests.length.ms).toBe(1_000);
    requests.onFuller(1, false, 600);
    expect(requests.length.ms).toBe(1_000);
    requests.onFuller(1, true, 600);
    expect([requests.length.ms, requests.areDecisive]).toEqual([60_000, false]);
  });
});
