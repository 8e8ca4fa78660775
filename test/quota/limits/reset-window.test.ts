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
    window.book('GET /a', 200, 200);
    window.book('GET /b', 200, 200);
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
    window.book('GET /a', 200, 200);
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

describe('what a window says of itself', () => {
  it('is which endpoints count there, when it was read last, and how long it is by two resets', () => {
    const { window } = four();
    expect(window.covers('GET /a')).toBe(false);
    window.read('GET /a', 60_000, 60_000, reading(50, 1));
    window.read('GET /b', 60_000, 60_000, reading(10, 1));
    expect([window.covers('GET /a'), window.covers('GET /b'), window.covers('GET /c')]).toEqual([true, true, false]);
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
    expect(unknown.endsAt).toBe(31_100);
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
    expect(window.headroom()).toBe(1);
    const other = four().window;
    other.read('GET /a', 60_000, 60_000, reading(0, 1));
    other.read('GET /a', 60_000, 60_000, reading(0, 1, { settledSince: 5 }));
    expect(other.headroom()).toBe(2);
  });
});

describe('a reset that differs by half a second', () => {
  it('is of the same instance, and one that differs by more is of an earlier or a later one', () => {
    const resets = [59_499, 59_500, 60_500, 60_501].map((resetAt) => {
      const { window } = four();
      window.read('GET /a', 60_000, 60_000, reading(0, 1));
      window.read('GET /a', resetAt, 60_000, reading(1_000, 3));
      return [window.resetAt, window.headroom()];
    });
    expect(resets).toEqual([
      [60_000, 2],
      [60_000, 1],
      [60_000, 1],
      [60_501, 1],
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
    for (let count = 0; count < 3; count++) roomy.window.book('GET /a', 200, 200);
    expect(roomy.window.check(CHARGE, 31_101)).toBeUndefined();
  });

  it('an answer that describes a tighter window counts here, and begins another instance where it was sent past the end', () => {
    const { window } = ended(2);
    window.passOver('GET /b', 9, reading(200, 0));
    expect(window.headroom()).toBe(2);
    window.passOver('GET /a', 9, reading(31_099, 0));
    expect(window.headroom()).toBe(1);
    window.passOver('GET /a', 3, reading(31_100, 0));
    expect(window.headroom()).toBe(3);
    window.passOver('GET /a', 3, reading(31_200, 0, { settledSince: 1 }));
    expect(window.headroom()).toBe(2);
    window.passOver('GET /a', 4, reading(31_300, 0, { settledSince: 1 }));
    expect(window.headroom()).toBe(3);
  });

  it('an answer that describes a tighter window begins each instance anew', () => {
    const { window } = ended(2);
    window.passOver('GET /a', 1, reading(31_100, 0, { settledSince: 1 }));
    expect(window.headroom()).toBe(2);
    window.read('GET /a', 120_000, 30_000, reading(40_000, 3));
    window.passOver('GET /a', 1, reading(80_000, 0, { settledSince: 1 }));
    expect(window.headroom()).toBe(2);
  });
});

describe('without a reset', () => {
  const hear = (window: ResetWindow, sentAt: number, used: number): void =>
    window.read('GET /a', Number.NaN, Number.NaN, reading(sentAt, used));

  it('requests are left to look whether there is more again, ever rarer', () => {
    const { window, flights } = four();
    hear(window, 0, 3);
    expect(window.headroom()).toBe(1);
    const look = (now: number, until: number): void => {
      expect(untilOf(window, CHARGE, now)).toBe(now);
      const flight = flights.take(CHARGE, now);
      window.onSent(flight, now);
      expect(window.check(CHARGE, now)).toMatchObject({ until, isFirm: false });
      flights.end(flight);
      hear(window, now, 4);
    };
    look(200, 600);
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
    expect(window.headroom()).toBe(3);
    expect(untilOf(window, CHARGE, 300)).toBe(300);
  });
});

/** A window of some requests by two endpoints, each answered before the next was sent, a second apart. */
function counting(endpoints: readonly string[], isClockKnown = true): ReturnType<typeof four> {
  const all = four({ isClockKnown });
  for (const [at, endpoint] of endpoints.entries())
    all.window.read(endpoint, 60_000, 60_000, reading(at * 1_000, at + 1));
  return all;
}

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

  it('has counted what was answered before an instant, save for refusals and what is posted late', () => {
    const { window, flights } = counting(['GET /a', 'GET /b']);
    expect([50, 149, 150, 1_150].map((instant) => window.countedBefore(instant))).toEqual([0, 0, 1, 2]);
    window.read('GET /b', 60_000, 57_000, reading(3_000, 4, { limited: true }));
    expect(window.countedBefore(9_000)).toBe(2);
    expect([window.settledSince(1_149), window.settledSince(1_150)]).toEqual([2, 1]);
    flights.take(charge(), 4_000);
    flights.take(charge({ endpoint: 'GET /c' }), 4_000);
    expect([window.held, window.countedAtMost]).toEqual([1, 4]);
    window.read('GET /a', 120_000, 55_000, reading(65_000, 1));
    expect(window.countedBefore(99_000)).toBe(1);
  });

  it('takes what is used for used by others only beyond what is under way', () => {
    const { window } = counting(['GET /a']);
    window.read('GET /a', 60_000, 59_000, reading(1_000, 4, { held: 2 }));
    expect(window.headroom()).toBe(2);
    window.read('GET /a', 60_000, 58_000, reading(2_000, 4, { held: 0 }));
    expect(window.headroom()).toBe(0);
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

describe('an endpoint', () => {
  it('that moves to another window takes along what it was counted for', () => {
    const [one, other] = [counting(['GET /a', 'GET /b', 'GET /b']).window, counting(['GET /c']).window];
    other.take('GET /b', one);
    expect([one.covers('GET /b'), other.covers('GET /b')]).toEqual([false, true]);
    expect([one.countedBefore(9_000), other.countedBefore(9_000)]).toEqual([1, 3]);
    other.take('GET /b');
    expect(other.countedBefore(9_000)).toBe(3);
  });

  it('counts with all others of a window that is found to be the same', () => {
    const [one, other] = [counting(['GET /a']).window, counting(['GET /b', 'GET /c']).window];
    one.absorb(other);
    expect(one.countedBefore(9_000)).toBe(3);
  });
});

describe('a window that never names a reset', () => {
  function unnamed(limit: number, used: number, clock = knownClock()) {
    const flights = new InFlight(10, 9_000);
    const window = new ResetWindow(limit, clock, flights);
    const hear = (sentAt: number, counted: number): void =>
      window.read('GET /a', Number.NaN, Number.NaN, readingsOf(limit, 100)(sentAt, counted));
    hear(0, used);
    /** A request goes, and another asks at once. */
    const look = (now: number, counted = used): number => {
      const flight = flights.take(charge(), now);
      window.onSent(flight, now);
      const until = untilOf(window, charge(), now);
      flights.end(flight);
      hear(now, counted);
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
    const { look } = unnamed(20, used, clock);
    const looks: number[] = [];
    for (let now = 200; now < 70_000; now = look(now)) looks.push(now);
    return looks;
  }

  it('is looked at with each full minute', () => {
    const looks = lookOn(knownClock(), 20);
    expect(looks.slice(0, 8)).toEqual([200, 600, 1_400, 3_000, 6_200, 12_600, 25_400, 51_000]);
    expect(looks).toHaveLength(9);
    expect(looks[8]).toBeCloseTo(60_026, 0);
  });

  it('is looked at as often as at first after a full minute, where requests are left for it', () => {
    const looks = lookOn(knownClock(), 18).slice(8);
    expect(looks.slice(0, 4).map((now) => Math.round((now - (looks[0] ?? 0)) / 100))).toEqual([0, 4, 12, 28]);
  });

  it('is looked at without regard to minutes where the clock of the service is unknown', () => {
    expect(lookOn(new ServerClock(), 18)).toEqual([200, 600, 1_400, 3_000, 6_200, 12_600, 25_400, 51_000]);
  });
});
