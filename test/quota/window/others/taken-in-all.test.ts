import { describe, expect, it } from 'vitest';
import { TakenInAll } from '../../../../src/quota/window/others/taken-in-all.ts';

describe('what others will still take of a window of the calendar', () => {
  it('is not known in the first one', () => {
    const taken = new TakenInAll();
    taken.observe(100, true);
    taken.observe(300, false);
    expect(taken.left).toBe(0);
  });

  it('is what they took of one before and have not taken of this one', () => {
    const taken = new TakenInAll();
    taken.observe(300, true);
    taken.observe(50, true);
    expect(taken.left).toBe(250);
    taken.observe(290, false);
    expect(taken.left).toBe(10);
    // An answer that was overtaken counts less.
    taken.observe(280, false);
    expect(taken.left).toBe(10);
    taken.observe(320, false);
    expect(taken.left).toBe(0);
  });

  it('is by the most that they took of any, which fades', () => {
    const taken = new TakenInAll();
    taken.observe(300, true);
    taken.observe(50, true);
    taken.observe(0, true);
    expect(taken.left).toBeCloseTo(294, 6);
    taken.observe(400, false);
    taken.observe(0, true);
    expect(taken.left).toBe(400);
  });
});
