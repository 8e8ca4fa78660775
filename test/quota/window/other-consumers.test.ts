import { describe, expect, it } from 'vitest';
import { OtherConsumers } from '../../../src/quota/window/other-consumers.ts';

const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;
const LIMIT = 500;

/** Company that takes so many units of each of the first windows. */
function company(units: number, { windows = 6, length = MINUTE_MS, limit = LIMIT } = {}): OtherConsumers {
  const others = new OtherConsumers(length);
  for (let window = 0; window <= windows; window++) others.observe(units, limit, window * length + 1);
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

  it('are left nothing of a month for what a few minutes showed', () => {
    const others = new OtherConsumers(31 * 24 * 60 * MINUTE_MS);
    for (let minute = 0; minute < 10; minute++) others.observe(50, 10_000, minute * MINUTE_MS);
    expect(others.reserve(10_000, 0, 100)).toBeLessThan(300);
  });

  it('are never left more than half, however much they take', () => {
    const others = company(450);
    expect(others.reserve(LIMIT, 0, 100)).toBe(LIMIT / 2);
    expect(others.fairSpacing(LIMIT)).toBe(MINUTE_MS / (LIMIT / 2));
  });

  it('are there as soon as a window shows more than chance', () => {
    const others = new OtherConsumers(MINUTE_MS);
    others.observe(2, LIMIT, 1_000);
    expect(others.areActive).toBe(false);
    others.observe(1, LIMIT, 1_100);
    expect(others.areActive).toBe(true);
  });

  it('leave us less of a second for each in which we were refused, and it comes back with seconds of which they leave enough', () => {
    const others = company(12, { length: SECOND_MS, limit: 20 });
    const before = others.fairSpacing(20);
    others.onRefused(7_100);
    const once = others.fairSpacing(20);
    expect(once).toBeGreaterThan(before);
    others.onRefused(7_900);
    expect(others.fairSpacing(20)).toBe(once);
    others.onRefused(8_100);
    expect(others.fairSpacing(20)).toBeGreaterThan(once);
    for (let second = 9; second < 200; second++) others.observe(0, 20, second * SECOND_MS + 1);
    expect(others.fairSpacing(20)).toBe(before);
  });

  it('are left a second alone for longer after each refusal in a row, and for half as long after each second without', () => {
    const others = company(12, { length: SECOND_MS, limit: 20 });
    const pauseAfter = (at: number): number => {
      others.onRefused(at);
      return others.pausedUntil - at;
    };
    expect([7_100, 9_100, 12_100, 17_100].map(pauseAfter)).toEqual([500, 1_000, 2_000, 4_000]);
    for (let second = 22; second < 40; second++) others.observe(1, 20, second * SECOND_MS);
    expect(pauseAfter(40_000)).toBe(500);
  });

  it('give a second back within some ten seconds that show none of them', () => {
    const others = company(12, { length: SECOND_MS, limit: 20 });
    for (let second = 8; second < 20; second++) others.onRefused(second * SECOND_MS);
    expect(others.fairSpacing(20)).toBeGreaterThan(500);
    for (let second = 20; second < 32; second++) others.observe(0, 20, second * SECOND_MS + 1);
    expect(others.fairSpacing(20)).toBe(100);
  });

  it('leave us no more of a second than they left of the last ones', () => {
    const others = company(16, { length: SECOND_MS, limit: 20 });
    for (let second = 7; second < 200; second++) {
      if (second < 20) others.onRefused(second * SECOND_MS);
      others.observe(16, 20, second * SECOND_MS + 1);
    }
    expect(others.fairSpacing(20)).toBe((SECOND_MS * 16) / 20);
  });

  it('give nothing back for the seconds of refusals, although a full one shows no more of them', () => {
    const others = company(12, { length: SECOND_MS, limit: 20 });
    let before = others.fairSpacing(20);
    for (let at = 7_100; at < 20_000; at += 2_000) {
      others.onRefused(at);
      for (const seen of [at, at + 900]) others.observe(0, 20, seen);
      // A refusal takes a quarter, and the window after it gives back a little.
      expect(others.fairSpacing(20)).toBeGreaterThan(1.2 * before);
      before = others.fairSpacing(20);
    }
  });

  it('leave us a sixteenth of a second at the least', () => {
    const others = company(18, { length: SECOND_MS, limit: 20 });
    for (let second = 0; second < 100; second++) others.onRefused(second * SECOND_MS);
    expect(others.fairSpacing(20)).toBe((SECOND_MS * 16) / 20);
  });

  it('leave us no less of a minute for a refusal: its answers say in time how much is left', () => {
    const others = company(450);
    const before = others.fairSpacing(LIMIT);
    others.onRefused(1_000);
    expect(others.fairSpacing(LIMIT)).toBe(before);
  });

  it('may take unseen what they took lately, more than they usually do, until no answer has told so for long', () => {
    const others = company(30);
    const usual = others.unobserved(5 * MINUTE_MS);
    for (let tenth = 0; tenth < 10; tenth++) others.observe(2, LIMIT, 7 * MINUTE_MS + tenth * 100);
    expect(others.unobserved(SECOND_MS)).toBeGreaterThan(4 * usual);
    expect(others.unobserved(5 * MINUTE_MS)).toBe(usual);
  });

  it('may have taken something unseen since the last answer: more the longer it is past, up to a point', () => {
    const others = company(250);
    const [soon, later, muchLater] = [others.unobserved(100), others.unobserved(1_000), others.unobserved(30_000)];
    expect(soon).toBeLessThan(later);
    expect(muchLater).toBeLessThanOrEqual(later);
  });

  it('must be there where a request was refused although nobody was seen', () => {
    const others = new OtherConsumers(MINUTE_MS);
    others.onRefused(1_000);
    expect(others.areActive).toBe(true);
  });
});

