import { describe, expect, it } from 'vitest';
import { AlignedModel } from '../../../../src/quota/models/aligned.ts';
import { FirstRequestModel } from '../../../../src/quota/models/first-request.ts';
import { LeakyModel } from '../../../../src/quota/models/leaky.ts';
import type { WindowModel } from '../../../../src/quota/models/model.ts';
import { SlidingLogModel } from '../../../../src/quota/models/sliding-log.ts';
import { AnsweredRequests } from '../../../../src/quota/usage/answered.ts';
import { CandidateShapes } from '../../../../src/quota/window/shape/candidates.ts';
import { knownClock, readingsOf } from '../../support/builders.ts';

const MINUTE_MS = 60_000;
const reading = readingsOf(100, 100);

/** A minute of 100 units beside others that spend: a log, or of another shape. */
function minute(other: WindowModel = new AlignedModel('minute', knownClock())) {
  const log = new SlidingLogModel(MINUTE_MS);
  const candidates = new CandidateShapes([log, other], MINUTE_MS);
  const answered = new AnsweredRequests();
  return {
    candidates,
    log,
    spend(sentAt: number, units: number) {
      candidates.book(units, sentAt, sentAt + 100);
      answered.add(sentAt, sentAt + 100, units, units);
    },
    /** What is still a candidate after a reading. */
    leftBy(sentAt: number, used: number, hasSiblings = false) {
      candidates.eliminate(reading(sentAt, used), answered, false, hasSiblings);
      candidates.reconcile(reading(sentAt, used), answered);
      return candidates.alive;
    },
  };
}

describe('beside other consumers, a shape that only fills', () => {
  it('is dismissed where it leaves a third of the limit unexplained which another explains', () => {
    const { log, spend, leftBy } = minute();
    spend(30_000, 60);
    expect(leftBy(65_000, 62)).toEqual([log]);
  });

  it('is a candidate again by a refusal that nothing else explains', () => {
    const { candidates, spend, leftBy } = minute();
    spend(30_000, 60);
    leftBy(65_000, 62);
    expect(candidates.reinstate()).toBe(true);
    expect(candidates.alive).toHaveLength(2);
  });

  it('is kept where it leaves no more than others may take at once', () => {
    const { spend, leftBy } = minute();
    spend(30_000, 29);
    expect(leftBy(65_000, 30)).toHaveLength(2);
  });

  it('is dismissed as well where others may have added what no shape expects: a tenth of the limit in six seconds', () => {
    const leftBy = (used: number) => {
      const { spend, leftBy: left } = minute();
      spend(30_000, 60);
      left(59_000, 61);
      return left(65_000, used);
    };
    expect(leftBy(73)).toHaveLength(1);
    expect(leftBy(76)).toHaveLength(2);
  });

  it('is kept in a share, where siblings spend what it leaves unexplained', () => {
    const { spend, leftBy } = minute();
    spend(30_000, 60);
    expect(leftBy(65_000, 62, true)).toHaveLength(2);
  });

  it('is kept where no other shape expects what the service counted', () => {
    const { spend, leftBy } = minute();
    spend(30_000, 60);
    expect(leftBy(65_000, 80)).toHaveLength(2);
    expect(leftBy(66_000, 40)).toHaveLength(2);
  });

  it('has begun anew where usage dropped, and explains no more than what was spent since', () => {
    const { log, spend, leftBy } = minute(new FirstRequestModel(MINUTE_MS));
    leftBy(10_000, 50);
    spend(40_000, 40);
    expect(leftBy(41_000, 90)).toHaveLength(2);
    expect(leftBy(71_000, 41)).toEqual([log]);
  });
});

it('beside other consumers, a shape that drains is kept, whatever it leaves unexplained', () => {
  const { spend, leftBy } = minute(new LeakyModel(MINUTE_MS));
  spend(30_000, 60);
  expect(leftBy(65_000, 62)).toHaveLength(2);
});
