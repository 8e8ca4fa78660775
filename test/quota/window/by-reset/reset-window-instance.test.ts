import { describe, expect, it } from 'vitest';
import type { ResetWindow } from '../../../../src/quota/window/by-reset/reset-window.ts';
import { charge, untilOf } from '../../support/builders.ts';
import { counting, four, reading } from '../../support/reset-windows.ts';

const CHARGE = charge();

describe('the present instance', () => {
  it('is named by a reset that differs by half a second at most, in an answer that came a second before its end', () => {
    const { window } = counting(['GET /a']);
    const isNamedBy = (resetAt: number): boolean => window.isPresent(resetAt, 200);
    expect([59_499, 59_500, 60_500, 60_501].map(isNamedBy)).toEqual([false, true, true, false]);
    expect([58_970, 58_980].map((now) => window.isPresent(60_000, now))).toEqual([true, false]);
  });

  it('ends, without a clock, by the time that was left when an answer came', () => {
    const { window } = four({ isClockKnown: false });
    window.read('GET /a', 60_000, 30_000, reading(0, 1));
    expect([29_099, 29_100].map((now) => window.isPresent(60_000, now))).toEqual([true, false]);
  });

  it('takes what is used for used by others only beyond what is under way', () => {
    const { window } = counting(['GET /a']);
    window.read('GET /a', 60_000, 59_000, reading(1_000, 4, { held: 2 }));
    expect(window.headroom(0)).toBe(2);
    window.read('GET /a', 60_000, 58_000, reading(2_000, 4, { held: 0 }));
    expect(window.headroom(0)).toBe(0);
  });

  it('ends to the instant where its resets show that windows end with each quarter of a minute', () => {
    const { window } = counting(['GET /a']);
    window.read('GET /a', 75_000, 14_000, reading(61_000, 4));
    expect(untilOf(window, CHARGE, 62_000)).toBeCloseTo(75_028, -1);
  });
});

describe('an answer speaks of another window', () => {
  const isOther = (
    window: ResetWindow,
    endpoint: string,
    used: number,
    known?: ResetWindow,
    resetAt = 60_000,
  ): boolean => window.isContradicted(endpoint, known, resetAt, reading(9_000, used));

  it('where it counts less than was left in this one, and not where it counts as much', () => {
    const { window } = counting(['GET /a', 'GET /a', 'GET /a']);
    expect([0, 2, 3].map((used) => isOther(window, 'GET /b', used))).toEqual([true, true, false]);
  });

  it('where it counts as much as its own endpoint has left here, but not less', () => {
    const { window } = counting(['GET /a', 'GET /b', 'GET /a']);
    expect([0, 1, 2, 3].map((used) => isOther(window, 'GET /b', used, window))).toEqual([false, true, true, false]);
  });

  it('where it counts less than was left in this one and by its endpoint in its own', () => {
    const { window } = counting(['GET /a', 'GET /a', 'GET /a']);
    const own = counting(['GET /b', 'GET /b']).window;
    expect([1, 2, 4, 5].map((used) => isOther(window, 'GET /b', used, own))).toEqual([false, true, true, false]);
  });

  it('only while this one lasts, and by its reset', () => {
    const { window } = counting(['GET /a', 'GET /a', 'GET /a']);
    expect(isOther(window, 'GET /b', 1, undefined, 61_000)).toBe(false);
    expect(window.isContradicted('GET /b', undefined, 60_000, reading(59_500, 1))).toBe(false);
  });
});

describe('an answer that counts less than was answered, where one request is left', () => {
  /** Three requests were answered, of which the last answer, to a request sent before two others, counts one. */
  function disputed(): ReturnType<typeof four> {
    const all = counting(['GET /a', 'GET /a']);
    all.window.read('GET /a', 60_000, 58_900, reading(900, 1, { settledSince: 2 }));
    return all;
  }

  it('holds the next one until all others must have been posted, or an answer says more', () => {
    const hold = disputed().window.check(CHARGE, 1_010);
    expect(hold).toMatchObject({ until: 1_050, isFirm: false });
    expect(disputed().window.check(CHARGE, 1_050)).toBeUndefined();
    expect(counting(['GET /a', 'GET /a', 'GET /a']).window.check(CHARGE, 2_110)).toBeUndefined();
  });

  it('holds none where more are left, and all until the end where none is', () => {
    const two = counting(['GET /a']).window;
    two.read('GET /a', 60_000, 58_900, reading(900, 1, { settledSince: 1 }));
    expect(two.check(CHARGE, 1_010)).toBeUndefined();
    const none = counting(['GET /a', 'GET /a', 'GET /a']).window;
    none.read('GET /a', 60_000, 58_900, reading(900, 1, { settledSince: 3 }));
    expect(none.check(CHARGE, 2_110)).toMatchObject({ until: expect.closeTo(60_000, -3), isFirm: true });
  });

  it('has others look again while that one is under way: its answer may leave them some', () => {
    const { window, flights } = disputed();
    flights.take(CHARGE, 1_060);
    expect(window.check(CHARGE, 2_000)).toMatchObject({ until: 2_050, isFirm: false });
  });
});
