import { describe, expect, it } from 'vitest';
import { PassedCharge } from '../../../src/quota/window/passed-charge.ts';
import { charge } from '../support/builders.ts';

const UNTIL = 1_000;

/** A charge of ten units, of priority 3, that fits at 1 s. */
function ten(): PassedCharge {
  const passed = new PassedCharge();
  passed.onHeld(10, 3, UNTIL, 0);
  return passed;
}

/** When a charge may go, where so many units fit at once and more at 2 s. */
function goesAt(passed: PassedCharge, units: number, { priority = 3, room = 12, now = 500 } = {}): number {
  return passed.earliest(charge({ units, priority }), (both) => (both <= room ? now : 2_000), now);
}

describe('a charge that is passed', () => {
  it('delays no cheaper one that fits beside it by the time at which it fits', () => {
    expect(goesAt(ten(), 2)).toBe(500);
    expect(passedFits(ten())).toBe(500);
  });

  it('has a cheaper one that would delay it wait until it fits', () => {
    expect(goesAt(ten(), 3)).toBe(UNTIL);
  });

  it('delays no charge once it fits, nor one that costs more or has a higher priority', () => {
    expect(goesAt(ten(), 3, { now: UNTIL })).toBe(UNTIL);
    expect(goesAt(ten(), 10)).toBe(500);
    expect(goesAt(ten(), 3, { priority: 4 })).toBe(500);
  });

  it('may fit later than it did at first', () => {
    const passed = ten();
    passed.onHeld(10, 3, UNTIL + 70, 500);
    expect(goesAt(passed, 3, { now: UNTIL })).toBe(UNTIL + 70);
  });

  it('is nothing before any was held', () => {
    expect(goesAt(new PassedCharge(), 1, { room: 0 })).toBe(500);
  });

  it('is, of several, the one that fits soonest, or one of a higher priority', () => {
    const passed = ten();
    passed.onHeld(8, 3, UNTIL + 1, 0);
    passed.onHeld(10, 2, UNTIL + 1, 0);
    expect(goesAt(passed, 3)).toBe(UNTIL);
    passed.onHeld(8, 4, UNTIL + 500, 0);
    expect(goesAt(passed, 4)).toBe(500);
    expect(goesAt(passed, 5)).toBe(UNTIL + 500);
    passed.onHeld(9, 4, UNTIL + 200, 0);
    expect(goesAt(passed, 5)).toBe(UNTIL + 200);
  });

  it('makes way for another once its time has come', () => {
    const passed = ten();
    passed.onHeld(8, 0, 1_900, UNTIL);
    expect(goesAt(passed, 7, { priority: 0, now: UNTIL })).toBe(1_900);
  });

  /** When a charge may go that fits beside the other at 1 s exactly. */
  function passedFits(passed: PassedCharge): number {
    return passed.earliest(charge({ priority: 3 }), () => UNTIL, 500);
  }
});
