import { describe, expect, it } from 'vitest';
import { aligned } from '../../../src/quota/models/aligned.ts';
import { firstRequest } from '../../../src/quota/models/first-request.ts';
import { leaky } from '../../../src/quota/models/leaky.ts';
import type { Shape } from '../../../src/quota/models/model.ts';
import { slidingCounter } from '../../../src/quota/models/sliding-counter.ts';
import { slidingLog } from '../../../src/quota/models/sliding-log.ts';
import { wholeShareLimit } from '../../../src/quota/share-limit.ts';
import type { Period } from '../../../src/quota/time/periods.ts';
import { ServerClock } from '../../../src/quota/time/server-clock.ts';
import { AnsweredRequests } from '../../../src/quota/usage/answered.ts';
import { Concurrency } from '../../../src/quota/usage/concurrency.ts';
import { InFlight } from '../../../src/quota/usage/in-flight.ts';
import { NamedWindow } from '../../../src/quota/window/named-window.ts';
import { PriorityReserve } from '../../../src/quota/window/reserve/priority-reserve.ts';
import { charge, knownClock, readingsOf, untilOf } from '../support/builders.ts';

interface Facts {
  readonly period?: Period;
  readonly limit?: number;
  readonly shapes?: readonly Shape[];
  readonly clock?: ServerClock;
}

/** A window of these shapes, and its readings: when each request was sent, and what was used then; nothing of it by us. */
function windowOf({ period = 'minute', limit = 100, shapes = [aligned], clock = knownClock() }: Facts = {}) {
  const flights = new InFlight(new Concurrency(20), 9_000_000);
  const answered = new AnsweredRequests();
  const window = new NamedWindow(period, {
    ...{ clock, flights, priorityReserve: new PriorityReserve(), answered },
    costs: { cheapest: 1, isProbing: () => false },
    shareLimit: wholeShareLimit,
    shapes,
  });
  const read = (sentAt: number, used: number, held = 0, tookMs = 100, own = 0): void =>
    window.read(readingsOf(limit, tookMs)(sentAt, used, { own, held }));
  return { window, read, flights, answered };
}

/** The most units that a request may take that goes now: it is spaced by what it likely costs, which is nothing. */
function room(window: NamedWindow, now: number): number {
  let units = 0;
  while (units < window.limit && !window.check(charge({ units: units + 1, likely: 0 }), now)) units++;
  return units;
}

describe('what other consumers take of a minute', () => {
  /** The room at 65 s, where they took five units of half of the minute before, and ten of the next one. */
  function roomInNext(facts: Facts = {}): number {
    const { window, read } = windowOf(facts);
    read(1_000, 0);
    read(30_000, 5);
    read(64_000, 10);
    return room(window, 65_000);
  }

  it('is more where the calendar has begun a minute since: all of it came then', () => {
    expect(roomInNext()).toBeLessThan(55);
    expect(roomInNext({ shapes: [slidingLog] })).toBeGreaterThan(63);
    expect(roomInNext({ shapes: [slidingLog], clock: new ServerClock() })).toBeGreaterThan(63);
  });

  it.each([
    ['was under way when it began', 59, 1],
    ['is the first that it counts, although by the clock it may not have begun', 1, 2],
  ])('is as usual at the start of a minute where a request %s', (_, used, later) => {
    const clock = new ServerClock();
    clock.observe(0, 0, 100);
    const { window, read } = windowOf({ clock });
    for (let sentAt = 1_000; sentAt < 60_000; sentAt += 1_000) read(sentAt, sentAt / 1_000);
    read(59_950, used, 0, 200);
    read(60_200, later);
    expect(room(window, 60_400)).toBeLessThan(50);
  });

  it('is not less because they could take nothing while the minute was full', () => {
    const { window, read } = windowOf();
    read(1_000, 0);
    read(5_000, 2);
    window.book(98, 6_000, 6_050);
    read(6_100, 100);
    read(50_000, 100);
    read(61_000, 1);
    expect(room(window, 62_000)).toBeLessThan(75);
  });

  it('may hide beneath more than a two-hundredth of the limit that is under way', () => {
    const roomBeside = (held: number): number => {
      const { window, read } = windowOf({ limit: 1_000 });
      read(1_000, 0);
      read(5_000, 20);
      for (const sentAt of [5_500, 6_000, 6_500, 7_000]) read(sentAt, 20, held);
      return room(window, 8_000);
    };
    expect(roomBeside(5)).toBe(roomBeside(0));
    expect(roomBeside(6)).toBeLessThan(roomBeside(5));
  });

  it('is more where answers take longer: so much comes before a request of ours arrives', () => {
    const roomAfter = (tookMs: number): number => {
      const { window, read } = windowOf();
      for (const [sentAt, used] of [
        [1_000, 0],
        [30_000, 20],
        [50_000, 40],
      ] as const)
        read(sentAt, used, 0, tookMs);
      return room(window, 59_000);
    };
    expect(roomAfter(4_000)).toBeLessThan(roomAfter(100));
  });

  it('is not less by what a cache has answered before an earlier answer', () => {
    const roomAfter = (cached: number): number => {
      const { window, read } = windowOf();
      read(1_000, 0);
      window.onCached(cached);
      read(2_000, 0);
      read(5_000, 12);
      return room(window, 10_000);
    };
    expect(roomAfter(10)).toBe(roomAfter(0));
  });
});

