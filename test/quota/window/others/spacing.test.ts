import { describe, expect, it } from 'vitest';
import type { Period } from '../../../../src/quota/time/periods.ts';
import { SpacingBesideOthers } from '../../../../src/quota/window/others/spacing.ts';
import { knownClock } from '../../support/builders.ts';

const LIMIT = 100;

/** Spacing where others leave us one unit in so many milliseconds, the last reading is of 0 and the last request was sent at 1 s. */
function spacing(period: Period, spacingMs: number, areActive = true): SpacingBesideOthers {
  return new SpacingBesideOthers(period, {
    clock: knownClock(),
    otherConsumers: { areActive, fairSpacing: () => spacingMs },
    lastReading: { sentAt: 0, limit: LIMIT },
    sent: { lastSentAt: 1_000 },
  });
}

describe('requests beside other consumers', () => {
  it('are spaced in a second by our part of it, and go after not quite four seconds at the latest', () => {
    const short = spacing('second', 50);
    expect(short.earliest(1, LIMIT, 1_010)).toBe(1_050);
    expect(short.earliest(3, LIMIT, 1_010)).toBe(1_150);
    expect(short.earliest(99, LIMIT, 1_010)).toBe(4_700);
  });

  it('are not, if they take no units', () => {
    expect(spacing('second', 50).earliest(0, LIMIT, 60_100)).toBe(1_000);
  });

  it('keep their instants where they waited for a minute to end, so that clients that waited together do not begin it together', () => {
    const [slow, fast] = [2_600, 30].map((spacingMs) => spacing('second', spacingMs));
    // The last one was sent at 1 s: 22.7 spacings before the minute has surely begun, and 1,967.3.
    expect(slow?.earliest(1, LIMIT, 60_100)).toBe(1_000 + 23 * 2_600);
    expect(fast?.earliest(1, LIMIT, 60_100)).toBe(1_000 + 1_968 * 30);
    expect(slow?.earliest(1, LIMIT, 59_900)).toBe(3_600);
  });

  it('return within our spacing from the pause of a refusal, where they go at most once a second', () => {
    const withinMs = (spacingMs: number, areActive = true): number =>
      spacing('second', spacingMs, areActive).returnsWithinMs;
    expect(withinMs(1_500)).toBe(1_500);
    expect(withinMs(1_000)).toBe(1_000);
    expect(withinMs(999)).toBe(0);
    expect(withinMs(9_000)).toBe(3_700);
    expect(withinMs(1_500, false)).toBe(0);
  });

  it('are not in a longer window', () => {
    expect(spacing('minute', 50).earliest(3, LIMIT, 1_010)).toBe(1_010);
  });
});
