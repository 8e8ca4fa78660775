import { describe, expect, it } from 'vitest';
import { RecentReadings } from '../../../../src/quota/window/shape/recent-readings.ts';
import { readingsOf } from '../../support/builders.ts';

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
    // Ten units a second for 2 s and a round trip are 21, and 1.5 is what both are rounded by.
    expect(recent.dropsSteeplyTo(reading(3_000, 77.5))).toBe(false);
    expect(recent.dropsSteeplyTo(reading(3_000, 77.4))).toBe(true);
  });

  it('says nothing of two requests that were under way together, in either order', () => {
    const recent = seen([0, 100]);
    // What is posted late may be missing for 50 ms.
    expect(recent.dropsSteeplyTo(reading(149, 0))).toBe(false);
    expect(recent.dropsSteeplyTo(reading(150, 0))).toBe(true);
  });

  it('is compared with each of sixteen readings, which are a sixteenth of a window apart, and with the last one', () => {
    const apart = (count: number) =>
      Array.from({ length: count }, (_, at) => [(1 + at) * (MINUTE_MS / 16), 300] as const);
    const dropsFromFirst = (...readings: readonly (readonly [number, number])[]) =>
      seen([0, 1_000], ...readings).dropsSteeplyTo(reading(61_000, 380));
    expect([dropsFromFirst(...apart(15)), dropsFromFirst(...apart(16))]).toEqual([true, false]);
    const close = Array.from({ length: 40 }, (_, at) => [60_000 + at, 300 + at] as const);
    expect([dropsFromFirst(...apart(13), ...close), dropsFromFirst(...apart(14), ...close)]).toEqual([true, false]);
    expect(seen(...close).dropsSteeplyTo(reading(60_189, 334))).toBe(true);
    expect(seen(...close).dropsSteeplyTo(reading(60_189, 335))).toBe(false);
  });

  it('drops to no first reading', () => {
    expect(seen().dropsSteeplyTo(reading(0, 0))).toBe(false);
  });
});

describe('what was surely added to a window', () => {
  const until = 10_000;

  it('is how much more a reading counts than one before it, whoever added it', () => {
    expect(seen([1_000, 10], [8_000, 90]).rise(0, until)).toBe(80);
    expect(seen([1_000, 90], [8_000, 10]).rise(0, until)).toBe(0);
    expect(seen([1_000, 90], [5_000, 10], [9_000, 30]).rise(0, until)).toBe(20);
    expect(seen([1_000, 10]).rise(0, until)).toBe(0);
  });

  it('is so by two requests that were not under way together', () => {
    expect(seen([1_000, 10], [1_099, 90]).rise(0, until)).toBe(0);
    expect(seen([1_000, 10], [1_100, 90]).rise(0, until)).toBe(80);
    expect(seen([100, 10], [5_000, 10], [5_099, 90]).rise(0, until)).toBe(80);
  });

  it('is so by requests that went and were answered in that time, but for 50 ms in which a charge may be posted', () => {
    const recent = seen([1_000, 10], [8_000, 90]);
    expect([recent.rise(950, until), recent.rise(951, until)]).toEqual([80, 0]);
    expect([recent.rise(0, 8_150), recent.rise(0, 8_149)]).toEqual([80, 0]);
  });
});

describe('the most that a reading counted', () => {
  it('is of requests that were surely sent after an instant, and answered before another', () => {
    const recent = seen([1_000, 90], [2_000, 40], [5_000, 60], [8_000, 10]);
    expect(recent.most(1_000, 10_000)).toBe(90);
    expect(recent.most(1_001, 10_000)).toBe(60);
    // What is posted late may be missing for 50 ms.
    expect(recent.most(1_001, 5_149)).toBe(40);
    expect(recent.most(1_001, 5_150)).toBe(60);
    expect(recent.most(8_001, 10_000)).toBe(0);
  });
});