describe('the spacing of our requests in a second of 20 units beside others', () => {
  const second = (units: number) => company(units, { length: SECOND_MS, limit: 20 });

  it('is that of what they leave, and no slower than half of our part', () => {
    // They usually take 4, by chance 2 more, and a margin of 0.4.
    const spacing = second(4).spacing(20, 0, 0);
    expect(spacing).toBeGreaterThan(SECOND_MS / (20 - 6.4));
    expect(spacing).toBeLessThan(1.02 * (SECOND_MS / (20 - 6.4)));
    // At most half is left to them.
    expect(second(16).spacing(20, 0, 0)).toBeCloseTo(SECOND_MS / 10, 6);
  });

  it('is shorter where more is left for the rest of the second, of which a twentieth counts at least', () => {
    expect(second(4).spacing(20, 18, 0)).toBeCloseTo(SECOND_MS / 18, 6);
    expect(second(4).spacing(20, 10, 0.5)).toBeCloseTo(SECOND_MS / 20, 6);
    expect(second(4).spacing(20, 10, 0.99)).toBeCloseTo(50 / 10, 6);
  });

  it('is fair after a refusal, whatever is left: what they took is gone', () => {
    const others = second(4);
    others.onRefused(7_100);
    expect(others.spacing(20, 18, 0.9)).toBe(others.fairSpacing(20));
    expect(others.fairSpacing(20)).toBeCloseTo(SECOND_MS / (20 * 0.375), 6);
  });
});

describe('what others are left', () => {
  it('is what they usually take, what chance may add to it, and what may come within a round trip at the end of the window', () => {
    const inAll = 100 + 10 + 0.02 * LIMIT;
    const parts = [
      [company(100).reserve(LIMIT, 0, 100), inAll + 2 * Math.sqrt(inAll)],
      [company(100).reserve(LIMIT, 0.5, 100), inAll / 2 + 2 * Math.sqrt(inAll / 2)],
      [company(100).reserve(LIMIT, 1, 600), 2 * Math.sqrt(inAll / 100)],
      [company(100).reserve(LIMIT, 1, 999_999), 2 * Math.sqrt(inAll)],
    ];
    for (const [reserved = 0, expected = 0] of parts) {
      expect(reserved).toBeGreaterThan(0.95 * expected);
      expect(reserved).toBeLessThan(1.05 * expected);
    }
  });
});
