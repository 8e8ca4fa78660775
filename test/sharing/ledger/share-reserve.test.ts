import { describe, expect, it } from 'vitest';
import { slidingLog } from '../../../src/quota/models/sliding-log.ts';
import { ShareReserve } from '../../../src/sharing/ledger/share-reserve.ts';
import { SharedWindows } from '../../../src/sharing/slots/windows.ts';
import { answering, BEGIN, calendar, exactly, instanceAt } from '../support/small.ts';

const windows = calendar({ second: 20, minute: 500, month: 10_000 });
const second = instanceAt(windows, 'second', BEGIN);
const minute = instanceAt(windows, 'minute', BEGIN);

/** What is kept where so many units of higher ranks were sent lately, for so long. */
function reserve(units: number, forMs: number): ShareReserve {
  const reserve = new ShareReserve();
  reserve.hear(units, answering({ urgent: { units, forMs } }));
  return reserve;
}

/** What is kept where so many units counted lately, and a rate of one is expected to bring `times` in the rest of the window. */
function keptFor(units: number, times = 1): number {
  const expected = (units + 2 * Math.sqrt(units)) * times;
  return Math.floor(expected + 3 * Math.sqrt(expected));
}

describe('what is kept for calls of a higher rank', () => {
  it('is nothing where none come', () => {
    const later = instanceAt(windows, 'second', BEGIN + 1_000);
    for (const instance of [second, later, minute]) expect(reserve(0, 600_000).kept(instance, BEGIN)).toBe(0);
  });

  it('is what will come until the window ends, and a little more because they come by chance', () => {
    // One a second, for long: of those units a minute’s worth is remembered.
    const steady = reserve(60, 600_000);
    expect(steady.kept(minute, BEGIN)).toBe(keptFor(60));
    expect(steady.kept(minute, BEGIN + 50_000)).toBe(keptFor(60, 1 / 6));
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
    const one = instanceAt(calendar({ second: 1 }), 'second', BEGIN + 1_000);
    expect(reserve(60, 600_000).kept(one, BEGIN)).toBe(0);
  });

  it('is one unit of a second that holds two', () => {
    const two = instanceAt(calendar({ second: 2 }), 'second', BEGIN + 1_000);
    expect(reserve(60, 600_000).kept(two, BEGIN)).toBe(1);
  });

  it('is reckoned, too, where so little of them was left when this process first heard of them that it has seen none come', () => {
    expect(reserve(0.4, 60_000).kept(minute, BEGIN)).toBe(keptFor(0.4, 1 / (1 - Math.exp(-1))));
  });

  it('is reckoned by how long they have been counted, of which the store forgets the older part', () => {
    // 20 units in 20 s are one a second, of which a factor of e is forgotten in a minute.
    const times = 30 / (60 * (1 - Math.exp(-20 / 60)));
    expect(reserve(20, 20_000).kept(minute, BEGIN + 30_000)).toBe(keptFor(20, times));
  });

  it('is one unit of a sliding second as soon as no step of it has begun', () => {
    const sliding = new SharedWindows({ isDated: true });
    sliding.open('second', 20, { alive: [slidingLog], epoch: 0 });
    const [one] = sliding.of('second')?.instances(exactly(BEGIN + 1_000)) ?? [];
    if (!one) throw new Error('there is none');
    // Its last step ends at 1.1 s, and its first begins at 0.0 s.
    expect([BEGIN - 1, BEGIN].map((time) => reserve(60, 600_000).kept(one, time))).toEqual([1, 0]);
  });

  describe('in a window of a day', () => {
    const day = instanceAt(calendar({ day: 10_000 }), 'day', BEGIN);
    const MINUTE_MS = 60_000;

    /** What is kept of the day where the store was asked each minute, and counted so many new units each time. */
    function keptAfter(came: readonly number[]): number {
      const reserve = new ShareReserve();
      let units = 0;
      let now = BEGIN;
      for (const more of came) {
        now += MINUTE_MS;
        units = units / Math.E + more;
        reserve.hear(units, answering({ now, urgent: { units, forMs: 3_600_000 } }));
      }
      return reserve.kept(day, BEGIN);
    }

    const silent = (minutes: number): number[] => new Array(minutes).fill(0);

    it('is as much again as came in a burst, which fades: it says nothing about the rest of the day', () => {
      expect(keptAfter([10])).toBe(keptFor(10));
      expect(keptAfter([10, 0])).toBe(keptFor(10 / Math.E));
      expect(keptAfter([10, ...silent(6)])).toBe(keptFor(10 / Math.E ** 6));
      expect(keptAfter([10, ...silent(9)])).toBe(0);
    });

    it('is what will come in ten times the time in which some have come', () => {
      expect(keptAfter([10, 10])).toBe(keptFor(10 + 10 / Math.E, 10));
      expect(keptAfter([10, 0, 0, 10])).toBe(keptFor(10 + 10 / Math.E ** 3, 30));
    });

    it('is reckoned anew after ten minutes without any', () => {
      expect(keptAfter([10, 10, ...silent(9), 10])).toBe(keptFor(10 + 10 / Math.E ** 10 + 10 / Math.E ** 11, 110));
      expect(keptAfter([10, 10, ...silent(10), 10])).toBe(keptFor(10 + 10 / Math.E ** 11 + 10 / Math.E ** 12));
    });
  });

  it('is not reckoned from less than five seconds: one call at the very start is no rate', () => {
    expect(reserve(1, 0).kept(minute, BEGIN)).toBe(reserve(1, 5_000).kept(minute, BEGIN));
  });
});
