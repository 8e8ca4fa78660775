import { describe, expect, it } from 'vitest';
import { CalendarUsage } from '../../../src/quota/models/calendar-usage.ts';
import { ServerClock } from '../../../src/quota/time/server-clock.ts';
import { knownClock, readingsOf } from '../support/builders.ts';

/** Windows of a minute, of a service whose clock shows what ours does, give or take the slack of a stamp. */
function minutes(): CalendarUsage {
  return new CalendarUsage('minute', knownClock());
}

/** Readings of a minute of 500 units. */
const reading = readingsOf(500, 100);

const FIRST = 0;
const SECOND = 60_000;
const THIRD = 120_000;

describe('calendar usage', () => {
  it('what a calendar window may hold is booked in both of two windows where it may have been counted in either', () => {
    const calendar = minutes();
    calendar.book(3, 59_900, 60_300);
    expect([calendar.spentIn(FIRST), calendar.spentIn(SECOND)]).toEqual([3, 3]);
  });

  it('what a calendar window may hold is no more in both together than was sent', () => {
    const calendar = minutes();
    calendar.book(5, 1_000, 1_100);
    calendar.book(3, 59_900, 60_300);
    calendar.book(2, 61_000, 61_100);
    expect(calendar.spentIn(SECOND) + calendar.spentOnlyBefore(SECOND)).toBe(5 + 3 + 2);
  });

  it('what a calendar window may hold stays a bound for both together when the service says what one of them holds', () => {
    const calendar = minutes();
    calendar.book(5, 1_000, 1_100);
    calendar.book(3, 59_900, 60_300);
    calendar.lower(SECOND, reading(60_000, 1));
    expect(calendar.spentIn(SECOND)).toBe(1);
    expect(calendar.spentIn(SECOND) + calendar.spentOnlyBefore(SECOND)).toBe(8);
    calendar.lower(FIRST, reading(0, 6));
    expect(calendar.spentIn(SECOND) + calendar.spentOnlyBefore(SECOND)).toBe(7);
  });

  it('what a calendar window may hold only grows by the word of the service, in whatever order answers come', () => {
    const calendar = minutes();
    calendar.book(2, 1_000, 1_100);
    expect(calendar.raise(FIRST, 9, 3)).toBe(4);
    expect(calendar.raise(FIRST, 4, 0)).toBe(3);
    expect(calendar.spentIn(FIRST)).toBe(9);
  });

  it('what a calendar window may hold is less than the service once said where it serves a request for which there was no room', () => {
    const left = (said: number, limited: boolean) => {
      const calendar = minutes();
      calendar.raise(FIRST, said, 0);
      calendar.book(1, 10_000, 10_100);
      const answer = reading(10_000, 2, { limited });
      calendar.lower(FIRST, answer);
      calendar.raise(FIRST, answer.used, 0);
      return calendar.spentIn(FIRST);
    };
    expect([left(500, false), left(500, true), left(499, false)]).toEqual([2, 500, 499]);
  });
});

