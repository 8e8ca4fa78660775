import { describe, expect, it } from 'vitest';
import { AnsweredRequests } from '../../../src/quota/usage/answered.ts';

/** Answers of a unit each, sent at every full second from 1 s to 5 s and received 100 ms later. */
function five(): AnsweredRequests {
  const past = new AnsweredRequests();
  for (const sentAt of [1_000, 2_000, 3_000, 4_000, 5_000]) past.add(sentAt, sentAt + 100, 1, 1);
  return past;
}

describe('what came back of our own', () => {
  it('may be missing from a reading that was sent before it, or while it was still being posted', () => {
    const past = five();
    expect(past.settledSince(3_500)).toBe(2);
    expect(past.settledSince(4_100)).toBe(2);
    expect(past.settledSince(4_160)).toBe(1);
    expect(past.settledSince(0)).toBe(5);
  });

  it('was surely counted between two instants if it was sent after the one and posted before the other', () => {
    const past = five();
    expect(past.surelyExceeds(2, 2_000, 4_150)).toBe(true);
    expect(past.surelyExceeds(3, 2_000, 4_150)).toBe(false);
    expect(past.surelyExceeds(2, 2_001, 4_150)).toBe(false);
    expect(past.surelyExceeds(2, 2_000, 4_149)).toBe(false);
  });

  it('is no evidence where nobody knows whether it was counted', () => {
    const past = new AnsweredRequests();
    past.add(1_000, 1_100, 5, 0);
    expect(past.settledSince(1_000)).toBe(5);
    expect(past.surelyExceeds(0, 0, 10_000)).toBe(false);
  });

  it('is remembered for the last 512 answers, and never more than they were', () => {
    const past = new AnsweredRequests();
    for (let at = 1; at <= 2_000; at++) past.add(at, at, 1, 1);
    expect(past.surelyExceeds(511, 0, 10_000)).toBe(true);
    expect(past.surelyExceeds(512, 0, 10_000)).toBe(false);
  });
});
