import { describe, expect, it } from 'vitest';
import { AlignedModel } from '../../../../src/quota/models/aligned.ts';
import type { WindowModel } from '../../../../src/quota/models/model.ts';
import { SlidingLogModel } from '../../../../src/quota/models/sliding-log.ts';
import { PriorityReserve, RoomForPriorities } from '../../../../src/quota/window/reserve/priority-reserve.ts';
import { charge, knownClock } from '../../support/builders.ts';

const LIMIT = 500;
const MINUTE_MS = 60_000;

/** A reserve that has seen a call of priority 5 every second, and one of priority 0 before. */
function reserve(seconds: number): PriorityReserve {
  const made = new PriorityReserve();
  made.onSent(0, 1, 0);
  for (let second = 1; second <= seconds; second++) made.onSent(5, 1, second * 1_000);
  return made;
}

describe('what is kept back for calls of higher priority', () => {
  it('is nothing where all calls have one priority', () => {
    const alone = new PriorityReserve();
    for (let call = 0; call < 10; call++) alone.onSent(3, 1, call);
    expect(alone.isNeeded).toBe(false);
    expect(alone.unitsAbove(3, LIMIT, MINUTE_MS, 10)).toBe(0);
  });

  it('is what will come in the time left, by the rate at which it came, and more by chance', () => {
    const kept = reserve(120).unitsAbove(0, LIMIT, MINUTE_MS, 120_000);
    expect(kept).toBeGreaterThan(60);
    expect(kept).toBeLessThan(120);
  });

  it('is less the less time is left', () => {
    const made = reserve(120);
    const kept = [60_000, 30_000, 5_000, 0].map((leftMs) => made.unitsAbove(0, LIMIT, leftMs, 120_000));
    expect(kept).toEqual(kept.toSorted((a, b) => b - a));
    expect(kept.at(-1)).toBe(0);
  });

  it('is more than the bare rate after the first few', () => {
    expect(reserve(2).unitsAbove(0, LIMIT, MINUTE_MS, 2_000)).toBeGreaterThan(60);
  });

  it('is never more than a quarter of the window', () => {
    expect(reserve(120).unitsAbove(0, 100, 10 * MINUTE_MS, 120_000)).toBe(25);
  });

  it('is no part of a unit beyond that, which would keep back a whole one, unless that is all', () => {
    const kept = [3, 5, 7, 8].map((limit) => reserve(120).unitsAbove(0, limit, 10 * MINUTE_MS, 120_000));
    expect(kept).toEqual([0.75, 1, 1, 2]);
  });

  it('is not, after a burst of a second, what would come in a month at that rate', () => {
    const made = new PriorityReserve();
    made.onSent(0, 1, 0);
    for (let call = 0; call < 12; call++) made.onSent(5, 1, call * 50);
    const month = 30 * 86_400_000;
    expect(made.unitsAbove(0, 150_000, month, 1_000)).toBeLessThan(2_000);
    expect(made.unitsAbove(0, 150_000, month, 120_000)).toBeLessThan(500);
  });

  it.each([
    ['of its own', 20 * MINUTE_MS, false],
    ['after others, which ended 15 minutes ago', 25 * MINUTE_MS, true],
  ])('is for a minute what a burst of a second brings, %s', (_, at, isFollowing) => {
    const made = reserve(isFollowing ? 600 : 0);
    for (let call = 0; call < 12; call++) made.onSent(5, 1, at + call * 50);
    expect(made.unitsAbove(0, 150_000, 60 * MINUTE_MS, at + 2 * MINUTE_MS)).toBeLessThan(30);
  });

  it('is for an hour what steady arrivals bring, though the last came a minute ago', () => {
    expect(reserve(600).unitsAbove(0, 150_000, 60 * MINUTE_MS, 660_000)).toBeGreaterThan(2_000);
  });

  it('is nothing for those for whom it is kept', () => {
    expect(reserve(120).unitsAbove(5, LIMIT, MINUTE_MS, 120_000)).toBe(0);
  });

  it('fades when they stop coming', () => {
    const made = reserve(120);
    const kept = [120_000, 420_000, 1_800_000].map((now) => made.unitsAbove(0, LIMIT, MINUTE_MS, now));
    expect(kept).toEqual(kept.toSorted((a, b) => b - a));
    expect(kept.at(-1)).toBeLessThan(10);
  });
});

