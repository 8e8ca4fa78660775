import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CalendarWindow, PERIODS, type Period, shortest } from '../../examples/bulk-assets/shortest.ts';

const NOON = Date.UTC(2026, 1, 27, 12);
const fresh = (period: Period, limit: number): CalendarWindow => ({ period, limit, left: limit });

describe('the shortest possible time', () => {
  it('is none for what fits into the windows as they are', () => {
    expect(shortest(20, NOON, [fresh('second', 20), fresh('minute', 500)])).toBe(0);
  });

  it('is none without windows', () => {
    expect(shortest(1_000, NOON, [])).toBe(0);
  });

  it('ends in the window that takes the last request', () => {
    expect(shortest(21, NOON + 300, [fresh('second', 20)])).toBe(700);
    expect(shortest(300, NOON, [fresh('second', 20)])).toBe(14_000);
  });

  it('counts with what is left of the windows in which it begins', () => {
    expect(shortest(1, NOON + 300, [{ period: 'minute', limit: 50, left: 0 }])).toBe(59_700);
    expect(shortest(60, NOON + 300, [{ period: 'minute', limit: 50, left: 10 }])).toBe(59_700);
  });

  it('waits for the longest of the windows that are full', () => {
    const windows = [fresh('second', 20), fresh('minute', 150)];
    // 150 in 8 s, then to the end of the minute, then 150 more.
    expect(shortest(300, NOON + 50_000, windows)).toBe(10_000 + 7_000);
  });

  it('knows how long a month is', () => {
    expect(shortest(2, NOON, [fresh('month', 1)])).toBe(Date.UTC(2026, 2) - NOON);
  });

  it('is for ever where a window holds nothing', () => {
    expect(shortest(1, NOON, [fresh('second', 0)])).toBe(Infinity);
  });

  it('is what sending one by one takes, each as soon as every window has room', () => {
    const window = fc.record({
      period: fc.constantFrom(...PERIODS),
      limit: fc.integer({ min: 1, max: 30 }),
      left: fc.nat(30),
    });
    const windows = fc.uniqueArray(window, { maxLength: 3, selector: ({ period }) => period });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 120 }), fc.nat(200_000), windows, (requests, since, some) => {
        const open = some.map((one) => ({ ...one, left: Math.min(one.left, one.limit) }));
        expect(shortest(requests, NOON + since, open)).toBe(oneByOne(requests, NOON + since, open));
      }),
    );
  });
});

/** The same, in the plainest way: what was used is counted by the name of each window, and time goes from turn to turn. */
function oneByOne(requests: number, begin: number, windows: readonly CalendarWindow[]): number {
  const used = new Map(windows.map(({ period, limit, left }) => [nameOf(period, begin), limit - left]));
  let at = begin;
  for (let sent = 0; sent < requests; ) {
    const full = windows.filter(({ period, limit }) => (used.get(nameOf(period, at)) ?? 0) >= limit);
    if (full.length === 0) {
      for (const { period } of windows) used.set(nameOf(period, at), (used.get(nameOf(period, at)) ?? 0) + 1);
      sent++;
    } else at = Math.max(...full.map(({ period }) => turnAfter(period, at)));
  }
  return at - begin;
}

const NAME_LENGTHS = { month: 7, day: 10, hour: 13, minute: 16, second: 19 };

/** `2026-02-27T12:00` for a minute. */
function nameOf(period: Period, at: number): string {
  return new Date(at).toISOString().slice(0, NAME_LENGTHS[period]);
}

/** The first whole second after `at` at which the window has another name. */
function turnAfter(period: Period, at: number): number {
  const name = nameOf(period, at);
  let low = Math.floor(at / 1_000);
  let high = low + 32 * 86_400;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (nameOf(period, middle * 1_000) === name) low = middle;
    else high = middle;
  }
  return high * 1_000;
}
