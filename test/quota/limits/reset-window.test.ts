import { describe, expect, it } from 'vitest';
import { ResetWindow } from '../../../src/quota/limits/reset-window.ts';
import { ServerClock } from '../../../src/quota/time/server-clock.ts';
import { InFlight } from '../../../src/quota/usage/in-flight.ts';
import { charge, knownClock, readingsOf, untilOf } from '../support/builders.ts';
import { AGE_MS } from '../support/script.ts';

const CHARGE = charge();
const reading = readingsOf(4, 100);

/** A window of four requests, of a service whose clock is known to show what ours does, give or take the slack of a stamp. */
function four({ isClockKnown = true } = {}): { window: ResetWindow; flights: InFlight } {
  const clock = isClockKnown ? knownClock() : new ServerClock();
  const flights = new InFlight(10, 9_000);
  return { window: new ResetWindow(4, clock, flights), flights };
}

describe('reset window', () => {
  it('a window that is known by its reset alone holds nobody back before it was read, and never an endpoint that it does not describe', () => {
    const { window } = four();
    expect(untilOf(window, CHARGE, 0)).toBe(0);
    window.read('GET /a', 60_000, 60_000, reading(0, 4));
    expect(untilOf(window, charge({ endpoint: 'GET /b' }), 200)).toBe(200);
  });

  it('a window that is known by its reset alone counts requests, whatever they cost', () => {
    const { window, flights } = four();
    window.read('GET /a', 60_000, 60_000, reading(0, 1));
    flights.take(charge({ units: 50 }), 200);
    expect(window.headroom()).toBe(2);
    expect(window.remaining).toBe(3);
  });

  it('a window that is known by its reset alone is full until its reset: on the calendar to the instant, elsewhere a second later, for it may have been cut', () => {
    const [onCalendar, elsewhere] = [four().window, four().window];
    onCalendar.read('GET /a', 60_000, 60_000, reading(0, 4));
    expect(untilOf(onCalendar, CHARGE, 200)).toBeGreaterThanOrEqual(60_000);
    expect(untilOf(onCalendar, CHARGE, 200)).toBeLessThan(60_050);
    elsewhere.read('GET /a', 61_500, 61_500, reading(0, 4));
    expect(untilOf(elsewhere, CHARGE, 200)).toBeGreaterThanOrEqual(62_500);
    expect(elsewhere.check(CHARGE, 200)?.isFirm).toBe(true);
    expect(elsewhere.check(CHARGE, 200)?.reason()).toMatchObject({ window: 'endpoint', limit: 4, headroom: 0 });
  });

  it('a window that is known by its reset alone is full, without a clock, until the time that was left has passed since the answer', () => {
    const { window } = four({ isClockKnown: false });
    window.read('GET /a', 60_000, 30_000, reading(0, 4));
    expect(untilOf(window, CHARGE, 200)).toBe(31_100);
  });

  it('a window that is known by its reset alone lets one request go first past its end, which names the next instance', () => {
    const { window, flights } = four();
    window.read('GET /a', 60_000, 60_000, reading(0, 4));
    const scout = flights.take(CHARGE, 61_000);
    expect(untilOf(window, CHARGE, 61_000)).toBe(61_000);
    window.onSent(scout, 61_000);
    expect(untilOf(window, CHARGE, 61_001)).toBe(61_000 + AGE_MS);
    flights.end(scout);
    window.read('GET /a', 120_000, 58_900, reading(61_000, 1));
    expect(window.resetAt).toBe(120_000);
    expect(window.headroom()).toBe(3);
    expect(untilOf(window, CHARGE, 61_101)).toBe(61_101);
  });

  it('a window that is known by its reset alone is filled by an answer without a reading, of its own endpoints', () => {
    const { window } = four();
    window.read('GET /a', 60_000, 60_000, reading(0, 1));
    window.book('GET /a');
    window.book('GET /b');
    expect(window.headroom()).toBe(2);
  });

  it('a window that is known by its reset alone counts an answer that names an earlier reset, and takes nothing else from it', () => {
    const { window } = four();
    window.read('GET /a', 60_000, 60_000, reading(0, 1));
    window.read('GET /a', 59_000, 59_000, reading(0, 2));
    expect(window.headroom()).toBe(2);
    expect(window.resetAt).toBe(60_000);
    expect(window.remaining).toBe(3);
  });

  it('a window that is known by its reset alone hears of what others have spent, and lets go of what was never counted', () => {
    const { window } = four();
    window.read('GET /a', 60_000, 60_000, reading(0, 1));
    window.read('GET /a', 60_000, 59_000, reading(1_000, 3));
    expect(window.headroom()).toBe(1);
    window.book('GET /a');
    window.read('GET /a', 60_000, 58_000, reading(2_000, 3));
    expect(window.headroom()).toBe(1);
  });

  it('a window that is known by its reset alone of no requests at all is never open', () => {
    const window = new ResetWindow(0, new ServerClock(), new InFlight(10, 9_000));
    window.read('GET /a', 60_000, 60_000, reading(0, 0));
    expect(untilOf(window, CHARGE, 70_000)).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('past its end', () => {
  it('one request of its endpoint goes first, and requests of others do not keep the rest waiting', () => {
    const { window, flights } = four();
    window.read('GET /a', 60_000, 60_000, reading(0, 4));
    const now = 62_000;
    const send = (endpoint: string) => window.onSent(flights.take(charge({ endpoint }), now), now);
    send('GET /b');
    expect(untilOf(window, CHARGE, now)).toBe(now);
    send('GET /a');
    expect(untilOf(window, CHARGE, now)).toBe(now + AGE_MS);
    send('GET /b');
    expect(untilOf(window, CHARGE, now)).toBe(now + AGE_MS);
  });
});
