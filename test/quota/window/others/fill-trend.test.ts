import { describe, expect, it } from 'vitest';
import { FillTrend } from '../../../../src/quota/window/others/fill-trend.ts';

/** The trend of a window that is so full at each of these parts of it. */
function trendOf(fullAt: (elapsed: number) => number, parts: readonly number[]): FillTrend {
  const trend = new FillTrend();
  for (const elapsed of parts) trend.observe(fullAt(elapsed), elapsed);
  return trend;
}

/** Readings at all parts of windows, in no order. */
const EVENLY = Array.from({ length: 40 }, (_, index) => (index * 0.37) % 1);

describe('how full a short window is when it ends', () => {
  it('is all of it before the first reading, and the first few show little', () => {
    const trend = new FillTrend();
    expect(trend.atEnd).toBe(1);
    trend.observe(0.2, 0.5);
    expect(trend.atEnd).toBeGreaterThan(0.6);
  });

  it('is what a window of the calendar grows to, though readings are of its middle on average', () => {
    expect(trendOf((elapsed) => 0.9 * elapsed, EVENLY).atEnd).toBeCloseTo(0.82, 1);
  });

  it('is what readings show of a window that slides', () => {
    expect(trendOf(() => 0.6, EVENLY).atEnd).toBeCloseTo(0.6, 2);
  });

  it('is what readings show where all are of the same part', () => {
    const parts = EVENLY.map(() => 0.3);
    expect(trendOf((elapsed) => elapsed, parts).atEnd).toBeCloseTo(0.3, 1);
  });

  it('is no less than what readings show, where usage sinks, and no more than the whole window', () => {
    expect(trendOf((elapsed) => 0.8 - 0.4 * elapsed, EVENLY).atEnd).toBeCloseTo(0.6, 1);
    expect(trendOf((elapsed) => 0.5 + elapsed, EVENLY).atEnd).toBe(1);
  });

  it('follows the last readings, and one that is full changes little', () => {
    const trend = trendOf(() => 0.2, EVENLY);
    trend.observe(1, 0.5);
    expect(trend.atEnd).toBeGreaterThan(0.3);
    expect(trend.atEnd).toBeLessThan(0.4);
    for (const elapsed of EVENLY) trend.observe(0.7, elapsed);
    expect(trend.atEnd).toBeCloseTo(0.7, 2);
  });
});

describe('the dispersion of what readings of a window show used', () => {
  it('is nothing where they show the same, and the variance by the mean where they do not', () => {
    expect(trendOf(() => 0.6, EVENLY).dispersion).toBeCloseTo(0, 3);
    const inTurn = trendOf((elapsed) => (elapsed < 0.5 ? 0.4 : 0.8), EVENLY);
    expect(inTurn.dispersion).toBeGreaterThan(0.055);
    expect(inTurn.dispersion).toBeLessThan(0.075);
  });

  it('is what a window of the calendar shows that is filled, too', () => {
    expect(trendOf((elapsed) => elapsed, EVENLY).dispersion).toBeGreaterThan(0.1);
  });
});
