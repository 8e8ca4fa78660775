import { describe, expect, it } from 'vitest';
import type { Period } from '../../../src/quota/time/periods.ts';
import { type FailureMode, Fallback } from '../../../src/sharing/trips/fallback.ts';
import { calendar, reading } from '../support/small.ts';

const BEGIN = { least: 0, most: 0 };
const windows = calendar({ second: 20, minute: 600 });

interface Terms {
  readonly processes?: number;
  readonly isGuess?: boolean;
  readonly random?: number;
}

function fallback(mode: FailureMode, { processes = 4, isGuess = false, random = 0.5 }: Terms = {}): Fallback {
  return new Fallback(mode, processes, isGuess, random, 0);
}

/** How long one unit waits after two others that were sent together, in milliseconds. */
function paceOf(alone: Fallback, at = 10_000, of = windows): number {
  for (const _ of [1, 2]) {
    alone.earliest(1, of, at);
    alone.onSent(at);
  }
  return alone.earliest(1, of, at) - at;
}

/** A process that holds calls back, so that it adapts its part. */
function holding(of = windows): Fallback {
  const alone = fallback('partial');
  paceOf(alone, 0, of);
  return alone;
}

/** Readings of a window, by when they came. */
type Readings = readonly (readonly [at: number, used: number])[];

/** Reads a window of so many units now and then. */
function read(alone: Fallback, period: Period, limit: number, readings: Readings): void {
  for (const [receivedAt, used] of readings) alone.read(reading({ period, limit, used, receivedAt }), 0);
}

/** Reads a minute of 600 at the beginning and the end of two seconds in which all processes together spent so many units. */
function spend(alone: Fallback, units: number, from = 0): void {
  read(alone, 'minute', 600, [
    [from, 100],
    [from + 2_000, 100 + units],
  ]);
}

