import { describe, expect, it } from 'vitest';
import { type Reserve, Reserves } from '../../../../src/quota/window/reserve/reserve.ts';
import { charge } from '../../support/builders.ts';

const LIMIT = 10;
const NOW = 100;

/** A reserve of so many units that is released at an instant. */
function reserveOf(units: number, releasesAt = 0): Reserve {
  return { units: () => units, releasesAt: () => releasesAt };
}

/** When a charge of 6 units is checked again that fits below a cap of 6 at once, and below a lower one at 9 s. */
function checkedAgainAt(...reserves: readonly Reserve[]): number {
  return new Reserves(...reserves).releasesAt(charge({ units: 6 }), LIMIT, (cap) => (cap >= 6 ? NOW : 9_000), NOW);
}

describe('the reserves of a window', () => {
  it('are subtracted from its limit one after the other', () => {
    expect(new Reserves().cap(charge(), LIMIT, NOW)).toBe(LIMIT);
    expect(new Reserves(reserveOf(2), reserveOf(3)).cap(charge(), LIMIT, NOW)).toBe(5);
  });

  it('have a charge checked again when the first of them is released', () => {
    expect(checkedAgainAt(reserveOf(2, 700), reserveOf(3, 500))).toBe(500);
    expect(checkedAgainAt(reserveOf(3, 500), reserveOf(2, 700))).toBe(500);
  });

  it('have it checked no sooner than it fits below what those before that one leave', () => {
    expect(checkedAgainAt(reserveOf(5, 700), reserveOf(3, 500))).toBe(700);
    expect(checkedAgainAt(reserveOf(3, 700), reserveOf(5, 500))).toBe(500);
  });

  it('do not ask one of no units', () => {
    expect(checkedAgainAt(reserveOf(0, 300), reserveOf(3, 500))).toBe(500);
    expect(checkedAgainAt(reserveOf(0, 300))).toBe(Infinity);
  });

  it('tell each what those before it leave', () => {
    const caps: number[] = [];
    const second: Reserve = { units: () => 1, releasesAt: (units, cap) => caps.push(units, cap) };
    checkedAgainAt(reserveOf(2, 700), second);
    expect(caps).toEqual([6, 8]);
  });
});
