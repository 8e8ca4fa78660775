import { describe, expect, it } from 'vitest';
import { aligned } from '../../../src/quota/models/aligned.ts';
import { leaky } from '../../../src/quota/models/leaky.ts';
import { slidingCounter } from '../../../src/quota/models/sliding-counter.ts';
import { slidingLog } from '../../../src/quota/models/sliding-log.ts';
import type { Shapes } from '../../../src/quota/share-limit.ts';
import type { Period } from '../../../src/quota/time/periods.ts';
import { SharedWindow } from '../../../src/sharing/slots/window.ts';
import { SharedWindows } from '../../../src/sharing/slots/windows.ts';
import { BEGIN, calendar, DATED, exactly, instanceAt, reading, UNKNOWN } from '../support/small.ts';

describe('a window that processes share', () => {
  it('forgets a reading of an instance that slides where the store counts less: some of it has slid out', () => {
    const windows = new SharedWindows(DATED);
    const hour = windows.open('hour', 100, { alive: [slidingLog], epoch: 0 });
    const news = reading({ period: 'hour', used: 9, shapes: hour.shapes, sentAt: 0, receivedAt: 20 });
    hour.read(news, exactly(BEGIN), exactly(BEGIN + 20), 40);
    const first = instanceAt(windows, 'hour', BEGIN);
    hour.hearUsed(first, 9, BEGIN);
    expect(hour.reading(first, 60_000)?.used).toBe(9);
    hour.hearUsed(first, 8, BEGIN);
    expect(hour.reading(first, 60_000)).toBeUndefined();
  });

  it('tells no reading of an instance as the least that is used while more than a tenth of the limit slides out of it', () => {
    const windows = new SharedWindows(DATED);
    const minute = windows.open('minute', 100, { alive: [slidingLog], epoch: 0 });
    const [first, next] = minute.instances({ least: BEGIN, most: BEGIN });
    if (!first || !next) throw new Error('there are none');
    minute.read(reading({ used: 90, shapes: minute.shapes, sentAt: 0 }), exactly(BEGIN), exactly(BEGIN + 20), 40);
    const told = (holds: number, nextHolds: number) => {
      minute.hearAll(
        new Map([
          [first.name, holds],
          [next.name, nextHolds],
        ]),
      );
      return minute.reading(first, 60)?.bounds;
    };
    expect(minute.reading(first, 60)).toMatchObject({ used: 90, bounds: 'both' });
    expect([told(95, 85), told(95, 84)]).toEqual(['both', 'above']);
  });

  it('is exceeded for its length by a reading that counts half of the limit more than the store, with what an estimate carries over', () => {
    const windows = calendar({ minute: 100 });
    const minute = windows.of('minute') as SharedWindow;
    const read = (used: number): boolean => {
      minute.read(reading({ used, sentAt: 1_000 }), exactly(BEGIN), exactly(BEGIN + 40), 40);
      return minute.isExceeded(2_000);
    };
    // The store has not said what it counts.
    expect(read(100)).toBe(false);
    minute.hearUsed(instanceAt(windows, 'minute', BEGIN), 20, BEGIN);
    expect([read(70), read(71)]).toEqual([false, true]);
    expect([minute.isExceeded(60_999), minute.isExceeded(61_000)]).toEqual([true, false]);
    const estimated = new SharedWindow('minute', 100, { alive: [slidingCounter], epoch: 0 }, DATED);
    const before = estimated.previous(BEGIN);
    const [present] = estimated.instances(exactly(BEGIN));
    if (!before || !present) throw new Error('there are none');
    estimated.hearUsed(before, 40, BEGIN);
    estimated.hearUsed(present, 0, BEGIN);
    estimated.read(reading({ used: 90, sentAt: 1_000 }), exactly(BEGIN), exactly(BEGIN + 40), 40);
    expect(estimated.isExceeded(1_000)).toBe(false);
  });

  it('remembers the most that was read of an instance, because answers may overtake each other', () => {
    const windows = calendar({ minute: 100 });
    const minute = windows.of('minute') as SharedWindow;
    for (const used of [40, 30]) minute.read(reading({ used }), exactly(BEGIN), exactly(BEGIN + 40), 40);
    const instance = instanceAt(windows, 'minute', BEGIN);
    expect(minute.reading(instance, BEGIN + 1_000)).toEqual({ used: 40, bounds: 'both', ageMs: 1_000 });
    // An old reading says nothing of what was claimed since.
    expect(minute.reading(instance, BEGIN + 30_000)).toEqual({ used: 40, bounds: 'below', ageMs: 30_000 });
  });

  it('does not take a reading for that of a minute that began while the answer was on its way', () => {
    const windows = calendar({ minute: 100 });
    const minute = windows.of('minute') as SharedWindow;
    minute.read(reading({ used: 40 }), exactly(BEGIN - 10), exactly(BEGIN + 10), 40);
    for (const at of [BEGIN - 10, BEGIN]) minute.hearUsed(instanceAt(windows, 'minute', at), 40, at);
    expect(minute.reading(instanceAt(windows, 'minute', BEGIN - 10), BEGIN)).toMatchObject({
      used: 40,
      bounds: 'above',
    });
    expect(minute.reading(instanceAt(windows, 'minute', BEGIN), BEGIN)).toMatchObject({ used: 40, bounds: 'above' });
  });

  it('says what remains by the latest answer, and never less than nothing', () => {
    const windows = calendar({ minute: 100 });
    const minute = windows.of('minute') as SharedWindow;
    const left = [40, 30, 120].map((used) => {
      minute.read(reading({ used }), exactly(BEGIN), exactly(BEGIN), 40);
      return minute.left;
    });
    expect(left).toEqual([60, 70, 0]);
  });

  it('takes a reading for the most that is used of a minute while it may not be the calendar’s, and not for the least', () => {
    const minute = new SharedWindow('minute', 100, UNKNOWN, DATED);
    minute.read(reading({ used: 40, shapes: UNKNOWN }), exactly(BEGIN), exactly(BEGIN + 40), 40);
    const [ofCalendar, ...others] = minute.instances(exactly(BEGIN));
    expect(ofCalendar?.slides).toBeUndefined();
    // What is claimed of it is told first.
    expect(ofCalendar && minute.reading(ofCalendar, BEGIN)).toBeUndefined();
    if (ofCalendar) minute.hearUsed(ofCalendar, 90, BEGIN);
    expect(ofCalendar && minute.reading(ofCalendar, BEGIN)).toMatchObject({ used: 40, bounds: 'above' });
    // But it is surely less than what any stretch of a minute up to now holds.
    expect(others.some((one) => minute.reading(one, BEGIN)?.bounds === 'both')).toBe(true);
  });

  it('of a minute or longer holds no more by any shape than the latest reading, and what is claimed after it, for as long as that is recent', () => {
    const day = new SharedWindow('day', 100, UNKNOWN, DATED);
    day.read(reading({ period: 'day', used: 3, shapes: UNKNOWN }), exactly(BEGIN), exactly(BEGIN + 40), 40);
    // Half of the day is over, so an estimate counts half of the one before.
    const before = day.previous(BEGIN);
    const [present] = day.instances(exactly(BEGIN));
    // They are told once the store has said what is claimed of them.
    for (const each of [before, present]) {
      expect(each && day.reading(each, BEGIN)).toBeUndefined();
      if (each) day.hearUsed(each, 9, BEGIN);
    }
    expect(before && day.reading(before, BEGIN)).toMatchObject({ used: 6, bounds: 'above' });
    const said = (now: number) => day.instances(exactly(BEGIN)).map((each) => day.reading(each, now));
    // The calendar's day, the stretch until now, thirty later ones, and a step of what may drain.
    const [ofCalendar, until, ...later] = said(BEGIN + 19_999);
    const ageMs = 19_999;
    expect([ofCalendar, until]).toEqual([
      { used: 3, bounds: 'above', ageMs },
      { used: 3, bounds: 'both', ageMs },
    ]);
    expect(later).toEqual([...new Array(30).fill({ used: 3, bounds: 'above', ageMs }), undefined]);
    expect(said(BEGIN + 20_000).filter((each) => each !== undefined)).toMatchObject([{ used: 3, bounds: 'below' }]);
    const second = new SharedWindow('second', 100, UNKNOWN, DATED);
    second.read(reading({ period: 'second', used: 3, shapes: UNKNOWN }), exactly(BEGIN), exactly(BEGIN + 40), 40);
    const ofSecond = second.instances(exactly(BEGIN)).map((each) => second.reading(each, BEGIN)?.bounds);
    expect(ofSecond.filter((bounds) => bounds !== undefined && bounds !== 'below')).toEqual([]);
  });

  it('is told no reading of a stretch that an estimate may explain by more of the window before than the stretch still holds', () => {
    const told = (inStretch: number | undefined, alive: Shapes['alive'] = [slidingLog, slidingCounter, aligned]) => {
      const minute = new SharedWindow('minute', 100, { alive, epoch: 0 }, DATED);
      const now = BEGIN + 30_000;
      const [before, present] = [minute.previous(now), ...minute.instances(exactly(now))];
      const stretch = minute.instances(exactly(now)).find(({ slides }) => slides !== undefined);
      if (!present || !stretch) throw new Error('there are none');
      // Half of the window before counts still.
      if (before) minute.hearUsed(before, 40, now);
      minute.hearUsed(present, 5, now);
      if (inStretch !== undefined) minute.hearUsed(stretch, inStretch, now);
      minute.read(reading({ used: 30, shapes: minute.shapes, sentAt: now }), exactly(now), exactly(now + 40), 40);
      return minute.reading(stretch, now)?.bounds;
    };
    expect([24, 25, 40].map((units) => told(units))).toEqual(['above', 'both', 'both']);
    // Nothing is known of a stretch that the store has not told of.
    expect([told(undefined), told(undefined, [slidingLog, aligned])]).toEqual(['above', 'both']);
  });

  it('that is taken for an estimate is told by a reading what was used of its present window, if the store counts less', () => {
    const told = (counted: number, alive: Shapes['alive'] = [slidingCounter, aligned]) => {
      const minute = new SharedWindow('minute', 100, { alive, epoch: 0 }, DATED);
      const now = BEGIN + 30_000;
      const next = minute.instances(exactly(now + 60_000))[0];
      const [before, present] = [minute.previous(now), ...minute.instances(exactly(now))];
      if (!before || !present || !next) throw new Error('there are none');
      minute.hearUsed(before, 40, now);
      minute.hearUsed(present, counted, now);
      minute.hearUsed(next, 0, now);
      minute.read(reading({ used: 30, shapes: minute.shapes, sentAt: now }), exactly(now), exactly(now + 40), 40);
      return [present, before, next].map((each) => {
        const { used, bounds } = minute.reading(each, now) ?? {};
        return `${bounds} ${used}`;
      });
    };
    // Half of the window before is 20 of the 30.
    expect(told(9)).toEqual(['below 10', 'above 60', 'above 30']);
    expect(told(10)).toEqual(['above 30', 'above 60', 'above 30']);
    expect(told(9, [slidingCounter, slidingLog])).toEqual(['above 30', 'above 60', 'above 30']);
  });

  it('is bounded by the reading that was taken last, whichever answer comes first', () => {
    const day = new SharedWindow('day', 100, UNKNOWN, DATED);
    const hear = (used: number, sentAt: number) =>
      day.read(reading({ period: 'day', used, sentAt, shapes: UNKNOWN }), exactly(BEGIN), exactly(BEGIN + 40), 40);
    hear(4, BEGIN + 1);
    hear(3, BEGIN);
    const [ofCalendar] = day.instances(exactly(BEGIN));
    if (ofCalendar) day.hearUsed(ofCalendar, 4, BEGIN);
    expect(ofCalendar && day.reading(ofCalendar, BEGIN + 1)).toMatchObject({ used: 4, bounds: 'above' });
  });

  it('that drains is bounded by a reading in the last step in which what it counts may be claimed, and in no other', () => {
    const shapes = { alive: [leaky], epoch: 0 };
    /** The units stated of each step, by when it ends after `BEGIN`. */
    const said = (period: Period, at: number): readonly (readonly [end: number, used: number])[] => {
      const window = new SharedWindow(period, 300, shapes, DATED);
      const news = reading({ period, used: 100, limit: 300, shapes });
      window.read(news, exactly(BEGIN + at), exactly(BEGIN + at + 40), 40);
      return window.steps({ least: BEGIN + at, most: BEGIN + at + window.reachMs }).flatMap((step) => {
        const stated = window.reading(step, BEGIN + at + 1_000);
        return stated ? [[step.end - BEGIN, stated.used] as const] : [];
      });
    };
    // A slot that has begun may touch two steps of a minute, and counts in the second. Until that begins as much has drained as in a second and a half.
    expect(said('minute', 500)).toEqual([[4_000, 92]]);
    // Of an hour no slot lasts until the next step.
    expect(said('hour', 500)).toEqual([[120_000, 100]]);
    expect(said('hour', 116_000)).toEqual([[240_000, 99]]);
    // Of a second it may touch four.
    expect(said('second', 530)).toEqual([[900, 19]]);
  });

  it('does not tell what a reading says of a step while other shapes are possible', () => {
    const minute = new SharedWindow('minute', 300, UNKNOWN, DATED);
    minute.read(reading({ used: 100, limit: 300 }), exactly(BEGIN + 500), exactly(BEGIN + 540), 40);
    const steps = minute.instances(exactly(BEGIN + 2_500)).filter(({ drain }) => drain !== undefined);
    expect(steps.map((step) => minute.reading(step, BEGIN + 600))).toEqual([undefined]);
  });

  it('remembers the readings of a few instances, the last ones', () => {
    const windows = calendar({ second: 100 });
    const second = windows.of('second') as SharedWindow;
    for (let nth = 0; nth < 40; nth++) {
      const at = BEGIN + nth * 1_000;
      second.read(reading({ period: 'second', used: 7, sentAt: at }), exactly(at), exactly(at), 40);
    }
    const known = Array.from({ length: 40 }, (_, nth) => {
      const at = BEGIN + nth * 1_000;
      return second.reading(instanceAt(windows, 'second', at), at) !== undefined;
    });
    expect(known.filter(Boolean).length).toBeLessThan(7);
    expect([known[0], known.at(-1)]).toEqual([false, true]);
  });
});
