import { describe, expect, it } from 'vitest';
import { orderedPauseMs } from '../../../src/quota/limits/cooldown.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOON = Date.UTC(2026, 1, 10, 12);

function pauseOf(retryAfterMs: number | undefined, longestMs?: number): number | undefined {
  const quota = { receivedAt: NOON + 7_000, date: NOON, stacks: {}, malformed: [], unrecognised: {} };
  return orderedPauseMs(retryAfterMs === undefined ? quota : { ...quota, retryAfterMs }, longestMs);
}

describe('the pause that retry-after orders', () => {
  it('is none where the header is missing, and an order all the same where it says 0', () => {
    expect(pauseOf(undefined)).toBeUndefined();
    expect(pauseOf(0)).toBe(0);
  });

  it('is as long as it says up to the longest window, and an hour where it says more', () => {
    expect(pauseOf(DAY_MS, DAY_MS)).toBe(DAY_MS);
    expect(pauseOf(DAY_MS + 1_000, DAY_MS)).toBe(HOUR_MS);
  });

  it('is believed for an hour even where only a shorter window is known', () => {
    expect(pauseOf(HOUR_MS - 1, 60_000)).toBe(HOUR_MS - 1);
    expect(pauseOf(2 * HOUR_MS, 60_000)).toBe(HOUR_MS);
  });

  it('ends with the month of the service where it would last longer, whether a longest window is known or not', () => {
    const restOfFebruary = Date.UTC(2026, 2, 1) - NOON;
    expect(pauseOf(30 * DAY_MS)).toBe(restOfFebruary);
    expect(pauseOf(32 * DAY_MS)).toBe(HOUR_MS);
  });
});