describe('what was booked in two windows, because the clock could not tell in which it was counted,', () => {
  /** Three units that were counted at the end of the first minute or at the start of the second. */
  function ambiguous(times = 1) {
    const clock = knownClock();
    const calendar = new CalendarUsage('minute', clock);
    for (let booked = 0; booked < times; booked++) calendar.book(3, 59_990, 59_995);
    const learn = (least: number, most: number): number[] => {
      clock.narrow(least, most, 59_995);
      calendar.book(1, 61_000, 61_100);
      return [calendar.spentIn(FIRST), calendar.spentIn(SECOND), calendar.spentOnlyBefore(SECOND)];
    };
    return { clock, calendar, learn };
  }

  it('stays in the first alone once it must have been counted before its end', () => {
    const { calendar, learn } = ambiguous();
    expect(calendar.ambiguousIn(SECOND)).toMatchObject([{ units: 3, to: 59_995 }]);
    expect(calendar.ambiguousIn(FIRST)).toEqual([]);
    expect(learn(-20, 0)).toEqual([3, 1, 3]);
    expect(calendar.ambiguousIn(SECOND)).toEqual([]);
  });

  it('stays where it must have been counted though the service sets its clock', () => {
    const { clock, learn, calendar } = ambiguous();
    expect(learn(-20, 0)).toEqual([3, 1, 3]);
    clock.observe(7_200_000, 3_600_000, 3_600_000);
    calendar.book(1, 3_600_000, 3_600_100);
    expect([calendar.spentIn(FIRST), calendar.spentIn(SECOND)]).toEqual([3, 1]);
  });

  it('stays in the second alone once it must have been counted after its start', () => {
    expect(ambiguous().learn(15, 21)).toEqual([0, 4, 0]);
  });

  it('stays in both while the clock still cannot tell', () => {
    expect(ambiguous().learn(-18, 18)).toEqual([3, 4, 0]);
  });

  it('stays as the service said of a window', () => {
    const { calendar, learn } = ambiguous();
    calendar.lower(SECOND, reading(60_000, 1));
    expect(learn(-20, 0).slice(0, 2)).toEqual([3, 2]);
  });

  it('stays in both where the service said of one that it holds no less', () => {
    const { calendar, learn } = ambiguous();
    calendar.lower(SECOND, reading(60_000, 3));
    expect(learn(-20, 0)).toEqual([3, 1, 3]);
  });

  it('leaves one window after the other as the clock becomes known', () => {
    const clock = new ServerClock();
    clock.observe(0, 0, 0);
    const calendar = new CalendarUsage('second', clock);
    calendar.book(3, 900, 1_100);
    const learn = (least: number, most: number): number[] => {
      clock.narrow(least, most, 1_100);
      calendar.book(1, 10_000, 10_000);
      return [0, 1_000, 2_000].map((start) => calendar.spentIn(start));
    };
    expect([0, 1_000, 2_000].map((start) => calendar.spentIn(start))).toEqual([3, 3, 3]);
    expect([calendar.spentOnlyBefore(1_000), calendar.spentOnlyBefore(2_000)]).toEqual([0, 0]);
    expect(learn(0, 500)).toEqual([3, 3, 0]);
    expect(learn(200, 500)).toEqual([0, 3, 0]);
  });

  it('leaves one of two as it was that was booked in the same window and the one before', () => {
    const clock = knownClock();
    const calendar = new CalendarUsage('minute', clock);
    calendar.book(2, 59_970, 60_015);
    calendar.book(3, 119_990, 119_995);
    clock.narrow(15, 21, 119_995);
    calendar.book(1, 121_000, 121_100);
    expect([FIRST, SECOND, THIRD].map((start) => calendar.spentIn(start))).toEqual([2, 2, 4]);
    expect(calendar.spentOnlyBefore(SECOND)).toBe(0);
  });

  it('leaves one of two as it was that was booked in the same window and the one after', () => {
    const clock = knownClock();
    const calendar = new CalendarUsage('minute', clock);
    calendar.book(3, 59_990, 59_995);
    calendar.book(2, 119_970, 120_020);
    clock.narrow(-20, 0, 59_995);
    calendar.book(1, 121_000, 121_100);
    expect([FIRST, SECOND, THIRD].map((start) => calendar.spentIn(start))).toEqual([3, 2, 3]);
    expect(calendar.spentOnlyBefore(THIRD)).toBe(0);
  });

  it('stays there of all but the last sixty-four', () => {
    expect(ambiguous(64).learn(-20, 0).slice(0, 2)).toEqual([192, 1]);
    expect(ambiguous(65).learn(-20, 0).slice(0, 2)).toEqual([195, 4]);
  });
});

describe('windows of the calendar', () => {
  it('are remembered up to the eighth', () => {
    const calendar = minutes();
    for (let minute = 0; minute < 8; minute++) calendar.book(1, minute * 60_000 + 1_000, minute * 60_000 + 1_100);
    expect(calendar.spentIn(FIRST)).toBe(1);
    calendar.book(1, 481_000, 481_100);
    expect([calendar.spentIn(FIRST), calendar.spentIn(SECOND)]).toEqual([0, 1]);
  });

  it('begin with the instant at which the one before ends', () => {
    const clock = knownClock();
    clock.narrow(0, 0, 60_000);
    const calendar = new CalendarUsage('minute', clock);
    expect(calendar.only(59_000, 59_900)).toBe(FIRST);
    expect(calendar.only(59_000, 60_000)).toBeUndefined();
    expect(calendar.only(60_000, 60_100)).toBe(SECOND);
  });
});
