import { describe, expect, it } from 'vitest';
import { ResetWindow } from '../../../src/quota/limits/reset-window.ts';
import { ServerClock } from '../../../src/quota/time/server-clock.ts';
import { InFlight } from '../../../src/quota/usage/in-flight.ts';
import { charge, knownClock, readingsOf, untilOf } from '../support/builders.ts';
import { four, reading } from '../support/reset-windows.ts';

const CHARGE = charge();

describe('without a reset', () => {
  const hear = (window: ResetWindow, sentAt: number, used: number, limited = false): void =>
    window.read('GET /a', Number.NaN, Number.NaN, reading(sentAt, used, { limited }));

  it('requests are left to look whether there is more again, ever rarer', () => {
    const { window, flights } = four();
    hear(window, 0, 3);
    expect(window.headroom(0)).toBe(1);
    const look = (now: number, until: number, limited = true): void => {
      expect(untilOf(window, CHARGE, now)).toBe(now);
      const flight = flights.take(CHARGE, now);
      window.onSent(flight, now);
      expect(window.check(CHARGE, now)).toMatchObject({ until, isFirm: false });
      flights.end(flight);
      hear(window, now, 4, limited);
    };
    look(200, 600, false);
    look(600, 1_400);
    look(1_400, 3_000);
    expect(window.end.certainty).toBe('unknown');
  });

  it('requests go on as soon as an answer says that there is more', () => {
    const { window, flights } = four();
    hear(window, 0, 4);
    const flight = flights.take(CHARGE, 200);
    window.onSent(flight, 200);
    flights.end(flight);
    hear(window, 200, 1);
    expect(window.headroom(0)).toBe(3);
    expect(untilOf(window, CHARGE, 300)).toBe(300);
  });
});

describe('a window that never names a reset', () => {
  function unnamed(limit: number, used: number, clock = knownClock()) {
    const flights = new InFlight(10, 9_000);
    const window = new ResetWindow(limit, clock, flights);
    const hear = (sentAt: number, counted: number, limited = false): void =>
      window.read('GET /a', Number.NaN, Number.NaN, readingsOf(limit, 100)(sentAt, counted, { limited }));
    hear(0, used);
    /** A request goes, and another asks at once. It is refused where the window is full. */
    const look = (now: number, counted = used, limited = counted >= limit): number => {
      const flight = flights.take(charge(), now);
      window.onSent(flight, now);
      const until = untilOf(window, charge(), now);
      flights.end(flight);
      hear(now, counted, limited);
      return until;
    };
    return { window, look };
  }

  it.each([
    ['a tenth of 40 requests', 40, 35],
    ['eight of 100', 100, 91],
    ['one of 2', 2, 0],
  ])('leaves %s for looks', (_, limit, used) => {
    expect(unnamed(limit, used - 1).look(200)).toBe(200);
    expect(unnamed(limit, used).look(200)).toBeGreaterThan(200);
  });

  it('is looked at again soon after there was more, whatever the looks before', () => {
    const { window, look } = unnamed(4, 4);
    expect([look(200), look(600)]).toEqual([600, 1_400]);
    for (const now of [1_400, 3_000]) look(now, 1);
    for (let count = 0; count < 3; count++) window.book('GET /a', 4_000, 4_000);
    expect(look(5_000)).toBe(5_400);
  });

  /** Looks at each instant that was named until the one past a minute. */
  function lookOn(clock: ServerClock, used: number): number[] {
    const { look } = unnamed(100, used, clock);
    const looks: number[] = [];
    for (let now = 200; now < 70_000; now = look(now, Math.min(100, used + looks.length))) looks.push(now);
    return looks;
  }

  it('is looked at no more rarely where a look finds free again what the one before used', () => {
    const { look } = unnamed(1, 1);
    expect([look(200), look(600)]).toEqual([600, 1_400]);
    expect([look(1_400, 1, false), look(3_000, 1, false), look(4_600, 1, false)]).toEqual([3_000, 4_600, 6_200]);
  });

  it('is looked at later where a request went sooner than the next look, because a pause was over', () => {
    const { look } = unnamed(4, 4);
    expect([look(200), look(300)]).toEqual([600, 1_100]);
  });

  it('is looked at with each full minute', () => {
    const looks = lookOn(knownClock(), 100);
    expect(looks.slice(0, 8)).toEqual([200, 600, 1_400, 3_000, 6_200, 12_600, 25_400, 51_000]);
    expect(looks).toHaveLength(9);
    expect(looks[8]).toBeCloseTo(60_026, 0);
  });

  it('is looked at as often as at first after a full minute, where requests are left for it', () => {
    const looks = lookOn(knownClock(), 91).slice(8);
    expect(looks.slice(0, 4).map((now) => Math.round((now - (looks[0] ?? 0)) / 100))).toEqual([0, 4, 12, 28]);
  });

  it('is looked at without regard to minutes where the clock of the service is unknown', () => {
    expect(lookOn(new ServerClock(), 91)).toEqual([200, 600, 1_400, 3_000, 6_200, 12_600, 25_400, 51_000]);
  });
});
