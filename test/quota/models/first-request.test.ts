import { describe, expect, it } from 'vitest';
import { type FirstRequestModel, firstRequest } from '../../../src/quota/models/first-request.ts';
import { AnsweredRequests } from '../../../src/quota/usage/answered.ts';
import { ReadFirstRequestModel, readingsOf } from '../support/builders.ts';

const read = readingsOf(10, 100);
/** What we surely left at an instant. */
function left(units: number, sentAt: number): AnsweredRequests {
  const past = new AnsweredRequests();
  past.add(sentAt, sentAt + 100, units, units);
  return past;
}

const NONE = new AnsweredRequests();

/** A window of a minute after one answer, to a request sent at 1 s, that counts so many units. */
function minute(used: number, isShared = false): FirstRequestModel {
  const model = new ReadFirstRequestModel(60_000, isShared);
  model.reconcile(read(1_000, used), NONE);
  return model;
}

/** When the window has surely ended that began by 1.1 s: clocks may differ by a ten-thousandth. */
const END = 1_100 + 60_006;

/** When there is room for all that a window holds. */
const emptyAt = (model: FirstRequestModel, now: number): number => model.earliest(10, 0, 10, now);

describe('a window that begins with its first request', () => {
  it('began with the request that an answer counts alone: later it cannot hold less than was read', () => {
    const model = minute(1);
    expect(emptyAt(model, 2_000)).toBeCloseTo(END, 6);
    expect(model.reconcile(read(10_000, 6), NONE)).toBe(5);
    expect(model.isContradicted(read(20_000, 5), NONE)).toBe(true);
    // What is posted late may be missing for 50 ms.
    expect(model.isContradicted(read(10_150, 5), NONE)).toBe(true);
    expect(model.isContradicted(read(10_149, 5), NONE)).toBe(false);
    expect(model.isContradicted(read(20_000, 5.5), NONE)).toBe(false);
    expect(model.isContradicted(read(60_950, 3), NONE)).toBe(false);
  });

  it('begins anew with the request that an answer counts alone, and then none of what may have been of either counts in the next', () => {
    const model = minute(1);
    model.book(3, 59_000, 61_050);
    model.reconcile(read(59_500, 1), NONE);
    expect([model.spent(60_000), model.spent(120_000)]).toEqual([1, 0]);
  });

  it('may have begun a period before an answer that counts others, and may hold less at any time', () => {
    const model = minute(5);
    model.reconcile(read(10_000, 6), NONE);
    expect(model.isContradicted(read(20_000, 2), NONE)).toBe(false);
  });

  it('of no other shape holds nothing for an answer to a request that went before it began, and that counts no more than the one before may have held', () => {
    const model = minute(1);
    model.onLast();
    model.reconcile(read(10_000, 6), NONE);
    model.book(2, END - 100, END + 100);
    expect(model.spent(END + 200)).toBe(2);
    model.book(1, END - 90, END + 210);
    expect(model.reconcile(read(END - 80, 9), NONE)).toBe(0);
    expect(model.spent(END + 300)).toBe(3);
    expect(model.reconcile(read(END - 80, 9.5), NONE)).toBe(6.5);
    expect(model.spent(END + 300)).toBe(9.5);
  });

  it('is not what a late answer speaks of whose request went before it began', () => {
    const model = minute(9);
    const late = read(50_000, 9, { receivedAt: 62_000 });
    expect(model.unexplained(late)).toBe(0);
    model.spent(END + 500);
    // Of the nine none is left, and none is missing in the new one.
    expect(model.unexplained(late)).toBeUndefined();
    expect(model.unexplained(read(END + 500, 9))).toBe(9);
  });

  it('may be the next one already for a request that counts itself alone after more than its length', () => {
    const model = minute(1);
    model.book(1, 1_000, 61_050);
    model.reconcile(read(1_000, 1, { receivedAt: 61_050 }), NONE);
    expect(model.spent(END + 10)).toBe(1);
    // One that came back sooner is of the present one alone.
    const sooner = minute(1);
    sooner.book(1, 1_000, 60_950);
    sooner.reconcile(read(1_000, 1, { receivedAt: 60_950 }), NONE);
    expect(sooner.spent(END + 10)).toBe(0);
  });

  it('is a new one where an answer counts less than we left there', () => {
    const model = minute(5);
    const past = new AnsweredRequests();
    for (const sentAt of [2_000, 3_000, 4_000]) {
      model.book(1, sentAt, sentAt + 100);
      past.add(sentAt, sentAt + 100, 1, 1);
    }
    expect(model.reconcile(read(30_000, 2, { settledSince: 1 }), past)).toBe(0);
    expect(model.spent(31_000)).toBe(3);
    expect(emptyAt(model, 31_000)).toBeCloseTo(30_100 + 60_006, 6);
  });

  it('holds no more than an answer counts and what was answered since', () => {
    const model = minute(1);
    model.book(5, 2_000, 2_100);
    model.reconcile(read(30_000, 4, { settledSince: 1 }), NONE);
    expect(model.spent(31_000)).toBe(5);
  });

  it('hands over what may have been counted after its end', () => {
    const model = minute(1);
    model.book(3, 60_900, 61_000);
    expect(model.spent(61_300)).toBe(3);
    expect(emptyAt(model, 62_000)).toBeCloseTo(61_000 + 60_006, 6);
    const other = minute(1);
    other.book(3, 60_900, 60_999);
    expect(other.spent(61_300)).toBe(0);
  });

  it('begins, after the one before, no sooner than a request is sent while nothing is under way, unless siblings may have sent one', () => {
    const isKnown = (held: number, isShared: boolean): boolean => {
      const model = minute(1, isShared);
      expect(model.earliest(10 - held, held, 10, 70_000)).toBe(70_000);
      model.book(1, 70_000, 70_100);
      expect(emptyAt(model, 71_000)).toBeCloseTo(70_100 + 60_006, 6);
      model.reconcile(read(80_000, 6), NONE);
      // Only a window that began at 70 s, and not at 61 s, cannot have ended by then.
      return model.isContradicted(read(122_000, 1), NONE);
    };
    expect([isKnown(0, false), isKnown(1, false), isKnown(0, true)]).toEqual([true, false, false]);
  });

  it('takes its first answer as it is, whatever was asked before', () => {
    const model = new ReadFirstRequestModel(60_000);
    expect(model.earliest(1, 0, 10, 500)).toBe(500);
    expect(model.reconcile(read(1_000, 5), NONE)).toBe(0);
    expect(model.spent(2_000)).toBe(5);
  });

  it('is over at the instant at which it has surely ended', () => {
    expect([minute(1).spent(END - 1), minute(1).spent(END)]).toEqual([1, 0]);
  });

  it('remembers the most that was read, from when that was first read', () => {
    const model = minute(1);
    for (const [sentAt, used] of [
      [10_000, 6],
      [15_000, 4],
      [20_000, 6],
    ] as const)
      model.reconcile(read(sentAt, used), NONE);
    expect(model.isContradicted(read(12_000, 5), NONE)).toBe(true);
    expect(model.isContradicted(read(12_000, 5.5), NONE)).toBe(false);
    // From then on it may have ended, and another begun.
    expect(model.isContradicted(read(60_899, 3), NONE)).toBe(true);
    expect(model.isContradicted(read(60_900, 3), NONE)).toBe(false);
  });

  it('holds what the answer to its first request counts, although that was sent before it had surely begun', () => {
    const model = minute(4);
    model.reconcile({ ...read(62_000, 4), own: 4 }, NONE);
    expect(model.isContradicted(read(63_000, 3), NONE)).toBe(true);
    expect(model.isContradicted(read(63_000, 3.5), NONE)).toBe(false);
    // The request may be the first of the next one by then.
    expect(model.isContradicted(read(121_950, 3), NONE)).toBe(false);
    model.spent(123_000);
    expect(model.isContradicted(read(124_000, 0), NONE)).toBe(false);
  });

  it('remembers the answer to a request that was sent when the one before had just ended', () => {
    const model = minute(1);
    model.reconcile(read(1_100, 6), NONE);
    expect(model.isContradicted(read(20_000, 3), NONE)).toBe(true);
  });

  it('cannot hold less than we left there since it began, by half a unit', () => {
    const past = new AnsweredRequests();
    past.add(10_000, 10_100, 3, 3);
    expect(minute(1).isContradicted(read(20_000, 2), past)).toBe(true);
    expect(minute(1).isContradicted(read(20_000, 3), past)).toBe(false);
    const unsure = minute(5);
    unsure.reconcile(read(30_000, 3), past);
    expect(emptyAt(unsure, 31_000)).toBeCloseTo(END, 6);
  });

  it('is known to be a new one by what it counts, which it cannot lose again', () => {
    const model = minute(5);
    const past = new AnsweredRequests();
    past.add(2_000, 2_100, 3, 3);
    model.reconcile(read(30_000, 2), past);
    model.reconcile(read(40_000, 6), past);
    expect(model.isContradicted(read(50_000, 3), NONE)).toBe(true);
  });

  it('holds no more after its end than an answer counts before it', () => {
    const model = minute(1);
    model.book(3, 60_900, 61_000);
    model.reconcile(read(60_950, 1, { limited: true }), NONE);
    expect(model.spent(61_300)).toBe(1);
  });

  it('is no longer waited for where more is under way than it can hold', () => {
    expect(minute(1).earliest(5, 6, 10, 2_000)).toBe(Infinity);
  });

  it('frees all at once: when the last window ends, or a period after the first request', () => {
    const use = { at: 1_000, periodMs: 60_000, endsAt: 60_000, lastAt: 3_000, drainMs: 5 };
    expect(firstRequest.frees?.(use)).toEqual([3_000, 3_000]);
    expect(firstRequest.frees?.({ ...use, lastAt: 1_000 })).toEqual([61_000, 61_000]);
  });
});

