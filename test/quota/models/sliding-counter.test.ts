import { describe, expect, it } from 'vitest';
import { SlidingCounterModel, slidingCounter } from '../../../src/quota/models/sliding-counter.ts';
import { SlidingLogModel } from '../../../src/quota/models/sliding-log.ts';
import { ServerClock } from '../../../src/quota/time/server-clock.ts';
import { AnsweredRequests } from '../../../src/quota/usage/answered.ts';
import { CandidateShapes } from '../../../src/quota/window/shape/candidates.ts';
import { knownClock, readingsOf } from '../support/builders.ts';

const read = readingsOf(10, 100);

/** A clock that shows what ours does, at the start of all. */
function exactClock(): ServerClock {
  const clock = knownClock();
  clock.narrow(0, 0, 0);
  return clock;
}

/** Minutes of ten units, in the first of which some of ours were counted. */
function minutes(units = 0, clock = exactClock()): SlidingCounterModel {
  const model = new SlidingCounterModel('minute', clock);
  model.reconcile(read(500, 0, { own: 0 }));
  if (units > 0) model.book(units, 1_000, 1_100);
  return model;
}

/** What was surely counted of ours, each time so many units, answered a tenth of a second after it was sent. */
function answered(...charges: readonly (readonly [sentAt: number, units: number])[]): AnsweredRequests {
  const past = new AnsweredRequests();
  for (const [sentAt, units] of charges) past.add(sentAt, sentAt + 100, units, units);
  return past;
}

describe('a window that is estimated from two of the calendar', () => {
  it('holds what was counted in the present one, and less and less of the one before', () => {
    const model = minutes(10);
    expect(model.spent(30_000)).toBe(10);
    expect(model.spent(75_000)).toBeCloseTo(7.5, 2);
    model.book(3, 76_000, 76_100);
    expect(model.spent(90_000)).toBeCloseTo(8, 2);
    expect(model.spent(121_000)).toBeCloseTo(3, 1);
    expect(model.spent(181_000)).toBe(0);
  });

  it('has room at the instant by which enough of the one before no longer counts', () => {
    const model = minutes(10);
    expect(model.earliest(1, 0, 10, 61_000)).toBeCloseTo(66_000, -2);
    expect(model.earliest(1, 5, 10, 61_000)).toBeCloseTo(96_000, -2);
    expect(model.earliest(1, 5, 10.9, 61_000)).toBeCloseTo(96_000, -2);
    expect(model.earliest(1, 0, 10, 90_000)).toBe(90_000);
    expect(model.earliest(0, 0, 10, 61_000)).toBe(61_000);
  });

  it('has room for no more than its limit, less what is under way', () => {
    const model = minutes();
    expect(model.earliest(4, 6, 10, 2_000)).toBe(2_000);
    expect(model.earliest(5, 6, 10, 2_000)).toBe(Infinity);
  });

  it('that is full has room once it is the one before and enough of it no longer counts', () => {
    const model = minutes(10);
    const at = model.earliest(1, 0, 10, 30_000);
    expect(at).toBeGreaterThan(59_990);
    expect(model.earliest(1, 0, 10, at)).toBeCloseTo(66_000, -2);
  });

  it('is waited for by the later of the two where the clock cannot tell which is the present one', () => {
    const model = minutes(10, knownClock());
    expect(model.earliest(1, 0, 10, 60_000)).toBeGreaterThan(66_000);
    expect(model.earliest(1, 0, 10, 60_000)).toBeLessThan(66_100);
    expect(model.spent(60_000)).toBe(10);
  });

  it('that may have begun before or after a charge holds it to the end, and lets it go sooner if it surely came before', () => {
    const model = minutes(0, knownClock());
    model.book(10, 59_990, 60_010);
    expect(model.earliest(1, 0, 10, 61_000)).toBeCloseTo(60_010 + 60_006, -1);
    expect(model.earliest(1, 0, 10, 130_000)).toBe(130_000);
    expect(model.earliest(6, 0, 10, 121_000)).toBeCloseTo(120_022 + 36_004, -1);
    const later = minutes(0, knownClock());
    later.book(10, 59_990, 60_100);
    expect(later.earliest(1, 0, 10, 61_000)).toBeCloseTo(60_026 + 60_006, -1);
  });
});

