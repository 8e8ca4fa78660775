import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AnsweredRequests } from '../../../src/quota/usage/answered.ts';

/** Answers of a unit each, sent at every full second from 1 s to 5 s and received 100 ms later. */
function five(): AnsweredRequests {
  const past = new AnsweredRequests();
  for (const sentAt of [1_000, 2_000, 3_000, 4_000, 5_000]) past.add(sentAt, sentAt + 100, 1, 1);
  return past;
}

describe('what was answered of the client’s own requests', () => {
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

  it('is no evidence where it is unknown whether it was counted', () => {
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
    expect(past.surelyRoseTo(511, 0, 10_000, 0, 10_000)).toBe(true);
    expect(past.surelyRoseTo(512, 0, 10_000, 0, 10_000)).toBe(false);
  });

  it('is remembered however many answers followed of which it is unknown whether they were counted', () => {
    const past = five();
    for (let at = 6_000; at < 6_600; at++) past.add(at, at, 1, 0);
    expect(past.surely(0, 10_000)).toBe(5);
  });

  it('raised a level by what was posted before an instant, and to no more than that', () => {
    const past = new AnsweredRequests();
    past.add(1_000, 1_100, 1, 1);
    past.add(1_150, 1_200, 1, 1);
    expect(past.surelyRoseTo(0, 0, 1_200, 0, 1_150)).toBe(true);
    expect(past.surelyRoseTo(0, 0, 1_200, 0, 1_149)).toBe(false);
    expect(past.surelyRoseTo(1, 0, 1_200, 0, 1_150)).toBe(false);
  });
});

/** Some answers in a row, each of a request that was sent 30 ms before. */
const answers = fc.array(
  fc.record({ gapMs: fc.nat({ max: 40 }), sure: fc.nat({ max: 3 }), unsure: fc.nat({ max: 2 }) }),
  { minLength: 4, maxLength: 30, size: 'max' },
);

interface Naive {
  readonly sentAt: number;
  readonly answeredAt: number;
  readonly most: number;
  readonly sure: number;
}

/** The same answers as a list, and as what is tested. */
function both(given: readonly { gapMs: number; sure: number; unsure: number }[]): {
  past: AnsweredRequests;
  all: Naive[];
} {
  const past = new AnsweredRequests();
  let now = 100;
  const all = given.map(({ gapMs, sure, unsure }): Naive => {
    now += gapMs;
    const one = { sentAt: now - 30, answeredAt: now, most: sure + unsure, sure };
    past.add(one.sentAt, now, one.most, sure);
    return one;
  });
  return { past, all };
}

const sumOf = (all: readonly Naive[], of: (one: Naive) => number): number => all.reduce((sum, one) => sum + of(one), 0);

/** An instant beside that of one of the answers. */
const instants = fc.record({ place: fc.nat({ max: 29 }), ms: fc.constantFrom(-300, -30, -1, 0, 1, 50, 51, 300) });

function instantOf(all: readonly Naive[], { place, ms }: { place: number; ms: number }): number {
  return (all[place % all.length]?.answeredAt ?? 0) + ms;
}

describe('what was answered of the client’s own requests, like a list that is searched,', () => {
  it('was surely counted after one instant and before another, and never more than at most', () => {
    fc.assert(
      fc.property(answers, instants, instants, fc.nat({ max: 20 }), (given, start, end, units) => {
        const { past, all } = both(given);
        const [from, until] = [instantOf(all, start), instantOf(all, end)];
        const counted = all.filter(({ sentAt, answeredAt }) => sentAt >= from && answeredAt <= until - 50);
        const sure = sumOf(counted, (one) => one.sure);
        expect(past.surely(from, until)).toBe(sure);
        expect(past.surelyExceeds(units, from, until)).toBe(sure > units);
        const some = past.surely(from, until, units);
        expect(sure > units ? some > units && some <= units + 3 : some === sure).toBe(true);
        const between = all.filter(({ answeredAt }) => answeredAt >= from && answeredAt <= until - 50);
        const most = Math.min(
          sumOf(all, (one) => one.sure),
          sumOf(between, (one) => one.most),
        );
        expect(past.atMost(from, until)).toBe(most);
      }),
    );
  });

  it('raised a level that sinks above some units, where any of it, and all that followed, has not sunk so far yet', () => {
    const rates = fc.constantFrom(0, 0.01, 0.05);
    fc.assert(
      fc.property(answers, fc.nat({ max: 6 }), rates, instants, (given, units, rate, start) => {
        const { past, all } = both(given);
        const from = instantOf(all, start);
        const instant = (all.at(-1)?.answeredAt ?? 100) + 20;
        const until = instant - 40;
        const known = all.filter(({ answeredAt, sure }) => answeredAt >= from && answeredAt <= until - 50 && sure > 0);
        const rose = known.some((first, at) => {
          const added = sumOf(known.slice(at), (one) => one.sure);
          return added - rate * (instant - first.sentAt) > units;
        });
        expect(past.surelyRoseTo(units, rate, instant, from, until)).toBe(rose);
      }),
      { numRuns: 200 },
    );
  });
});

describe('answers of ten minutes ago', () => {
  it('are no longer added up, but count as sure ones still where they are looked at one by one', () => {
    const past = new AnsweredRequests();
    past.add(900, 1_000, 4, 4);
    past.add(601_000, 601_100, 1, 1);
    expect(past.settledSince(0)).toBe(1);
    expect(past.surely(0, 700_000)).toBe(5);
    expect(past.atMost(0, 700_000)).toBe(5);
    expect(past.atMost(1_101, 700_000)).toBe(1);
  });

  it('count as sure ones from the very instant up to which they are no longer added up', () => {
    const past = new AnsweredRequests();
    past.add(1_000, 1_000, 4, 4);
    past.add(601_000, 601_000, 1, 1);
    expect(past.atMost(1_000, 700_000)).toBe(5);
  });

  it('are counted of the last 512, and their sum with them', () => {
    const past = new AnsweredRequests();
    for (let at = 1; at <= 600; at++) past.add(at, at, 2, at <= 300 ? 2 : 1);
    expect(past.surely(0, 10_000)).toBe(2 * 212 + 300);
    expect(past.atMost(0, 10_000)).toBe(2 * 212 + 300);
  });

  it('are not those of a request that was answered late: time never runs back', () => {
    const past = new AnsweredRequests();
    past.add(601_000, 701_100, 1, 1);
    past.add(0, 100_000, 2, 2);
    expect(past.settledSince(101_101)).toBe(3);
  });
});
