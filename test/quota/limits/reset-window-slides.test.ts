import { describe, expect, it } from 'vitest';
import type { ResetWindow } from '../../../src/quota/limits/reset-window.ts';
import type { InFlight } from '../../../src/quota/usage/in-flight.ts';
import { charge, untilOf } from '../support/builders.ts';
import { four, reading } from '../support/reset-windows.ts';

const CHARGE = charge();

/** A window of four requests, an answer a tenth of a second after each, that counts in its second instance what is said. */
function short(used: number): { window: ResetWindow; flights: InFlight } {
  const all = four({ isClockKnown: false });
  all.window.read('GET /a', 1_000, 1_000, reading(0, 1));
  for (let count = used - 3; count <= used; count++) all.window.read('GET /a', 3_000, 1_000, reading(2_000, count));
  return all;
}

describe('a window of a second', () => {
  it('holds one more when its own requests count no longer, before its reset that is rounded has passed', () => {
    const { window } = short(4);
    expect(window.check(CHARGE, 2_200)).toMatchObject({ until: 2_100 + 1_000.1, isFirm: true });
    expect(window.headroom(2_200)).toBe(0);
    expect(window.headroom(3_101)).toBe(4);
  });

  it('that was full is tried by one request, and no more where that was served', () => {
    const { window, flights } = short(4);
    const first = flights.take(CHARGE, 3_200);
    window.onSent(first, 3_200);
    expect(untilOf(window, CHARGE, 3_201)).toBe(6_200);
    flights.end(first);
    window.read('GET /a', 4_000, 1_000, reading(3_200, 1));
    const second = flights.take(CHARGE, 3_400);
    window.onSent(second, 3_400);
    expect(untilOf(window, CHARGE, 3_401)).toBe(3_401);
  });

  it('waits for one under way where all that it holds is', () => {
    const { window, flights } = short(1);
    for (let count = 0; count < 4; count++) flights.take(CHARGE, 4_000);
    expect(window.check(CHARGE, 4_001)).toMatchObject({ until: 7_000, isFirm: false });
  });

  it('is full of what others have used until it ends, and not longer', () => {
    const all = four({ isClockKnown: false });
    all.window.read('GET /a', 1_000, 1_000, reading(0, 1));
    all.window.read('GET /a', 3_000, 1_000, reading(2_000, 4));
    expect([all.window.headroom(2_200), untilOf(all.window, CHARGE, 2_200)]).toEqual([0, 3_100.1]);
    all.window.read('GET /a', 3_000, 400, reading(2_050, 4, { limited: true }));
    expect([all.window.headroom(2_200), untilOf(all.window, CHARGE, 2_200)]).toEqual([0, 3_100.1]);
    expect(all.window.headroom(3_200)).toBe(4);
  });
});

describe('a longer window', () => {
  it('holds what its own requests of the last length leave, from when a refusal shows that it slides', () => {
    const { window } = four({ isClockKnown: false });
    for (let count = 1; count <= 4; count++) window.read('GET /a', 30_000, 30_000, reading(0, count));
    for (let count = 1; count <= 3; count++) window.read('GET /a', 60_000, 30_000, reading(32_000, count));
    window.read('GET /a', 60_000, 29_000, reading(33_000, 3, { limited: true }));
    expect(untilOf(window, CHARGE, 33_200)).toBe(33_200);
    window.read('GET /a', 60_000, 28_000, reading(34_000, 4));
    expect(untilOf(window, CHARGE, 34_200)).toBeCloseTo(62_103, 0);
  });

  it('is believed to restart where a refusal is explained by others alone', () => {
    const { window } = four({ isClockKnown: false });
    window.read('GET /a', 30_000, 30_000, reading(0, 1));
    window.read('GET /a', 30_000, 20_000, reading(10_000, 4, { limited: true }));
    expect(untilOf(window, CHARGE, 10_200)).toBe(31_100);
  });
});
