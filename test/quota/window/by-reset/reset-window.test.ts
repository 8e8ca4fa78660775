import { describe, expect, it } from 'vitest';
import type { Hold } from '../../../../src/quota/admission.ts';
import { ServerClock } from '../../../../src/quota/time/server-clock.ts';
import { Concurrency } from '../../../../src/quota/usage/concurrency.ts';
import { InFlight } from '../../../../src/quota/usage/in-flight.ts';
import { ResetWindow } from '../../../../src/quota/window/by-reset/reset-window.ts';
import { charge, knownClock, untilOf } from '../../support/builders.ts';
import { four, reading } from '../../support/reset-windows.ts';
import { AGE_MS } from '../../support/script.ts';

const CHARGE = charge();

describe('reset window', () => {
  it('a window that is known by its reset alone holds back no call before it was read, and never one of an endpoint that it does not describe', () => {
    const { window } = four();
    expect(untilOf(window, CHARGE, 0)).toBe(0);
    window.read('GET /a', 60_000, 60_000, reading(0, 4));
    expect(untilOf(window, charge({ endpoint: 'GET /b' }), 200)).toBe(200);
  });

  it('a window that is known by its reset alone counts requests, whatever they cost', () => {
    const { window, flights } = four();
    window.read('GET /a', 60_000, 60_000, reading(0, 1));
    flights.take(charge({ units: 50 }), 200);
    expect(window.headroom(0)).toBe(2);
    expect(window.remaining).toBe(3);
  });

  it('a window that is known by its reset alone counts units where it is the only one', () => {
    const flights = new InFlight(new Concurrency(10), 9_000);
    const window = new ResetWindow(10, knownClock(), flights, true);
    const { requests } = window;
    window.read('GET /a', 60_000, 60_000, { ...reading(0, 3, { own: 3 }), limit: 10 });
    flights.take(charge({ units: 4 }), 200);
    expect([window.headroom(200), requests.held]).toEqual([3, 4]);
    expect(window.check(charge({ units: 3 }), 200)).toBeUndefined();
    expect(window.check(charge({ units: 4 }), 200)?.until).toBeGreaterThanOrEqual(60_000);
    expect(window.check(charge({ units: 4 }), 200)?.reason().why).toBe("the endpoint's window of 10 units has 3 left");
    window.book('GET /a', 200, 300, 2);
    expect([window.headroom(400), requests.settledSince(400)]).toEqual([1, 0]);
    expect(requests.settledSince(200)).toBe(2);
  });

  it('a window that is known by its reset alone waits for an answer where others, as they do beside our requests, may have used what is left', () => {
    const holdWith = (used: number): Hold | undefined => {
      const flights = new InFlight(new Concurrency(10), 9_000);
      const window = new ResetWindow(20, knownClock(), flights);
      // Of each two that are counted one is not ours.
      for (let count = 1; count <= used / 2; count++)
        window.read('GET /a', 60_000, 60_000, { ...reading(count * 200, 2 * count), limit: 20 });
      flights.take(CHARGE, 3_000);
      return window.check(CHARGE, 3_000);
    };
    expect(holdWith(14)).toBeUndefined();
    expect(holdWith(18)?.until).toBe(3_000 + AGE_MS);
    expect(holdWith(18)?.reason().why).toBe(
      "others may have used what is left of the endpoint's window of 20 requests: the next answer shows it",
    );
  });

  it('a window that is known by its reset alone is full until its reset: on the calendar to the instant, elsewhere a second later, for it may have been cut', () => {
    const [onCalendar, elsewhere] = [four().window, four().window];
    onCalendar.read('GET /a', 60_000, 60_000, reading(0, 4));
    expect(untilOf(onCalendar, CHARGE, 200)).toBeGreaterThanOrEqual(60_000);
    expect(untilOf(onCalendar, CHARGE, 200)).toBeLessThan(60_050);
    elsewhere.read('GET /a', 41_500, 41_500, reading(0, 4));
    expect(untilOf(elsewhere, CHARGE, 200)).toBeGreaterThanOrEqual(42_500);
    expect(elsewhere.check(CHARGE, 200)?.isFirm).toBe(true);
    expect(elsewhere.check(CHARGE, 200)?.reason()).toMatchObject({ window: 'endpoint', limit: 4, headroom: 0 });
  });

  it.each([true, false])(
    'a window that is known by its reset alone ends no later than a minute after its first answer where it is a minute but for roundings (clock known: %s)',
    (isClockKnown) => {
      const { window } = four({ isClockKnown });
      window.read('GET /a', 61_000, 61_000, reading(0, 4));
      expect(untilOf(window, CHARGE, 200)).toBeCloseTo(60_106, 0);
      expect(window.end).toMatchObject({ certainty: 'known', to: expect.closeTo(60_106, 0) });
      expect(window.end.from).toBeLessThanOrEqual(60_106.5);
    },
  );

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
    expect(window.end.to).toBeCloseTo(120_032, 0);
    expect(window.headroom(0)).toBe(3);
    expect(untilOf(window, CHARGE, 61_101)).toBe(61_101);
  });

  it('a window that is known by its reset alone is filled by an answer without a reading, of its own endpoints', () => {
    const { window } = four();
    window.read('GET /a', 60_000, 60_000, reading(0, 1));
    window.book('GET /a', 200, 200, 1);
    window.book('GET /b', 200, 200, 1);
    expect(window.headroom(0)).toBe(2);
  });

  it('a window that is known by its reset alone counts an answer that names an earlier reset, and takes nothing else from it', () => {
    const { window } = four();
    window.read('GET /a', 60_000, 60_000, reading(0, 1));
    window.read('GET /a', 59_000, 59_000, reading(0, 2));
    expect(window.headroom(0)).toBe(2);
    expect(window.end.to).toBeCloseTo(60_026, 0);
    expect(window.remaining).toBe(3);
  });

  it('a window that is known by its reset alone counts units of other consumers that a reading shows, and forgets units that were never counted', () => {
    const { window } = four();
    window.read('GET /a', 60_000, 60_000, reading(0, 1));
    window.read('GET /a', 60_000, 59_000, reading(1_000, 3));
    expect(window.headroom(0)).toBe(1);
    window.book('GET /a', 200, 200, 1);
    window.read('GET /a', 60_000, 58_000, reading(2_000, 3));
    expect(window.headroom(0)).toBe(1);
  });

  it('a window that is known by its reset alone of no requests at all is never open', () => {
    const window = new ResetWindow(0, new ServerClock(), new InFlight(new Concurrency(10), 9_000));
    window.read('GET /a', 60_000, 60_000, reading(0, 0));
    expect(untilOf(window, CHARGE, 70_000)).toBe(Infinity);
  });
});