it('what other consumers take of a second is a rate since the answer before, whichever second that was', () => {
  const { window, read } = windowOf({ period: 'second' });
  for (const [sentAt, used] of [
    [1_000, 0],
    [1_100, 2],
    [2_300, 30],
  ] as const)
    read(sentAt, used);
  expect(room(window, 2_900)).toBeGreaterThan(35);
});

it('the first answer of a second that counts its own request alone shows no other consumer', () => {
  const { window } = windowOf({ period: 'second' });
  window.read(readingsOf(100, 100)(1_000, 1));
  expect(window.isAlone).toBe(true);
});

it('the first answer of a full second shows others only if the minute counts no more: else they may have gone', () => {
  const isAlone = (usedOfMinute: number): boolean => {
    const { window } = windowOf({ period: 'second', limit: 20 });
    window.read(readingsOf(20, 100)(1_000, 20), { used: usedOfMinute });
    return window.isAlone;
  };
  expect([20, 21].map(isAlone)).toEqual([false, true]);
});

describe('a minute of which others took half in its first seconds', () => {
  function half() {
    const all = windowOf();
    all.read(1_000, 0);
    all.read(5_000, 50);
    return all;
  }

  it('has room in what is kept for them for a request whose turn has come by our part of it', () => {
    // Twenty units are our part of 24 s.
    expect(untilOf(half().window, charge({ units: 20 }), 23_500)).toBeCloseTo(24_000, -2);
    expect(half().window.check(charge({ units: 20 }), 24_500)).toBeUndefined();
  });

  it('has none for it where they may have taken that unseen', () => {
    expect(untilOf(half().window, charge({ units: 45 }), 55_000)).toBe(56_200);
  });

  it('is not waited for while one is under way and more is left than they may have taken since', () => {
    const until = (now: number): number => {
      const { window, flights } = half();
      flights.take(charge(), now - 10);
      return untilOf(window, charge(), now);
    };
    expect(until(5_200)).toBe(5_200);
    expect(until(12_000)).toBeGreaterThan(12_000);
  });
});

it('a window that slides keeps for others no more than they may take by chance, once it is neither one of the calendar nor an estimate from such', () => {
  const roomOf = (...shapes: readonly Shape[]): number => {
    const { window, read } = windowOf({ shapes });
    read(1_000, 0);
    read(10_000, 20);
    return room(window, 11_000);
  };
  expect(roomOf(slidingLog, firstRequest)).toBeGreaterThan(roomOf(slidingLog, aligned));
  expect(roomOf(slidingLog, firstRequest)).toBe(roomOf(slidingLog));
  expect(roomOf(slidingLog, slidingCounter)).toBeLessThan(roomOf(slidingLog));
});

