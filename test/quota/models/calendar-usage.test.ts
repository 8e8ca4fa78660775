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