describe('what a window says of itself', () => {
  it('is which endpoints count there, when it was read last, and how long it is by two resets', () => {
    const { window } = four();
    expect(window.requests.has('GET /a')).toBe(false);
    window.read('GET /a', 60_000, 60_000, reading(50, 1));
    window.read('GET /b', 60_000, 60_000, reading(10, 1));
    expect([window.requests.has('GET /a'), window.requests.has('GET /b'), window.requests.has('GET /c')]).toEqual([
      true,
      true,
      false,
    ]);
    expect([window.seenAt, window.periodMs]).toEqual([50, 60_000]);
    window.read('GET /a', 75_000, 14_000, reading(61_000, 1));
    expect(window.periodMs).toBe(15_000);
  });

  it('is its end, by the clock of the service, or as one answer stated it', () => {
    const [known, unknown] = [four().window, four({ isClockKnown: false }).window];
    for (const window of [known, unknown]) window.read('GET /a', 60_000, 30_000, reading(0, 1));
    expect(unknown.end).toEqual({ certainty: 'known', from: 31_100, to: 31_100 });
    expect(known.end.certainty).toBe('known');
    expect(known.end.from).toBeCloseTo(59_973, 0);
    expect(known.end.to).toBeCloseTo(60_026, 0);
  });
});

describe('a window of which one request is left', () => {
  it('holds nothing back until that is taken, and then until an answer or its end', () => {
    const { window, flights } = four({ isClockKnown: false });
    window.read('GET /a', 60_000, 30_000, reading(0, 3));
    expect(window.check(CHARGE, 200)).toBeUndefined();
    flights.take(CHARGE, 200);
    const facts = { until: 31_100, isFirm: false, mayEndOnAnswer: true, scope: 'endpoint', yieldsToPriority: false };
    expect(window.check(CHARGE, 200)).toMatchObject(facts);
    expect(window.check(CHARGE, 31_100)).toBeUndefined();
  });

  it('counts what was answered since the reading, in a new instance and in the same', () => {
    const { window } = four();
    window.read('GET /a', 60_000, 60_000, reading(0, 1, { settledSince: 2 }));
    expect(window.headroom(0)).toBe(1);
    const other = four().window;
    other.read('GET /a', 60_000, 60_000, reading(0, 1));
    other.read('GET /a', 60_000, 60_000, reading(0, 1, { settledSince: 5 }));
    expect(other.headroom(0)).toBe(2);
  });
});

