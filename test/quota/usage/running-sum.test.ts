import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RunningSum } from '../../../src/quota/usage/running-sum.ts';
import { runs } from '../../support/deep.ts';

/** The same as a list that is searched from end to end. */
class NaiveLog {
  #entries: { readonly at: number; readonly units: number }[] = [];
  #last = -Infinity;

  add(units: number, at: number): void {
    this.#last = Math.max(this.#last, at);
    this.#entries.push({ at: this.#last, units });
  }

  after(instant: number): number {
    return this.#entries.filter(({ at }) => at > instant).reduce((sum, { units }) => sum + units, 0);
  }

  lastBeyond(units: number): number {
    const instants = [-Infinity, ...this.#entries.map(({ at }) => at)];
    return instants.find((instant) => this.after(instant) <= units) ?? Number.NaN;
  }

  forget(instant: number): void {
    this.#entries = this.#entries.filter(({ at }) => at > instant);
  }
}

type Deed =
  | { readonly do: 'add'; readonly units: number; readonly at: number }
  | { readonly do: 'forget'; readonly at: number };

const at = fc.integer({ min: 0, max: 100 });
const deeds: fc.Arbitrary<Deed[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ do: fc.constant('add' as const), units: fc.nat({ max: 4 }), at }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('forget' as const), at }) },
  ),
  { maxLength: 40 },
);

describe('a log', () => {
  it('tells what was booked since, and since when no more than so much was, like a list that is searched', () => {
    fc.assert(
      fc.property(deeds, at, fc.nat({ max: 30 }), (done, instant, units) => {
        const [log, naive] = [new RunningSum(), new NaiveLog()];
        for (const deed of done) {
          for (const one of [log, naive]) deed.do === 'add' ? one.add(deed.units, deed.at) : one.forget(deed.at);
        }
        expect(log.sumAfter(instant)).toBe(naive.after(instant));
        expect(log.instantBelow(units)).toBe(naive.lastBeyond(units));
      }),
      { numRuns: runs(100, 500) },
    );
  });

  it('holds nothing at first', () => {
    const log = new RunningSum();
    expect(log.sumAfter(-Infinity)).toBe(0);
    expect(log.instantBelow(0)).toBe(-Infinity);
  });

  it('books what comes late at the instant last booked, so that time never runs back', () => {
    const log = new RunningSum();
    log.add(1, 10);
    log.add(2, 5);
    expect(log.sumAfter(9)).toBe(3);
    expect(log.sumAfter(10)).toBe(0);
  });

  it('keeps no more than the last units, also of those booked at one instant, and knows of the others still', () => {
    const log = new RunningSum();
    for (const at of [1, 2, 3]) log.add(10, at);
    log.keepLast(12);
    expect([0, 1, 2, 3].map((at) => log.keptAfter(at))).toEqual([12, 12, 10, 0]);
    expect([11, 12, 30].map((units) => log.instantBelow(units))).toEqual([2, ...Array(2).fill(-Infinity)]);
    expect(log.sumAfter(0)).toBe(30);
    log.add(5, 4);
    log.keepLast(100);
    expect([log.keptAfter(0), log.keptAfter(3)]).toEqual([17, 5]);
  });

  it('gives the same answers after thousands of bookings that it has forgotten', () => {
    const log = new RunningSum();
    for (let at = 1; at <= 10_000; at++) {
      log.add(2, at);
      log.forget(at - 100);
      if (at < 100) continue;
      expect(log.sumAfter(at - 50)).toBe(100);
      expect(log.sumAfter(0)).toBe(200);
      expect(log.instantBelow(60)).toBe(at - 30);
      expect(log.instantBelow(200)).toBe(-Infinity);
    }
  });
});