describe('what may have been counted in either of the two windows before the present one', () => {
  it('counts the longer, the earlier the present one may have begun', () => {
    const model = minutes(0, knownClock());
    model.book(4, 59_990, 60_010);
    model.book(6, 80_000, 80_100);
    expect(model.earliest(7, 0, 10, 121_000)).toBeCloseTo(120_022 + 0.7 * 60_006, -1);
    expect(model.earliest(10, 0, 14, 121_000)).toBeCloseTo(120_022 + 0.6 * 60_006, -1);
  });

  it('no longer counts where the present one surely began a length later', () => {
    const clock = knownClock();
    const model = minutes(0, clock);
    model.book(4, 59_990, 59_995);
    model.book(6, 80_000, 80_100);
    clock.narrow(-26, -20, 80_100);
    expect(model.earliest(7, 0, 10, 121_000)).toBeCloseTo(120_030 + 0.5 * 60_006, -2);
  });

  it('counts to the end of the present one if all else is wanted', () => {
    const model = minutes(0, knownClock());
    model.book(4, 59_990, 60_010);
    expect(model.earliest(10, 0, 10, 121_000)).toBeCloseTo(120_022 + 60_006, -1);
  });
});

describe('an estimate that the service rounds', () => {
  it('counts of others what it shows beyond a unit, our own and what is under way', () => {
    const model = minutes(2);
    expect(model.unexplained(read(2_000, 8, { held: 1 }))).toBe(4);
    expect(model.unexplained(read(75_000, 8, { held: 1 }))).toBeCloseTo(4.5, 2);
    expect(model.reconcile(read(2_000, 8, { held: 1 }))).toBe(4);
    expect(model.spent(3_000)).toBe(6);
    expect(model.reconcile(read(3_000, 7))).toBe(0);
    expect(model.spent(4_000)).toBe(6);
  });

  it('shows that no more was counted than it says, a unit and what was answered since', () => {
    const model = minutes(9);
    expect(model.reconcile(read(2_000, 3, { settledSince: 2 }))).toBe(0);
    expect(model.spent(3_000)).toBe(6);
  });

  it('takes units of others since the last answer to have come evenly, and those of the minute before count less and less', () => {
    const model = new SlidingCounterModel('minute', exactClock());
    const hundred = readingsOf(100, 0);
    model.reconcile(hundred(40_000, 0, { own: 0 }));
    // A unit each second: 20 in the minute before, of which a sixth is gone, and 10 in this one; a unit may be a rounding.
    model.reconcile(hundred(70_000, 27));
    expect(model.spent(70_000)).toBeCloseTo(26, 0);
    expect(model.spent(119_900)).toBeCloseTo(9.8, 0);
    expect(model.spent(180_000)).toBeCloseTo(0, 1);
  });

  it('takes units of others for those of this minute, if it is not known when counting began', () => {
    const model = new SlidingCounterModel('minute', exactClock());
    model.reconcile(readingsOf(100, 0)(70_000, 27));
    expect(model.spent(119_900)).toBe(26);
  });

  it('had room for no more in the minute before than its limit, with our own', () => {
    const model = minutes(8);
    model.reconcile(read(114_900, 9));
    // Of the ten in the minute before a twelfth counts: the rest of eight came since.
    expect(model.spent(119_990)).toBeCloseTo(7.2, 1);
  });

  it('says nothing where its request may have been counted in either window', () => {
    const model = minutes(1);
    const astride = read(59_950, 9);
    expect(model.unexplained(astride)).toBeUndefined();
    expect(model.reconcile(astride)).toBe(0);
    expect(model.spent(59_960)).toBe(1);
    expect(model.isContradicted(read(59_950, 0), answered([10_000, 9]))).toBe(false);
  });

  it('may hide a unit of others, which is left free as long as those of that minute count', () => {
    const waitAfter = (used: number): number => {
      const model = minutes(10);
      model.reconcile(read(2_000, used));
      return model.earliest(1, 0, 10, 61_000);
    };
    expect(waitAfter(10)).toBeCloseTo(66_000, -2);
    expect(waitAfter(11)).toBeCloseTo(72_000, -2);
    const model = minutes(10);
    model.reconcile(read(2_000, 11));
    expect(model.earliest(1, 0, 11, 61_000)).toBeCloseTo(66_000, -2);
    expect(model.earliest(1, 0, 12, 61_000)).toBe(61_000);
    model.book(10, 62_000, 62_100);
    expect(model.earliest(1, 0, 10, 121_000)).toBeCloseTo(126_000, -2);
  });

  it('hides nothing of others in a window that counts nothing of the one before', () => {
    const model = minutes(8);
    expect(model.reconcile(read(2_000, 10))).toBe(1);
    expect(model.earliest(1, 0, 10, 3_000)).toBe(3_000);
  });

  it('is impossible where we left more in the present window than it shows, by a unit and a half', () => {
    const past = answered([2_000, 2], [3_000, 3]);
    const model = minutes(5);
    expect(model.isContradicted(read(4_000, 3), past)).toBe(true);
    expect(model.isContradicted(read(4_000, 4), past)).toBe(false);
    expect(model.isContradicted(read(3_149, 3), past)).toBe(false);
  });

  it('is impossible where the part of the one before that still counts is more than it shows', () => {
    const past = answered([2_000, 10], [62_000, 2]);
    const model = minutes(10);
    // Half of ten, and two.
    expect(model.isContradicted(read(90_000 - 100, 5), past)).toBe(true);
    expect(model.isContradicted(read(90_000 - 100, 6), past)).toBe(false);
    // A quarter of ten, and two.
    expect(model.isContradicted(read(105_000 - 100, 2), past)).toBe(true);
    expect(model.isContradicted(read(105_000 - 100, 3), past)).toBe(false);
  });

  it('says nothing of what was counted before both windows, or on either side of where they meet', () => {
    const model = minutes();
    expect(model.isContradicted(read(125_000, 0), answered([2_000, 10]))).toBe(false);
    expect(model.isContradicted(read(65_000, 0), answered([59_950, 10]))).toBe(false);
    expect(model.isContradicted(read(65_000, 0), answered([59_800, 10]))).toBe(true);
  });
});

