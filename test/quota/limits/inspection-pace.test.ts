import { describe, expect, it } from 'vitest';
import { InspectionPace } from '../../../src/quota/limits/inspection-pace.ts';
import { charge, untilOf } from '../support/builders.ts';
import { flightOf } from '../support/flight.ts';
import { AGE_MS } from '../support/script.ts';

const CHARGE = charge();

describe('inspections that pass what holds other requests back', () => {
  it('wait for nothing before the first', () => {
    expect(new InspectionPace().check(CHARGE, 0)).toBeUndefined();
  });

  it('follow each other one at a time: while one is under way the next waits until it must have arrived', () => {
    const pace = new InspectionPace();
    const first = flightOf('GET /a', 1_000);
    pace.onSent(first, 1_000);
    const hold = pace.check(CHARGE, 1_001);
    expect(hold).toMatchObject({ until: 1_000 + AGE_MS, isFirm: false, mayEndOnAnswer: true, scope: 'endpoint' });
    expect(hold?.reason().kind).toBe('inspection');
    first.isOver = true;
    expect(untilOf(pace, CHARGE, 1_001)).toBe(3_000);
    expect(pace.check(CHARGE, 3_000)).toBeUndefined();
  });

  /** The gaps after some inspections in a row, each sent as soon as it may be. */
  function gaps(pace: InspectionPace, outcomes: readonly boolean[]): number[] {
    let now = 100_000;
    return outcomes.map((isServed) => {
      const flight = flightOf('GET /a', now);
      pace.onSent(flight, now);
      flight.isOver = true;
      if (isServed) pace.onServed();
      const until = untilOf(pace, CHARGE, now);
      const gap = until - now;
      now = until;
      return gap;
    });
  }

  it('keep a gap that doubles up to a minute while they are refused, and is two seconds again after one was served', () => {
    expect(gaps(new InspectionPace(), Array(7).fill(false))).toEqual([
      2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000,
    ]);
    expect(gaps(new InspectionPace(), [false, false, true, false, false])).toEqual([2_000, 4_000, 8_000, 2_000, 4_000]);
  });
});
