import { describe, expect, it } from 'vitest';
import { CalendarUsage } from '../../../src/quota/models/calendar-usage.ts';
import { knownClock } from '../support/builders.ts';

/** Windows of a minute, of a service whose clock shows what ours does, give or take the slack of a stamp. */
function minutes(): CalendarUsage {
  return new CalendarUsage('minute', knownClock());
}

const FIRST = 0;
const SECOND = 60_000;

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
    calendar.lower(SECOND, 1);
    expect(calendar.spentIn(SECOND)).toBe(1);
    expect(calendar.spentIn(SECOND) + calendar.spentOnlyBefore(SECOND)).toBe(8);
    calendar.lower(FIRST, 6);
    expect(calendar.spentIn(SECOND) + calendar.spentOnlyBefore(SECOND)).toBe(7);
  });

  it('what a calendar window may hold only grows by the word of the service, in whatever order answers come', () => {
    const calendar = minutes();
    calendar.book(2, 1_000, 1_100);
    expect(calendar.raise(FIRST, 9, 3)).toBe(4);
    expect(calendar.raise(FIRST, 4, 0)).toBe(3);
    expect(calendar.spentIn(FIRST)).toBe(9);
  });
});

describe('what was booked in two windows, because the clock could not tell in which it was counted,', () => {
  /** Three units that were counted at the end of the first minute or at the start of the second. */
  function ambiguous(times = 1): { calendar: CalendarUsage; learn: (least: number, most: number) => number[] } {
    const clock = knownClock();
    const calendar = new CalendarUsage('minute', clock);
    for (let booked = 0; booked < times; booked++) calendar.book(3, 59_990, 59_995);
    const learn = (least: number, most: number): number[] => {
      clock.narrow(least, most, 59_995);
      calendar.book(1, 61_000, 61_100);
      return [calendar.spentIn(FIRST), calendar.spentIn(SECOND), calendar.spentOnlyBefore(SECOND)];
    };
    return { calendar, learn };
  }

  it('stays in the first alone once it must have been counted before its end', () => {
    const { calendar, learn } = ambiguous();
    expect(calendar.ambiguousIn(SECOND)).toMatchObject([{ units: 3, to: 59_995 }]);
    expect(calendar.ambiguousIn(FIRST)).toEqual([]);
    expect(learn(-20, 0)).toEqual([3, 1, 3]);
    expect(calendar.ambiguousIn(SECOND)).toEqual([]);
  });

  it('stays in the second alone once it must have been counted after its start', () => {
    expect(ambiguous().learn(15, 21)).toEqual([0, 4, 0]);
  });

  it('stays in both while the clock still cannot tell', () => {
    expect(ambiguous().learn(-18, 18)).toEqual([3, 4, 0]);
  });

  it('stays as the service said of a window', () => {
    const { calendar, learn } = ambiguous();
    calendar.lower(SECOND, 1);
    expect(learn(-20, 0).slice(0, 2)).toEqual([3, 2]);
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
});
