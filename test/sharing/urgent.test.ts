import { describe, expect, it } from 'vitest';
import { UrgentReserve } from '../../src/sharing/urgent.ts';
import { answering, BEGIN, calendar, instanceAt } from './support/small.ts';

const windows = calendar({ second: 20, minute: 500, month: 10_000 });
const second = instanceAt(windows, 'second', BEGIN);
const minute = instanceAt(windows, 'minute', BEGIN);

/** What is kept where so many urgent units were sent lately, for so long. */
function reserve(units: number, forMs: number): UrgentReserve {
  const reserve = new UrgentReserve();
  reserve.hear(answering({ urgent: { units, forMs } }));
  return reserve;
}

describe('what is kept for urgent calls', () => {
  it('is nothing where none come', () => {
    for (const instance of [second, minute]) expect(reserve(0, 600_000).kept(instance, BEGIN)).toBe(0);
  });

  it('is what will come until the window ends, and a little more because they come by chance', () => {
    // One a second, for long: of those units a minute’s worth is remembered.
    const steady = reserve(60, 600_000);
    expect(steady.kept(minute, BEGIN)).toBe(Math.floor(60 + 4 * Math.sqrt(60)));
    expect(steady.kept(minute, BEGIN + 50_000)).toBe(Math.floor(10 + 4 * Math.sqrt(10)));
    expect(steady.kept(minute, BEGIN + 60_000)).toBe(0);
  });

  it('is never more than a quarter of a window, however many come', () => {
    expect(reserve(100_000, 600_000).kept(minute, BEGIN)).toBe(125);
  });

  it('is one unit of each second to come, and none of the present one: it would be over unused', () => {
    const steady = reserve(60, 600_000);
    const later = instanceAt(windows, 'second', BEGIN + 1_000);
    expect([steady.kept(second, BEGIN), steady.kept(later, BEGIN), steady.kept(later, BEGIN + 1_000)]).toEqual([
      0, 1, 0,
    ]);
  });

  it('is nothing of a second that holds one unit, or nothing else would ever be sent', () => {
    const one = instanceAt(calendar({ second: 1 }), 'second', BEGIN);
    expect(reserve(60, 600_000).kept(one, BEGIN)).toBe(0);
  });

  it('is not reckoned from less than five seconds: one call at the very start is no rate', () => {
    expect(reserve(1, 0).kept(minute, BEGIN)).toBe(reserve(1, 5_000).kept(minute, BEGIN));
  });
});