describe('a window too small for its estimate', () => {
  it('is not reckoned with below four units, of a second below eight', () => {
    const holds = (period: 'second' | 'minute', limit: number): boolean => {
      const model = new SlidingCounterModel(period, exactClock());
      model.reconcile(readingsOf(limit, 100)(1_100, limit));
      const isWaiting = model.earliest(2, 0, limit, 1_300) > 1_300;
      expect(model.spent(1_300) > 0).toBe(isWaiting);
      return isWaiting;
    };
    expect([holds('minute', 3), holds('minute', 4)]).toEqual([false, true]);
    expect([holds('second', 7), holds('second', 8)]).toEqual([false, true]);
  });

  it('is reckoned with once it has refused a request', () => {
    const holds = (period: 'second' | 'minute', limited: boolean): boolean => {
      const model = new SlidingCounterModel(period, exactClock());
      model.book(3, 1_200, 1_300);
      model.reconcile(readingsOf(3, 100)(1_400, 3, { limited }));
      expect(model.spent(1_600) > 0).toBe(model.earliest(1, 0, 3, 1_600) > 1_600);
      return model.spent(1_600) > 0;
    };
    expect([holds('second', true), holds('second', false)]).toEqual([true, false]);
    expect([holds('minute', true), holds('minute', false)]).toEqual([true, false]);
  });

  // Else nothing would hold a request back: 32 went at once in a second of five.
  it('is reckoned with once every other shape is ruled out', () => {
    const [other, model] = [new SlidingLogModel(1_000), new SlidingCounterModel('second', exactClock())];
    const candidates = new CandidateShapes([other, model], 1_000);
    const past = answered([1_100, 5]);
    const next = readingsOf(5, 100);
    candidates.book(5, 1_100, 1_200);
    candidates.reconcile(next(1_100, 5), past);
    const room = () => candidates.binding.every((one) => one.earliest(1, 5, 5, 1_300) <= 1_300);
    expect([candidates.alive.length, room()]).toEqual([2, false]);
    candidates.eliminate(next(1_900, 3, { own: 0 }), past, true);
    expect([candidates.alive.length, room()]).toEqual([1, false]);
  });
});

describe('a window of a service whose clock is unknown', () => {
  it('counts nothing as used, and holds back no request', () => {
    const model = new SlidingCounterModel('minute', new ServerClock());
    model.book(10, 1_000, 1_100);
    model.reconcile(read(2_000, 10));
    expect(model.spent(3_000)).toBe(0);
    expect(model.earliest(11, 0, 10, 3_000)).toBe(3_000);
  });
});

it('frees what was used from the end of its window, or of the wait for others, and evenly', () => {
  const use = { at: 1_000, periodMs: 60_000, endsAt: 60_000, lastAt: 3_000, drainMs: 5 };
  expect(slidingCounter.frees?.(use)).toEqual([60_000, 60_005]);
  expect(slidingCounter.frees?.({ ...use, lastAt: 70_000 })).toEqual([70_000, 70_005]);
});