describe('a reset that differs by half a second', () => {
  it('is of the same instance, and one that differs by more is of an earlier or a later one', () => {
    const resets = [59_499, 59_500, 60_500, 60_501].map((resetAt) => {
      const { window } = four();
      window.read('GET /a', 60_000, 60_000, reading(0, 1));
      window.read('GET /a', resetAt, 60_000, reading(1_000, 3));
      return [Math.floor((window.end.to ?? 0) / 1_000), window.headroom(0)];
    });
    expect(resets).toEqual([
      [60, 2],
      [60, 1],
      [60, 1],
      [61, 1],
    ]);
  });
});

describe('past its end', () => {
  /** A window whose end is known to be at 31.1 s. */
  function ended(used: number): ReturnType<typeof four> {
    const all = four({ isClockKnown: false });
    all.window.read('GET /a', 60_000, 30_000, reading(0, used));
    return all;
  }

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

  it('a request that was sent at the end is the first of the next instance, and holds the others back for a while only', () => {
    const { window, flights } = ended(4);
    window.onSent(flights.take(CHARGE, 31_100), 31_100);
    expect(window.check(CHARGE, 31_101)).toMatchObject({ until: 31_100 + AGE_MS, isFirm: false });
    expect(window.check(CHARGE, 31_100 + AGE_MS)).toBeUndefined();
  });

  it('a request that was sent before the end, or while there was room, is no such first one', () => {
    const before = ended(4);
    before.window.onSent(before.flights.take(CHARGE, 31_099), 31_099);
    expect(before.window.check(CHARGE, 31_101)).toBeUndefined();
    const roomy = ended(1);
    roomy.window.onSent(roomy.flights.take(CHARGE, 31_100), 31_100);
    for (let count = 0; count < 3; count++) roomy.window.book('GET /a', 200, 200, 1);
    expect(roomy.window.check(CHARGE, 31_101)).toBeUndefined();
  });

  it('an answer that describes a tighter window counts here, and begins another instance where it was sent past the end', () => {
    const { window } = ended(2);
    window.passOver('GET /b', 9, reading(200, 0));
    expect(window.headroom(0)).toBe(2);
    window.passOver('GET /a', 9, reading(31_099, 0));
    expect(window.headroom(0)).toBe(1);
    window.passOver('GET /a', 3, reading(31_100, 0));
    expect(window.headroom(0)).toBe(3);
    window.passOver('GET /a', 3, reading(31_200, 0, { settledSince: 1 }));
    expect(window.headroom(0)).toBe(2);
    window.passOver('GET /a', 4, reading(31_300, 0, { settledSince: 1 }));
    expect(window.headroom(0)).toBe(3);
  });

  it('an answer that describes a tighter window counts once in the instance that another one has begun, and only what counts here', () => {
    const { window } = ended(2);
    window.passOver('GET /a', 1, reading(31_100, 0));
    window.passOver('GET /a', 1, reading(31_200, 0));
    expect(window.headroom(0)).toBe(2);
    const other = ended(2).window;
    other.passOver('GET /b', 1, reading(31_100, 0));
    expect(other.headroom(0)).toBe(2);
  });

  it('an answer that describes a tighter window begins each instance anew', () => {
    const { window } = ended(2);
    window.passOver('GET /a', 1, reading(31_100, 0, { settledSince: 1 }));
    expect(window.headroom(0)).toBe(2);
    window.read('GET /a', 120_000, 30_000, reading(40_000, 3));
    window.passOver('GET /a', 1, reading(80_000, 0, { settledSince: 1 }));
    expect(window.headroom(0)).toBe(2);
  });
});
