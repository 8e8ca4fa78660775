import { describe, expect, it } from 'vitest';
import { ServerClock } from '../../../../src/quota/time/server-clock.ts';
import { Concurrency } from '../../../../src/quota/usage/concurrency.ts';
import { InFlight } from '../../../../src/quota/usage/in-flight.ts';
import { ResetWindow } from '../../../../src/quota/window/by-reset/reset-window.ts';
import { charge, readingsOf, untilOf } from '../../support/builders.ts';
import { four, reading } from '../../support/reset-windows.ts';
import { AGE_MS } from '../../support/script.ts';

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

describe('a window of a second whose requests slide', () => {
  /** Sends a request, which is under way. */
  const send = ({ window, flights }: ReturnType<typeof short>, now: number) => {
    const flight = flights.take(CHARGE, now);
    window.onSent(flight, now);
    return flight;
  };

  it('is full until its reset while one instance of it was seen, however many answers told', () => {
    const { window } = four({ isClockKnown: false });
    window.read('GET /a', 1_000, 1_000, reading(0, 3));
    window.read('GET /a', 1_000, 1_000, reading(0, 4));
    expect(untilOf(window, CHARGE, 200)).toBe(2_100);
  });

  it('lets requests go together while it is not full', () => {
    const all = short(3);
    send(all, 3_200);
    expect(untilOf(all.window, CHARGE, 3_201)).toBe(3_201);
  });

  it('holds what was answered without a reading', () => {
    const { window } = short(4);
    expect(window.headroom(3_200)).toBe(4);
    window.book('GET /a', 3_150, 3_200, 1);
    expect(window.headroom(3_201)).toBe(3);
  });

  it('is not said for certain to be full while a request is under way, which may cost nothing', () => {
    const { window, flights } = short(4);
    flights.take(CHARGE, 2_150);
    expect(window.check(CHARGE, 2_200)?.isFirm).toBe(false);
  });

  it('is tried by one request no more once one was served that its own had made wait', () => {
    const all = short(4);
    all.flights.end(send(all, 3_200));
    all.window.read('GET /a', 4_000, 1_000, reading(3_200, 1));
    for (const used of [2, 3, 4]) all.window.read('GET /a', 4_000, 800, reading(3_400, used));
    send(all, 4_600);
    expect(untilOf(all.window, CHARGE, 4_601)).toBe(4_601);
  });

  it('is tried by one again where what was served was beside the requests of others', () => {
    const all = short(4);
    all.flights.end(send(all, 3_200));
    all.window.read('GET /a', 4_000, 1_000, reading(3_200, 2));
    for (const used of [3, 4]) all.window.read('GET /a', 4_000, 800, reading(3_400, used));
    send(all, 5_600);
    expect(untilOf(all.window, CHARGE, 5_601)).toBe(5_600 + AGE_MS);
  });

  it('is spaced evenly once it holds more than its own requests of the last second, and no more than those of two', () => {
    const all = four({ isClockKnown: false });
    all.window.read('GET /a', 1_000, 1_000, reading(0, 1));
    for (const used of [1, 2, 3]) all.window.read('GET /a', 3_000, 1_000, reading(2_000, used));
    all.window.read('GET /a', 4_000, 1_000, reading(3_150, 4));
    all.flights.end(send(all, 5_600));
    expect(untilOf(all.window, CHARGE, 5_601)).toBeCloseTo(5_600 + 1_000 / 3, 0);
  });

  it('is of the length that the clock of the service shows, whatever one answer says of the time that is left', () => {
    const { window } = four();
    window.read('GET /a', 1_000, 61_000, reading(0, 1));
    for (let count = 1; count <= 4; count++) window.read('GET /a', 3_000, 61_000, reading(2_000, count));
    expect(untilOf(window, CHARGE, 2_200)).toBeCloseTo(3_100, -1);
  });

  it('may have been read without a reset before', () => {
    const { window } = four({ isClockKnown: false });
    window.read('GET /a', Number.NaN, Number.NaN, reading(0, 1));
    window.read('GET /a', 1_000, 1_000, reading(100, 1));
    for (let count = 1; count <= 4; count++) window.read('GET /a', 3_000, 1_000, reading(2_000, count));
    expect(untilOf(window, CHARGE, 2_200)).toBe(2_100 + 1_000.1);
  });

  it('ends a second after its reset, which is rounded, although resets are whole seconds apart', () => {
    const { window } = four();
    window.read('GET /a', 60_000, 60_000, reading(0, 4));
    window.read('GET /a', 61_000, 500, reading(60_500, 4));
    expect(window.end.to).toBeCloseTo(62_028, -1);
  });

  it('of no requests at all is never open', () => {
    const flights = new InFlight(new Concurrency(10), 9_000);
    const window = new ResetWindow(0, new ServerClock(), flights);
    flights.take(CHARGE, 8_000);
    for (const resetAt of [1_000, 3_000]) window.read('GET /a', resetAt, 1_000, readingsOf(0, 100)(resetAt, 0));
    expect(untilOf(window, CHARGE, 9_000)).toBe(Infinity);
  });
});

