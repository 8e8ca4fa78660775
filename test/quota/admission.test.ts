import { describe, expect, it } from 'vitest';
import { type Hold, holdUntil, type Limit, longestHold } from '../../src/quota/admission.ts';

const CHARGE = { endpoint: 'GET /a', units: 1, priority: 0, maxWaitMs: 60_000 };

const holdOf = (until: number): Hold => holdUntil(until, () => ({ kind: 'paused', why: `until ${until}` }));
const limitOf = (until: number | undefined): Limit => ({
  check: () => (until === undefined ? undefined : holdOf(until)),
});
const untilOf = (untils: readonly (number | undefined)[], hold?: Hold): number | undefined =>
  longestHold(untils.map(limitOf), CHARGE, 0, hold)?.until;

describe('of several holds', () => {
  it('the one that lasts longest decides, whichever limit is asked first', () => {
    expect(untilOf([5, 9, 7])).toBe(9);
    expect(untilOf([9, undefined, 5])).toBe(9);
    expect(untilOf([5, Infinity, 9])).toBe(Infinity);
  });

  it('one that was given counts as those of the limits do', () => {
    expect(untilOf([5, 9], holdOf(7))).toBe(9);
    expect(untilOf([5, undefined], holdOf(7))).toBe(7);
  });

  it('none decides where there is none', () => {
    expect(untilOf([undefined, undefined])).toBeUndefined();
  });
});

it('a hold until an instant is of all endpoints, may end on an answer, and lets no priority pass', () => {
  const all = { isFirm: false, mayEndOnAnswer: true, scope: 'all', yieldsToPriority: false };
  expect(holdOf(5)).toMatchObject({ until: 5, ...all });
});
