import { describe, expect, it } from 'vitest';
import { SlidingLogModel } from '../../../src/quota/models/sliding-log.ts';
import { AnsweredRequests } from '../../../src/quota/usage/answered.ts';
import { readingsOf } from '../support/builders.ts';

/** A minute in which some units were counted. */
function minute(units: number): SlidingLogModel {
  const model = new SlidingLogModel(60_000);
  model.book(units, 0, 0);
  return model;
}

const read = readingsOf(10, 100);

/** So many units of ours, answered a moment after the window began. */
function ours(units: number): AnsweredRequests {
  const answered = new AnsweredRequests();
  answered.add(0, 0, units, units);
  return answered;
}

describe('a log that slides', () => {
  it.each([
    ['is as the answer counts it, where a request was served that did not fit', 10, {}, 4],
    ['is that and what was answered since', 12, { settledSince: 1 }, 5],
    ['stays as booked where the request fitted', 9, {}, 9],
    ['stays as booked where the request fitted before what was answered since', 10, { settledSince: 1 }, 10],
    ['stays as booked where the request was refused', 10, { limited: true }, 10],
  ])('%s', (_, booked, more, spent) => {
    const model = minute(booked);
    expect(model.reconcile(read(1_000, 4, more), ours(booked))).toBe(0);
    expect(model.spent(2_000)).toBe(spent);
  });

  it('counts others by what is in it now', () => {
    const model = minute(10);
    model.reconcile(read(1_000, 4), ours(10));
    expect(model.unexplained(read(1_100, 9))).toBe(5);
    expect(model.reconcile(read(1_100, 9), ours(10))).toBe(5);
    expect(model.spent(2_000)).toBe(9);
  });

  it('holds no more of other consumers than an answer counts: what was booked of them may have left since', () => {
    const spentBeside = (own: number): number => {
      const model = minute(9);
      model.reconcile(read(1_000, 4), ours(own));
      return model.spent(2_000);
    };
    expect([3, 4, 6].map(spentBeside)).toEqual([4, 4, 6]);
  });
});