describe('a process that cannot ask the store', () => {
  it('sends nothing in the mode `closed`, and as it likes in the mode `open`', () => {
    expect(fallback('closed').earliest(1, windows, 5)).toBe(Infinity);
    expect(fallback('open').earliest(1, windows, 5)).toBe(5);
  });

  it('sends evenly, at four fifths of its part of the tightest window', () => {
    // 600 a minute are 10 a second; a fourth of that, less a fifth, is one in 500 ms.
    expect(paceOf(fallback('partial'))).toBeCloseTo(500);
  });

  it('spends within a minute its part of what is left of a month, and of no month waits longer than that', () => {
    const alone = fallback('partial');
    const paceIn = (used: number): number => {
      const months = calendar({ month: 10_000 });
      for (const window of months) window.read(reading({ period: 'month', limit: 10_000, used }), BEGIN, BEGIN, 0);
      return paceOf(alone, 0, months);
    };
    expect(paceIn(0)).toBeCloseTo(60_000 / (10_000 * 0.2));
    expect(paceIn(9_000)).toBeCloseTo(60_000 / (1_000 * 0.2));
    expect(paceIn(10_000)).toBe(60_000);
  });

  it('sends five eighths of that where the number of processes is a guess, after it has hesitated: all of them start together', () => {
    const guessing = fallback('partial', { isGuess: true });
    expect(guessing.earliest(1, windows, 0)).toBe(1_000);
    expect(paceOf(guessing)).toBeCloseTo(800);
    const begin = (random: number): number => fallback('partial', { isGuess: true, random }).earliest(1, windows, 0);
    expect([begin(0), begin(1)]).toEqual([500, 1_500]);
  });

  it('waits longer after a request that takes more units, and no longer than for all that a window holds', () => {
    const alone = fallback('partial');
    alone.onSent(0);
    expect(alone.earliest(3, windows, 0)).toBeCloseTo(1_500);
    expect(alone.earliest(9_999, windows, 0)).toBe(alone.earliest(600, windows, 0));
  });

  it('sends more where readings show that others send little, if calls wait for that', () => {
    const alone = holding();
    // 10 of the 20 units that two seconds allow, of which they aim at 18.
    spend(alone, 10);
    expect(paceOf(alone)).toBeCloseTo(500 / 1.8);
    const quiet = holding();
    spend(quiet, 4);
    expect(paceOf(quiet)).toBeCloseTo(500 / 2);
  });

  it('sends no more and no less where nothing waited, because then its part is not what holds it back', () => {
    for (const units of [10, 24]) {
      const alone = fallback('partial');
      spend(alone, units);
      expect(paceOf(alone)).toBeCloseTo(500);
    }
  });

  it('sends a call at once after one that came later than it might have', () => {
    const alone = holding();
    const at = 10_000;
    expect(alone.earliest(1, windows, at)).toBeLessThan(at);
    alone.onSent(at);
    expect(alone.earliest(1, windows, at)).toBeLessThanOrEqual(at);
    alone.onSent(at);
    expect(alone.earliest(1, windows, at)).toBeCloseTo(at + 500);
  });

  it('sends no two calls at once when it begins', () => {
    const alone = fallback('partial');
    alone.earliest(1, windows, 0);
    alone.onSent(0);
    expect(alone.earliest(1, windows, 0)).toBeCloseTo(500);
  });

  it('sends a unit in ten seconds at least, but no more than a fourth of a window', () => {
    expect(paceOf(fallback('partial', { isGuess: true, processes: 8 }), 0, calendar({ minute: 50 }))).toBeCloseTo(
      10_000,
    );
    expect(paceOf(fallback('partial', { isGuess: true, processes: 8 }), 0, calendar({ minute: 5 }))).toBeCloseTo(
      48_000,
    );
  });

  it('sends less where readings show that all together send too much', () => {
    const alone = holding();
    spend(alone, 24);
    expect(paceOf(alone)).toBeCloseTo(500 / (0.9 / 1.2));
  });

  it('sends less where others have filled a window, whatever the rate, which tells little of one that slides', () => {
    const alone = holding();
    read(alone, 'minute', 600, [
      [0, 596],
      [2_000, 600],
    ]);
    expect(paceOf(alone)).toBeCloseTo(500 / 0.9);
  });

  it('sends less where a window was full, although some of it has slid out since, until it reads anew', () => {
    const alone = holding();
    read(alone, 'minute', 600, [
      [0, 590],
      [1_000, 600],
      [2_000, 595],
    ]);
    expect(paceOf(alone, 3_000)).toBeCloseTo(500 / 0.9);
    read(alone, 'minute', 600, [
      [4_000, 5],
      [6_000, 10],
    ]);
    expect(paceOf(alone)).toBeCloseTo(500 / 0.9 / 2);
  });

  it('sends no less where its own request fills a second of one', () => {
    const seconds = calendar({ second: 1, minute: 50 });
    const alone = holding(seconds);
    for (const [at, used] of [
      [0, 10],
      [3_000, 11],
    ] as const) {
      alone.read(reading({ period: 'second', limit: 1, used: 1, receivedAt: at }), 100);
      alone.read(reading({ period: 'minute', limit: 50, used, receivedAt: at }), 0);
    }
    // At first 6 s.
    expect(paceOf(alone, 10_000, seconds)).toBeCloseTo(3_000);
  });

  it('never stops, and never takes more than all of it', () => {
    const [slow, fast] = [fallback('partial'), fallback('partial')];
    for (let second = 0; second < 100; second++) {
      for (const alone of [slow, fast]) paceOf(alone, second * 1_000);
      for (const [alone, rate] of [
        [slow, 50],
        [fast, 1],
      ] as const)
        alone.read(reading({ period: 'minute', limit: 600_000, used: second * rate, receivedAt: second * 1_000 }), 0);
      slow.read(reading({ period: 'second', limit: 20, used: 20, receivedAt: second * 1_000 }), 900);
    }
    expect(paceOf(slow, 1e6)).toBeCloseTo(10_000);
    expect(paceOf(fast, 1e6)).toBeCloseTo(100);
  });

  it('adapts although its readings come seldom, because it sends seldom', () => {
    const alone = fallback('partial', { processes: 40 });
    const before = paceOf(alone, 0);
    for (let count = 1; count <= 10; count++) {
      alone.read(reading({ period: 'minute', limit: 600, used: count * 5, receivedAt: count * before }), 0);
      paceOf(alone, count * before);
    }
    expect(paceOf(alone, 1e6)).toBeLessThan(before);
  });

  it('agrees with the others: two of them that read the same correct their parts by the same factor', () => {
    const [one, other] = [fallback('partial', { processes: 2 }), fallback('partial', { processes: 8 })];
    const before = paceOf(one) / paceOf(other);
    for (const alone of [one, other]) spend(alone, 24);
    expect(paceOf(one) / paceOf(other)).toBeCloseTo(before);
  });
});

