import { describe, expect, it } from 'vitest';
import { LeakyModel, leaky } from '../../../src/quota/models/leaky.ts';
import { AnsweredRequests } from '../../../src/quota/usage/answered.ts';
import { readingsOf } from '../support/builders.ts';

const read = readingsOf(10, 100);

/** A level that sinks by ten units in a minute, and stands at some height at an instant. */
function level(units: number, at = 1_100): LeakyModel {
  const model = new LeakyModel(60_000);
  model.reconcile(read(0, 0, { own: 0 }));
  model.book(units, at - 100, at);
  return model;
}

describe('a level that sinks', () => {
  it('has room at once for what fits, whether or not it is known how fast it sinks', () => {
    expect(new LeakyModel(60_000).earliest(10, 0, 10, 5_000)).toBe(5_000);
    expect(level(4).earliest(3, 3, 10, 1_100)).toBe(1_100);
  });

  it('has room for the rest when it has sunk by as much', () => {
    expect(level(4).earliest(3, 4, 10, 1_100)).toBeCloseTo(1_100 + 6_000, -1);
  });

  it('waits for answers where more is under way than it can hold', () => {
    expect(level(1).earliest(5, 6, 10, 2_000)).toBe(Infinity);
    expect(level(1).earliest(4, 6, 10, 2_000)).toBeLessThan(10_000);
  });

  it('shows others by what stands above our own, what is under way, a unit, and what has sunk while the answer was', () => {
    const slow = readingsOf(10, 6_000);
    expect(level(3, 8_000).unexplained(slow(2_000, 9, { held: 2 }))).toBeCloseTo(9 - 1 - 2 - 3 - 1, 3);
  });

  it('cannot stand lower than we have just raised it, by a unit and a half', () => {
    const past = new AnsweredRequests();
    past.add(1_000, 1_100, 5, 5);
    const model = level(5);
    expect(model.isContradicted(read(1_200, 3), past)).toBe(true);
    expect(model.isContradicted(read(1_200, 4), past)).toBe(false);
    // Four seconds later it has sunk by two thirds of a unit.
    expect(model.isContradicted(read(5_200, 3), past)).toBe(false);
    // Of a raise that is a window old nothing is left.
    expect(model.isContradicted(read(61_200, 0), past)).toBe(false);
  });

  it('stands no higher than a reading says, a unit, and what was answered since', () => {
    const model = level(9);
    model.reconcile(read(1_200, 3, { settledSince: 2 }));
    expect(model.spent(1_300)).toBeCloseTo(6, 1);
  });

  it('frees what was used evenly, from when it was used or the last wait ends', () => {
    const use = { at: 1_000, periodMs: 60_000, endsAt: 60_000, lastAt: 3_000, drainMs: 5 };
    expect(leaky.frees?.(use)).toEqual([3_000, 3_005]);
    expect(leaky.frees?.({ ...use, at: 4_000 })).toEqual([4_000, 4_005]);
  });
});
