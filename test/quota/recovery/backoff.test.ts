import { describe, expect, it } from 'vitest';
import { Backoff, doubled } from '../../../src/quota/recovery/backoff.ts';

describe('a back-off', () => {
  it('doubles each pause up to the longest, and begins again after a reset', () => {
    const backoff = new Backoff(100, 1_000);
    expect(Array.from({ length: 6 }, () => backoff.next())).toEqual([100, 200, 400, 800, 1_000, 1_000]);
    backoff.reset();
    expect(backoff.next()).toBe(100);
  });

  it('repeats a pause, and the first where there was none', () => {
    const backoff = new Backoff(100, 1_000);
    backoff.repeat();
    expect([backoff.next(), backoff.next()]).toEqual([100, 200]);
    backoff.repeat();
    expect([backoff.next(), backoff.next()]).toEqual([200, 400]);
  });

  it('is the longest, however often it was doubled', () => {
    expect(doubled(250, 8_000, 5_000)).toBe(8_000);
  });
});