describe('what a process without a store reads of the rate of all', () => {
  const seconds = calendar({ second: 20 });
  const UNIT_MS = 1_000 / 19.5;

  function minute(alone: Fallback, readings: Readings): void {
    read(alone, 'minute', 600, readings);
  }

  /** Reads a second of 20 so long after it began. */
  function second(alone: Fallback, at: number, used: number, elapsedMs: number): void {
    alone.read(reading({ period: 'second', limit: 20, used, receivedAt: at }), elapsedMs);
  }

  /** How long one unit waits where the second alone bounds it, by nineteen and a half units: five of their times at first. */
  function paceInSeconds(alone: Fallback): number {
    return paceOf(alone, 10_000, seconds);
  }

  it('counts when two seconds have passed, and from then on every two seconds', () => {
    const alone = holding();
    minute(alone, [
      [0, 100],
      [1_999, 190],
    ]);
    expect(paceOf(alone)).toBeCloseTo(500);
    spend(alone, 24);
    expect(paceOf(alone, 2_100)).toBeCloseTo(500 / 0.75);
    // It reads for two seconds before it corrects its part again.
    minute(alone, [
      [2_500, 130],
      [3_999, 300],
    ]);
    expect(paceOf(alone)).toBeCloseTo(500 / 0.75);
  });

  it('lets it send no more where a call did not have to wait', () => {
    for (const now of [0, 10_000]) {
      const alone = fallback('partial');
      expect(alone.earliest(1, windows, now)).toBeLessThanOrEqual(now);
      spend(alone, 10);
      expect(paceOf(alone)).toBeCloseTo(500);
    }
  });

  it('lets it send no more a second time unless calls have waited since', () => {
    const alone = holding();
    spend(alone, 10);
    spend(alone, 10, 10_000);
    expect(paceOf(alone)).toBeCloseTo(500 / 1.8);
  });

  it('is that of a month, too, and says nothing of how full that may be', () => {
    const alone = holding();
    minute(alone, [[0, 100]]);
    read(alone, 'month', 100, [
      [0, 76],
      [2_000, 100],
    ]);
    // 12 a second, of 9 at which they aim.
    expect(paceOf(alone)).toBeCloseTo(500 / 0.75);
  });

  it('says nothing where two readings arrive together', () => {
    const together = holding();
    minute(together, [
      [2_000, 100],
      [2_000, 400],
    ]);
    expect(paceOf(together)).toBeCloseTo(500);
  });

  it('is measured from the first reading of a minute, whenever that came', () => {
    const later = holding();
    spend(later, 24, 1_000);
    expect(paceOf(later)).toBeCloseTo(500 / 0.75);
    const still = holding();
    minute(still, [
      [0, 100],
      [1_000, 100],
      [2_000, 124],
    ]);
    expect(paceOf(still)).toBeCloseTo(500 / 0.75);
    const next = holding();
    minute(next, [
      [0, 100],
      [1_000, 10],
      [3_000, 34],
    ]);
    expect(paceOf(next)).toBeCloseTo(500 / 0.75);
  });

  it('is measured anew after each correction', () => {
    const alone = holding();
    spend(alone, 24);
    paceOf(alone, 3_000);
    // 9 of the 10 units a second, which is what all aim at.
    minute(alone, [[4_000, 142]]);
    expect(paceOf(alone)).toBeCloseTo(500 / 0.75);
  });

  it('is what the last second has counted of which two fifths were over', () => {
    const stepAfter = (...readings: readonly (readonly [used: number, elapsedMs: number])[]): number => {
      const alone = holding(seconds);
      for (const [nth, [used, elapsedMs]] of readings.entries()) second(alone, 1_000 + nth * 1_000, used, elapsedMs);
      return (5 * UNIT_MS) / paceInSeconds(alone);
    };
    // 6.4 in 400 ms are 16 a second, of 19.5 of which nine tenths are aimed at.
    const step = (19.5 * 0.9) / 16;
    expect(stepAfter([3, 100], [6.4, 400])).toBeCloseTo(step);
    expect(stepAfter([3, 100], [6.4, 399])).toBeCloseTo(1);
    expect(stepAfter([6.4, 400], [9, 399])).toBeCloseTo(step);
    expect(stepAfter([3, 500], [6.4, 400])).toBeCloseTo(step);
  });

  it('is that of the longest window that has one', () => {
    const both = holding();
    second(both, 1_000, 8, 500);
    spend(both, 24);
    expect(paceOf(both)).toBeCloseTo(500 / 0.75);
    const early = holding();
    second(early, 1_000, 8, 100);
    spend(early, 24);
    expect(paceOf(early)).toBeCloseTo(500 / 0.75);
    const one = holding();
    minute(one, [[1_000, 100]]);
    second(one, 2_000, 8, 500);
    // 16 a second are more than the minute allows.
    expect(paceOf(one)).toBeCloseTo(500 / 0.7);
  });
});