describe('the next window that begins with its first request', () => {
  it('has begun when a request was answered that was sent after the end of the one before', () => {
    for (const sentAt of [END, 70_000]) {
      const model = minute(1);
      model.book(3, sentAt, sentAt + 100);
      expect(model.spent(71_000)).toBe(3);
      expect(emptyAt(model, 71_000)).toBeCloseTo(sentAt + 100 + 60_006, 6);
      expect(model.isContradicted(read(80_000, 2), left(5, 75_000))).toBe(true);
    }
  });

  it('may not have begun when a request was answered that was sent before, and ends a period later at the latest', () => {
    const model = minute(1);
    expect(model.spent(62_000)).toBe(0);
    model.book(3, 60_900, 62_100);
    expect(emptyAt(model, 63_000)).toBeCloseTo(62_100 + 60_006, 6);
    expect(model.isContradicted(read(80_000, 2), left(5, 61_000))).toBe(false);
  });

  it('is not taken for one that began a period ago if it may not have begun', () => {
    const model = minute(1);
    model.book(3, 60_900, 61_000);
    expect(model.spent(122_000)).toBe(0);
    model.book(1, 130_000, 130_100);
    model.reconcile(read(131_000, 6), NONE);
    expect(model.isContradicted(read(150_000, 2), NONE)).toBe(false);
  });

  it('cannot hold less than was read of it, and what may have been read of the one before says nothing', () => {
    const model = minute(1);
    expect(model.spent(62_000)).toBe(0);
    model.reconcile(read(61_050, 6), NONE);
    expect(model.isContradicted(read(80_000, 2), NONE)).toBe(false);
    model.reconcile(read(70_000, 7), NONE);
    expect(model.isContradicted(read(80_000, 2), NONE)).toBe(true);
  });

  it('does not begin with a request that counts nothing', () => {
    const model = minute(1);
    expect(model.reconcile(read(70_000, 0, { own: 0 }), NONE)).toBe(0);
    model.book(1, 75_000, 75_100);
    expect(emptyAt(model, 76_000)).toBeCloseTo(75_100 + 60_006, 6);
  });

  it('may have begun before a request is sent while something may be counted there, or while the one before lasts', () => {
    const carried = minute(1);
    carried.book(3, 60_900, 61_000);
    expect(carried.earliest(1, 0, 10, 62_000)).toBe(62_000);
    carried.reconcile(read(63_000, 6), NONE);
    expect(carried.isContradicted(read(121_500, 2), NONE)).toBe(false);
    const lasting = minute(1);
    lasting.reconcile(read(30_000, 0, { own: 0 }), NONE);
    expect(lasting.earliest(1, 0, 10, 40_000)).toBe(40_000);
    lasting.reconcile(read(41_000, 6), NONE);
    expect(lasting.isContradicted(read(70_000, 2), NONE)).toBe(false);
  });
});

