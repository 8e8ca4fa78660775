import { describe, expect, it } from 'vitest';
import { OtherConsumers } from '../../../src/quota/window/other-consumers.ts';

const MINUTE_MS = 60_000;
const LIMIT = 500;

/** Company that takes so many units of each of the first windows. */
function company(units: number, { windows = 6, length = MINUTE_MS } = {}): OtherConsumers {
  const others = new OtherConsumers(length);
  for (let window = 0; window <= windows; window++) others.observe(units, LIMIT, window * length + 1);
  return others;
}

describe('others who spend the same quota', () => {
  it('are not there while nothing is unexplained, nor for what chance explains', () => {
    expect(company(0).areActive).toBe(false);
    expect(company(2).areActive).toBe(false);
  });

  it('are there once windows show more, and gone some windows after the last of it', () => {
    const others = company(100);
    expect(others.areActive).toBe(true);
    for (let window = 7; window < 80; window++) others.observe(0, LIMIT, window * MINUTE_MS + 1);
    expect(others.areActive).toBe(false);
  });

  it('are left what they usually take, less as the window goes by', () => {
    const others = company(100);
    const [early, late] = [others.reserve(LIMIT, 0, 100), others.reserve(LIMIT, 0.9, 100)];
    expect(early).toBeGreaterThan(100);
    expect(early).toBeLessThan(160);
    expect(late).toBeLessThan(early / 4);
  });

  it('are never left more than half, however much they take', () => {
    const others = company(450);
    const halfAndItsChance = LIMIT / 2 + 2 * Math.sqrt(LIMIT / 2);
    expect(others.reserve(LIMIT, 0, 100)).toBeLessThanOrEqual(halfAndItsChance);
    expect(others.fairSpacing(LIMIT)).toBe(MINUTE_MS / (LIMIT / 2));
  });

  it('leave us less of a window for each window in which we were refused, and it comes back with what is served', () => {
    const others = company(450);
    const before = others.fairSpacing(LIMIT);
    others.onRefused(1_000);
    const once = others.fairSpacing(LIMIT);
    expect(once).toBeGreaterThan(before);
    others.onRefused(2_000);
    expect(others.fairSpacing(LIMIT)).toBe(once);
    others.onRefused(1_000 + MINUTE_MS);
    expect(others.fairSpacing(LIMIT)).toBeGreaterThan(once);
    for (let served = 0; served < 2_000; served++) others.onServed();
    expect(others.fairSpacing(LIMIT)).toBe(before);
  });

  it('leave us a sixteenth at the least', () => {
    const others = company(450);
    for (let window = 0; window < 100; window++) others.onRefused(window * MINUTE_MS);
    expect(others.fairSpacing(LIMIT)).toBe((MINUTE_MS * 16) / LIMIT);
  });

  it('may have taken something unseen since the last answer: more the longer it is past, up to a point', () => {
    const others = company(250);
    const [soon, later, muchLater] = [others.unobserved(100), others.unobserved(1_000), others.unobserved(30_000)];
    expect(soon).toBeLessThan(later);
    expect(muchLater).toBe(others.unobserved(MINUTE_MS / 50));
  });

  it('must be there where a request was refused although nobody was seen', () => {
    const others = new OtherConsumers(MINUTE_MS);
    others.onRefused(1_000);
    expect(others.areActive).toBe(true);
  });
});
