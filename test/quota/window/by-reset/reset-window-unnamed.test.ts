import { describe, expect, it } from 'vitest';
import { Concurrency } from '../../../../src/quota/usage/concurrency.ts';
import { InFlight } from '../../../../src/quota/usage/in-flight.ts';
import { ResetWindow } from '../../../../src/quota/window/by-reset/reset-window.ts';
import { charge, knownClock, readingsOf, untilOf } from '../../support/builders.ts';
import { four, reading } from '../../support/reset-windows.ts';

const CHARGE = charge();

describe('without a reset', () => {
  const hear = (window: ResetWindow, sentAt: number, used: number, limited = false): void =>
    window.read('GET /a', Number.NaN, Number.NaN, reading(sentAt, used, { limited }));

  it('requests are left to probe whether there is more again, ever rarer', () => {
    const { window, flights } = four();
    hear(window, 0, 3);
    expect(window.headroom(0)).toBe(1);
    const probe = (now: number, until: number, limited = true): void => {
      expect(untilOf(window, CHARGE, now)).toBe(now);
      const flight = flights.take(CHARGE, now);
      window.onSent(flight, now);
      expect(window.check(CHARGE, now)).toMatchObject({ until, isFirm: false });
      flights.end(flight);
      hear(window, now, 4, limited);
    };
    probe(200, 600, false);
    probe(600, 1_400);
    probe(1_400, 3_000);
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

  it('the request that is left goes although an answer counts less than our books: with none on its way no other would settle that', () => {
    const { window } = four();
    hear(window, 0, 1);
    window.book('GET /a', 0, 10, 1);
    window.book('GET /a', 0, 10, 1);
    window.read('GET /a', Number.NaN, Number.NaN, reading(0, 1, { settledSince: 2 }));
    expect(window.headroom(60_000)).toBe(1);
    expect(untilOf(window, CHARGE, 60_000)).toBe(60_000);
  });
});

describe('a window that never names a reset', () => {
  function unnamed(limit: number, used: number, clock = knownClock()) {
    const flights = new InFlight(new Concurrency(10), 9_000);
    const window = new ResetWindow(limit, clock, flights);
    const hear = (sentAt: number, counted: number, limited = false): void =>
      window.read('GET /a', Number.NaN, Number.NaN, readingsOf(limit, 100)(sentAt, counted, { limited }));
    hear(0, used);
    /** A request goes, and another asks at once. It is refused where the window is full. */
    const probe = (now: number, counted = used, limited = counted >= limit): number => {
      const flight = flights.take(charge(), now);
      window.onSent(flight, now);
      const until = untilOf(window, charge(), now);
      flights.end(flight);
      hear(now, counted, limited);
      return until;
    };
    return { window, probe };
  }

  it('is probed again soon after there was more, whatever the probes before', () => {
    const { window, probe } = unnamed(4, 4);
    expect([probe(200), probe(600)]).toEqual([600, 1_400]);
    for (const now of [1_400, 3_000]) probe(now, 1);
    for (let count = 0; count < 3; count++) window.book('GET /a', 4_000, 4_000, 1);
    expect(probe(5_000)).toBe(5_400);
  });

  it('is probed no more rarely where a probe finds free again what the one before used', () => {
    const { probe } = unnamed(1, 1);
    expect([probe(200), probe(600)]).toEqual([600, 1_400]);
    expect([probe(1_400, 1, false), probe(3_000, 1, false), probe(4_600, 1, false)]).toEqual([3_000, 4_600, 6_200]);
  });

  it('is probed later where a request went sooner than the next probe, because a pause was over', () => {
    const { probe } = unnamed(4, 4);
    expect([probe(200), probe(300)]).toEqual([600, 1_100]);
  });

  it('is probed as often as at first after a full minute, where requests are left for it, but for the one that is sent', () => {
    const probesAfterMinute = (used: number): number[] => {
      const { probe } = unnamed(100, used);
      const sentAt: number[] = [];
      for (let now = 200; now < 70_000; now = probe(now, Math.min(100, used + sentAt.length))) sentAt.push(now);
      return sentAt.slice(8).map((now) => Math.round((now - 60_026) / 100));
    };
    expect(probesAfterMinute(91)).toEqual([0, 4, 12, 28, 60]);
    expect(probesAfterMinute(92)).toEqual([0]);
  });
});