describe('after a time without readings, when half of a minute may have been taken', () => {
  /** When a second request may go, sent so long after the reading that left 60 units of 100. */
  const waits = (ms: number, facts: Facts = {}): boolean => {
    const { window, read, flights } = windowOf(facts);
    read(1_000, 38, 0, 100, 38);
    read(2_000, 40);
    flights.take(charge({ units: 30 }), 2_000 + ms);
    return untilOf(window, charge(), 2_000 + ms) > 2_000 + ms;
  };

  it('one request goes, and the others wait for its answer if they may not fit', () => {
    for (const shape of [slidingLog, aligned]) {
      expect(waits(15_000, { shapes: [shape] })).toBe(false);
      expect(waits(45_000, { shapes: [shape] })).toBe(true);
    }
  });
});

it('one request goes before others, too, where room that a log has again may still be used up in a bucket', () => {
  const isHeld = (...shapes: readonly Shape[]): boolean => {
    const { window, flights, answered } = windowOf({ shapes });
    const reading = readingsOf(100, 20);
    window.read(reading(0, 60, { own: 60 }));
    answered.add(0, 20, 60, 60);
    window.read(reading(60_000, 96));
    flights.take(charge(), 61_000);
    return window.check(charge({ units: 10 }), 61_000) !== undefined;
  };
  expect(isHeld(slidingLog)).toBe(false);
  expect(isHeld(slidingLog, leaky)).toBe(true);
});

it.each([
  ['waited', true],
  ['had nothing to send', false],
])(
  'beside a request under way a second one waits for its answer by what others took while this client %s: %s',
  (_, isWaiting) => {
    const { window, read, flights } = windowOf({ shapes: [slidingLog] });
    read(1_000, 0);
    const large = flights.take(charge({ units: 60 }), 1_200);
    if (isWaiting) expect(window.check(charge({ units: 60 }), 1_200)).toBeDefined();
    flights.end(large);
    read(30_000, 40, 0, 100, 5);
    flights.take(charge({ units: 6 }), 30_200);
    expect(window.check(charge(), 30_200) !== undefined).toBe(isWaiting);
  },
);

describe('our spacing in a second that others used a while ago', () => {
  /** The spacing after twelve seconds whose readings our own books explain, where so much of them was answered to us, or is under way. */
  function spacing(answered: number, held = 0): number {
    const { window, answered: past } = windowOf({ period: 'second', limit: 20, shapes: [slidingLog] });
    const reading = readingsOf(20, 50);
    for (const sentAt of [1_000, 1_500]) window.read(reading(sentAt, 8, { own: 0 }));
    for (let sentAt = 2_000; sentAt <= 14_000; sentAt += 250) {
      window.book(2, sentAt - 10, sentAt - 10);
      past.add(sentAt - 20, sentAt - 10, answered, answered);
      window.read(reading(sentAt, 8, { own: 0, held }));
    }
    window.onSent(1, 14_100);
    return untilOf(window, charge(), 14_101) - 14_100;
  }

  it('ends once readings count no more than we have sent in a second, and not while they do', () => {
    expect(spacing(2)).toBeLessThan(60);
    expect(spacing(0, 8)).toBeLessThan(60);
    expect(spacing(1)).toBeGreaterThan(70);
    expect(spacing(0, 7)).toBeGreaterThan(70);
  });
});

describe('the second request beside others', () => {
  const second = { period: 'second', limit: 20 } as const;
  const first = readingsOf(20, 100)(1_000, 10);

  it('is spaced from the first, whose answer showed that they are there: nothing was known when it was sent', () => {
    const { window } = windowOf(second);
    window.read(first);
    expect(untilOf(window, charge(), 1_150)).toBe(1_500);
  });

  it('is spaced by four times as much where the minute counts no more than the second: all began together', () => {
    const { window } = windowOf(second);
    window.read(first, { used: 10 });
    expect(untilOf(window, charge(), 1_150)).toBeCloseTo(3_000);
  });
});

it('our spacing beside others follows how full a second of the calendar is at its end, by when readings are of', () => {
  const spacing = (early: number, late: number): number => {
    const { window, read } = windowOf({ period: 'second', limit: 20 });
    for (let second = 1; second < 25; second++) {
      read(second * 1_000 + 250, early);
      read(second * 1_000 + 750, late);
    }
    window.onSent(1, 25_000);
    return untilOf(window, charge(), 25_001) - 25_000;
  };
  expect(spacing(6, 16)).toBeGreaterThan(1.3 * spacing(11, 11));
});