describe('a window whose resets are timestamps, and whose length is guessed by our clock', () => {
  it('ends no later than its length after its first answer', () => {
    const { window } = four({ isClockKnown: false });
    window.read('GET /a', 7_300, 7_300.5, reading(0, 1));
    window.read('GET /a', 7_300, 5_300.5, reading(2_000, 4));
    expect(untilOf(window, CHARGE, 2_200)).toBeCloseTo(8_100.8, 1);
  });

  /** A window that was full, begins anew with so much used, and is full again. */
  function again(used: number, rest = {}, isClockKnown = false): ReturnType<typeof four> {
    const all = four({ isClockKnown });
    const { window } = all;
    window.read('GET /a', 7_300, 7_300.5, reading(0, 4));
    window.read('GET /a', 15_300, 7_299.5, reading(8_000, used, rest));
    for (let count = used + 1; count <= 4; count++) window.read('GET /a', 15_300, 7_000.5, reading(8_300, count));
    return all;
  }

  const untilAfter = (...given: Parameters<typeof again>): number => untilOf(again(...given).window, CHARGE, 8_500);

  it('is tried as a second where a full one was empty again, and not where it was not', () => {
    expect(untilAfter(1)).toBeLessThan(9_500);
    expect(untilAfter(2, { settledSince: 1 })).toBeLessThan(9_500);
    expect(untilAfter(2, { held: 1 })).toBeLessThan(9_500);
    expect(untilAfter(2)).toBeGreaterThan(15_000);
  });

  it('is tried by one request, too, where a second is tried', () => {
    const { window, flights } = again(1);
    window.onSent(flights.take(CHARGE, 9_500), 9_500);
    expect(untilOf(window, CHARGE, 9_501)).toBe(9_500 + AGE_MS);
  });

  it('is not tried as a second where the clock of the service is known', () => {
    expect(untilAfter(1, {}, true)).toBeGreaterThan(15_000);
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

  /** A window that was refused a request, in its second instance, when so much was used and under way. */
  function refused(used: number, held = 0): ResetWindow {
    const { window } = four({ isClockKnown: false });
    for (let count = 1; count <= 4; count++) window.read('GET /a', 30_000, 30_000, reading(0, count));
    for (let count = 1; count <= 3; count++) window.read('GET /a', 60_000, 30_000, reading(32_000, count));
    window.read('GET /a', 60_000, 29_000, reading(33_000, used, { limited: true, held }));
    return window;
  }

  it('is seen to slide where its own requests explain the refusal, but for those that were under way', () => {
    expect(untilOf(refused(3), CHARGE, 33_200)).toBe(33_200);
    expect(untilOf(refused(4, 1), CHARGE, 33_200)).toBe(33_200);
    expect(untilOf(refused(4), CHARGE, 33_200)).toBeGreaterThan(60_000);
  });

  it('is tried by one request where it was full of its own, although it was served before it was seen to slide', () => {
    const window = refused(3);
    window.read('GET /a', 60_000, 26_000, reading(34_000, 4));
    window.onSent(four().flights.take(CHARGE, 64_200), 64_200);
    expect(untilOf(window, CHARGE, 64_201)).toBe(64_200 + AGE_MS);
  });

  it('is spaced evenly by a second refusal, but by none of a request that was under way with the first, or that goes although it is full', () => {
    const untilAfter = (sentAt: number, rest = {}): number => {
      const window = refused(3);
      window.read('GET /a', 60_000, 28_000, reading(sentAt, 3, { limited: true, ...rest }));
      window.onSent(four().flights.take(CHARGE, 63_500), 63_500);
      return untilOf(window, CHARGE, 63_600);
    };
    expect(untilAfter(33_050)).toBe(63_600);
    expect(untilAfter(33_200, { isExempt: true })).toBe(63_600);
    expect(untilAfter(33_200)).toBeGreaterThan(70_000);
  });

  it('is believed to restart where a refusal is explained by others alone', () => {
    const { window } = four({ isClockKnown: false });
    window.read('GET /a', 30_000, 30_000, reading(0, 1));
    window.read('GET /a', 30_000, 20_000, reading(10_000, 4, { limited: true }));
    expect(untilOf(window, CHARGE, 10_200)).toBe(31_100);
  });
});
