import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endOf, monthEndBy, PERIODS, periodMsOf, startOf, withinMonth } from '../../../src/quota/time/periods.ts';

const day = (text: string): number => Date.parse(`${text}T00:00:00Z`);
const instants = fc.integer({ min: day('1999-12-01'), max: day('2101-02-01') });
const periods = fc.constantFrom(...PERIODS);

describe('a month', () => {
  it.each([
    ['2026-01', '2026-02-01'],
    ['2026-02', '2026-03-01'],
    ['2026-04', '2026-05-01'],
    ['2026-12', '2027-01-01'],
    ['2024-02', '2024-03-01'],
    ['2000-02', '2000-03-01'],
    ['2100-02', '2100-03-01'],
  ])('%s begins on its first day and ends when %s begins', (month, end) => {
    const begin = day(`${month}-01`);
    for (const at of [begin, begin + 1, begin + 27 * 86_400_000, day(end) - 1]) {
      expect([startOf('month', at), endOf('month', at)]).toEqual([begin, day(end)]);
    }
  });

  it.each([
    ['2026-01-31', '2026-02-01'],
    ['2026-01-30', '2026-01-30'],
    ['2026-02-01', '2026-02-01'],
    ['2026-03-03', '2026-03-03'],
    ['2026-05-01', '2026-05-01'],
  ])('that is stated to end on %s ends on %s, as services count 30 days', (stated, end) => {
    expect(monthEndBy(day(stated))).toBe(day(end));
    if (stated === '2026-01-31') expect(monthEndBy(day(stated) + 3_600_000)).toBe(day(end));
  });

  it('has 28 to 31 days, and 29 in February of a leap year', () => {
    const days = (month: string): number =>
      (endOf('month', day(`${month}-10`)) - startOf('month', day(`${month}-10`))) / 86_400_000;
    const year = Array.from({ length: 12 }, (_, month) => days(`2026-${`${month + 1}`.padStart(2, '0')}`));
    expect(year).toEqual([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]);
    expect(['2024-02', '2028-02', '2000-02', '2100-02'].map(days)).toEqual([29, 29, 29, 28]);
  });
});

describe('every period', () => {
  it('is a stretch of time that holds the instant, and the next begins where it ends', () => {
    fc.assert(
      fc.property(periods, instants, (period, at) => {
        const [start, end] = [startOf(period, at), endOf(period, at)];
        expect(start).toBeLessThanOrEqual(at);
        expect(end).toBeGreaterThan(at);
        expect(startOf(period, start)).toBe(start);
        expect(startOf(period, end)).toBe(end);
        expect(endOf(period, start)).toBe(end);
        expect(endOf(period, end - 1)).toBe(end);
      }),
    );
  });

  it('lies within every longer one', () => {
    fc.assert(
      fc.property(fc.nat({ max: PERIODS.length - 2 }), instants, (place, at) => {
        const [shorter, longer] = [PERIODS[place] ?? 'second', PERIODS[place + 1] ?? 'month'];
        expect(startOf(shorter, at)).toBeGreaterThanOrEqual(startOf(longer, at));
        expect(endOf(shorter, at)).toBeLessThanOrEqual(endOf(longer, at));
        expect(periodMsOf(shorter)).toBeLessThan(periodMsOf(longer));
      }),
    );
  });

  it('is never longer than its length', () => {
    fc.assert(
      fc.property(periods, instants, (period, at) => {
        expect(endOf(period, at) - startOf(period, at)).toBeLessThanOrEqual(periodMsOf(period));
      }),
    );
  });
});

describe('the end of a window that a service states', () => {
  const now = day('2026-02-10');

  it('is no later than that of the month where it is more than a day ahead', () => {
    expect(withinMonth(now, day('2026-03-12'))).toBe(day('2026-03-01'));
    expect(withinMonth(now, day('2026-02-20'))).toBe(day('2026-02-20'));
  });

  it('is as stated where it is within a day, though another month begins before it', () => {
    const eve = day('2026-02-28');
    const soon = day('2026-03-01') + 1;
    expect(withinMonth(eve + 1, soon)).toBe(soon);
    expect(withinMonth(eve, soon)).toBe(day('2026-03-01'));
  });
});

describe('an instant that no date can hold', () => {
  it('has no month, and leaves those of other instants as they are', () => {
    expect(endOf('month', Number.NaN)).toBeNaN();
    expect(endOf('month', day('2026-02-10'))).toBe(day('2026-03-01'));
    expect(startOf('month', Infinity)).toBeNaN();
    expect(startOf('month', day('2026-04-10'))).toBe(day('2026-04-01'));
  });
});
