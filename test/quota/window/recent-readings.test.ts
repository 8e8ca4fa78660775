import { describe, expect, it } from 'vitest';
import { RecentReadings } from '../../../src/quota/window/recent-readings.ts';
import { readingsOf } from '../support/builders.ts';

const MINUTE_MS = 60_000;

/** Readings of a minute of 600 units, which sinks by ten units a second at most; an answer takes 100 ms. */
const reading = readingsOf(600, 100);

function seen(...readings: readonly (readonly [sentAt: number, used: number])[]): RecentReadings {
  const recent = new RecentReadings(MINUTE_MS);
  for (const [sentAt, used] of readings) recent.add(reading(sentAt, used));
  return recent;
}

describe('the usage of a window that sinks steadily', () => {
  it('drops by the limit per window, from when the one request was sent until the other was answered, and a rounding', () => {
    const recent = seen([1_000, 100]);
    // Ten units a second for 2 s and a round trip are 21, and 2.5 may be hidden.
    expect(recent.dropsTo(reading(3_000, 76.5))).toBe(false);
    expect(recent.dropsTo(reading(3_000, 76.4))).toBe(true);
  });

  it('says nothing of two requests that were under way together, in either order', () => {
    const recent = seen([0, 100]);
    expect(recent.dropsTo(reading(99, 0))).toBe(false);
    expect(recent.dropsTo(reading(100, 0))).toBe(true);
  });

  it('is compared with each of the last sixteen readings, not with the one before alone', () => {
    const later = Array.from({ length: 15 }, (_, at) => [1_000 + at, 40] as const);
    expect(seen([0, 100], ...later).dropsTo(reading(2_000, 40))).toBe(true);
    expect(seen([0, 40], [500, 100]).dropsTo(reading(2_000, 40))).toBe(true);
    expect(seen([0, 100], ...later, [1_100, 40]).dropsTo(reading(2_000, 40))).toBe(false);
  });

  it('drops to no first reading', () => {
    expect(seen().dropsTo(reading(0, 0))).toBe(false);
  });
});