/** A window of a shape that is known, of which 400 of 500 units were used evenly in the minute before 60_000. */
function usedEvenly(shape: WindowModel): Pick<WindowModel, 'earliest' | 'spent'> {
  for (let unit = 0; unit < 400; unit++) shape.book(1, unit * 150, unit * 150);
  return shape;
}

describe('the room for higher priorities in a window', () => {
  const aligned = () => new AlignedModel('minute', knownClock());
  const room = (period: 'second' | 'minute' | 'hour', used: Pick<WindowModel, 'earliest' | 'spent'> = aligned()) =>
    new RoomForPriorities(period, used, reserve(10));

  it('is what they will need in the rest of a window of the calendar', () => {
    const minute = room('minute');
    for (const [now, leftMs] of [
      [20_000, 40_000],
      [50_000, 10_000],
    ] as const) {
      const units = minute.units(charge(), LIMIT, now);
      expect(units).toBeCloseTo(reserve(10).unitsAbove(0, LIMIT, leftMs, now), 0);
    }
    expect(minute.units(charge({ priority: 5 }), LIMIT, 20_000)).toBe(0);
    expect(minute.units(charge({ urgency: 5 }), LIMIT, 20_000)).toBe(0);
  });

  it('is what they will need until as many units are free again, where these slide out or drain one by one', () => {
    const log = room('minute', usedEvenly(new SlidingLogModel(MINUTE_MS)));
    const units = log.units(charge(), LIMIT, MINUTE_MS);
    expect(units).toBeLessThan(reserve(10).unitsAbove(0, LIMIT, 5_000, MINUTE_MS));
    expect(units).toBeGreaterThan(0);
    // A window that was filled in one moment has nothing free before it is over.
    const filled = new SlidingLogModel(MINUTE_MS);
    filled.book(400, MINUTE_MS, MINUTE_MS);
    const kept = reserve(10).unitsAbove(0, LIMIT, MINUTE_MS, MINUTE_MS);
    expect(room('minute', filled).units(charge(), LIMIT, MINUTE_MS)).toBeCloseTo(kept, 1);
  });

  it('is none in a short window, nor while all calls have one priority', () => {
    expect(room('second').units(charge(), LIMIT, 20_000)).toBe(0);
    const alone = new PriorityReserve();
    alone.onSent(5, 1, 0);
    expect(new RoomForPriorities('minute', aligned(), alone).units(charge(), LIMIT, 10)).toBe(0);
  });

  it('is looked at again after a fiftieth of the window, and after ten seconds at the latest', () => {
    expect(room('minute').releasesAt(1, LIMIT, 5)).toBe(1_205);
    expect(room('hour').releasesAt(1, LIMIT, 5)).toBe(10_005);
  });
});

describe('what is expected of a priority', () => {
  it('is a rate, for as long as it is expected to last, and what chance may have hidden of both', () => {
    const made = new PriorityReserve();
    made.onSent(5, 4, 100_000);
    // 4 + 2 * 2 units in a second; expected for a minute.
    const rate = (4 + 2 * 2) / (300_000 * (1 - Math.exp(-1_000 / 300_000)));
    const expected = rate * 60_000;
    expect(made.unitsAbove(0, 1e9, 3_600_000, 100_000)).toBeCloseTo(expected + 2 * Math.sqrt(expected), 3);
    const faded = 4 * Math.exp(-20_000 / 300_000);
    const later = ((faded + 2 * Math.sqrt(faded)) / (300_000 * (1 - Math.exp(-21_000 / 300_000)))) * 60_000;
    expect(made.unitsAbove(0, 1e9, 3_600_000, 120_000)).toBeCloseTo(later + 2 * Math.sqrt(later), 3);
  });

  it('is known of sixteen priorities at most', () => {
    const made = new PriorityReserve();
    for (let priority = 1; priority <= 17; priority++) made.onSent(priority, 1, 0);
    expect(made.unitsAbove(15, LIMIT, MINUTE_MS, 0)).toBeGreaterThan(0);
    expect(made.unitsAbove(16, LIMIT, MINUTE_MS, 0)).toBe(0);
  });
});
