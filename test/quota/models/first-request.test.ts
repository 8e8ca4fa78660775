import { describe, expect, it } from 'vitest';
import { FirstRequestModel, firstRequest } from '../../../src/quota/models/first-request.ts';
import { AnsweredRequests } from '../../../src/quota/usage/answered.ts';
import { readingsOf } from '../support/builders.ts';

const read = readingsOf(10, 100);
const NONE = new AnsweredRequests();

/** A window of a minute after one answer, to a request sent at 1 s, that counts so many units. */
function minute(used: number): FirstRequestModel {
  const model = new FirstRequestModel(60_000);
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
    expect(model.isContradicted(read(20_000, 3), NONE)).toBe(true);
    expect(model.isContradicted(read(10_100, 3), NONE)).toBe(true);
    expect(model.isContradicted(read(10_099, 3), NONE)).toBe(false);
    expect(model.isContradicted(read(20_000, 4), NONE)).toBe(false);
    expect(model.isContradicted(read(60_950, 3), NONE)).toBe(false);
  });

  it('may have begun a period before an answer that counts others, and may hold less at any time', () => {
    const model = minute(5);
    model.reconcile(read(10_000, 6), NONE);
    expect(model.isContradicted(read(20_000, 2), NONE)).toBe(false);
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

  it('begins, after the one before, no sooner than a request is sent while nothing is under way', () => {
    const isKnown = (held: number): boolean => {
      const model = minute(1);
      expect(model.earliest(10 - held, held, 10, 70_000)).toBe(70_000);
      model.book(1, 70_000, 70_100);
      expect(emptyAt(model, 71_000)).toBeCloseTo(70_100 + 60_006, 6);
      model.reconcile(read(80_000, 6), NONE);
      // Only a window that began at 70 s, and not at 61 s, cannot have ended by then.
      return model.isContradicted(read(122_000, 1), NONE);
    };
    expect([isKnown(0), isKnown(1)]).toEqual([true, false]);
  });

  it('is no longer waited for where more is under way than it can hold', () => {
    expect(minute(1).earliest(5, 6, 10, 2_000)).toBe(Number.POSITIVE_INFINITY);
  });

  it('frees all at once: when the last window ends, or a period after the first request', () => {
    const use = { at: 1_000, periodMs: 60_000, endsAt: 60_000, lastAt: 3_000, drainMs: 5 };
    expect(firstRequest.frees?.(use)).toEqual([3_000, 3_000]);
    expect(firstRequest.frees?.({ ...use, lastAt: 1_000 })).toEqual([61_000, 61_000]);
  });
});