describe('an answer that counts its own request alone', () => {
  it('shows that the window began with it, or by its answer', () => {
    const model = minute(5);
    expect(model.reconcile(read(30_000, 1), NONE)).toBe(0);
    expect(model.spent(31_000)).toBe(1);
    expect(emptyAt(model, 31_000)).toBeCloseTo(30_100 + 60_006, 6);
  });

  it.each([
    ['at the earliest with it', {}, true],
    ['up to 50 ms before, while others of ours are under way', { held: 1 }, false],
    ['up to 50 ms before, where others of ours were answered since', { settledSince: 1 }, false],
  ])('shows that the window began %s', (_, more, isKnown) => {
    const model = minute(5);
    model.reconcile(read(30_000, 1, more), NONE);
    model.reconcile(read(40_000, 6), NONE);
    expect(model.isContradicted(read(89_840, 3), NONE)).toBe(true);
    expect(model.isContradicted(read(89_870, 3), NONE)).toBe(isKnown);
  });

  it('shows no later beginning than an answer that came meanwhile', () => {
    const model = minute(1);
    model.book(1, 70_000, 70_050);
    model.reconcile(read(69_990, 1, { settledSince: 1 }), NONE);
    expect(model.spent(71_000)).toBe(2);
    expect(emptyAt(model, 71_000)).toBeCloseTo(70_050 + 60_006, 6);
  });

  it('shows a later beginning than an answer that came before it was sent', () => {
    const model = minute(1);
    model.book(1, 69_900, 69_990);
    model.reconcile(read(69_990, 1), NONE);
    expect(emptyAt(model, 71_000)).toBeCloseTo(70_090 + 60_006, 6);
  });

  it.each([
    ['it is a refusal', 1, { limited: true }],
    ['it counts nothing', 0, { own: 0 }],
  ])('shows nothing of a beginning where %s', (_, used, more) => {
    const model = minute(5);
    model.reconcile(read(30_000, used, more), NONE);
    model.book(9, 31_000, 31_100);
    expect(emptyAt(model, 32_000)).toBeCloseTo(END, 6);
  });
});
