import { describe, expect, it } from 'vitest';
import { aligned } from '../../../src/quota/models/aligned.ts';
import { firstRequest } from '../../../src/quota/models/first-request.ts';
import { leaky } from '../../../src/quota/models/leaky.ts';
import { wholeShareLimit } from '../../../src/quota/share-limit.ts';
import type { Period } from '../../../src/quota/time/periods.ts';
import { ServerClock } from '../../../src/quota/time/server-clock.ts';
import { AnsweredRequests } from '../../../src/quota/usage/answered.ts';
import { Concurrency } from '../../../src/quota/usage/concurrency.ts';
import { InFlight } from '../../../src/quota/usage/in-flight.ts';
import { NamedWindow } from '../../../src/quota/window/named-window.ts';
import { PriorityReserve } from '../../../src/quota/window/reserve/priority-reserve.ts';
import { charge, knownClock, readingsOf, untilOf } from '../support/builders.ts';
import { AGE_MS } from '../support/script.ts';

const NEVER = Infinity;

/** A window of ten units that is full since 100 ms, of a service whose clock shows what ours does, and nothing under way. */
function full({ period = 'minute' as Period, limit = 10, used = 10, cheapest = 1, clock = knownClock() } = {}): {
  window: NamedWindow;
  flights: InFlight;
  answered: AnsweredRequests;
  reserve: PriorityReserve;
} {
  const reserve = new PriorityReserve();
  const flights = new InFlight(new Concurrency(20), 9_000);
  const answered = new AnsweredRequests();
  const window = new NamedWindow(period, {
    clock,
    flights,
    costs: { cheapest, isProbing: () => false },
    priorityReserve: reserve,
    answered,
    shareLimit: wholeShareLimit,
  });
  window.onSent(1, 0);
  window.read(readingsOf(limit, 100)(0, used, { own: 0 }));
  return { window, flights, reserve, answered };
}

describe('a full window of which no end was named', () => {
  it('is full until what it holds is older than a window of any shape', () => {
    expect(untilOf(full().window, charge(), 200)).toBeCloseTo(100 + 60_006, 0);
    expect(full().window.check(charge(), 200)?.isFirm).toBe(true);
  });

  it('is so, too, where no answer told the time, whatever shapes are left', () => {
    const { window } = full({ clock: new ServerClock() });
    expect(untilOf(window, charge(), 200)).toBeCloseTo(100 + 60_006, 0);
    window.candidates.adopt({ alive: [aligned], epoch: 0 });
    expect(untilOf(window, charge(), 200)).toBeCloseTo(100 + 60_006, 0);
    expect(window.headroom(200)).toBe(0);
  });
});

it.each([
  [4, 'the minute has 3 of 4 units left and the request takes 3; 1 is reserved'],
  [10, 'the minute has 9 of 10 units left and the request takes 9; 2 are reserved'],
])('of %i units says how many are left, and how many of them are reserved', (limit, why) => {
  const { window, reserve } = full({ limit, used: 1 });
  for (const priority of [0, 9]) reserve.onSent(priority, limit, 0);
  expect(window.check(charge({ units: limit - 1 }), 200)?.reason().why).toBe(why);
});

it('a window holds a request firmly back where it is full but for what is kept for higher priorities', () => {
  const { window, reserve } = full({ used: 1 });
  for (const priority of [0, 9]) reserve.onSent(priority, 10, 0);
  expect(window.check(charge({ units: 9 }), 200)?.isFirm).toBe(true);
});

describe('a full window of which the service named an end', () => {
  const TOLD = 30_500;

  function told(end: number = TOLD): ReturnType<typeof full> {
    const all = full();
    all.window.onNamedReset(end, 0);
    return all;
  }

  it('lets one request of one unit try it', () => {
    const at = untilOf(told().window, charge(), 200);
    expect(at).toBeGreaterThanOrEqual(TOLD);
    expect(at).toBeLessThan(TOLD + 50);
    expect(untilOf(told().window, charge(), at)).toBe(at);
  });

  it('also where what is left of it is kept for higher priorities', () => {
    const { window, reserve } = full({ used: 9 });
    window.candidates.adopt({ alive: [firstRequest, leaky], epoch: 0 });
    window.onNamedReset(5_500, 0);
    for (const priority of [0, 9]) reserve.onSent(priority, 10, 0);
    expect(untilOf(window, charge(), 200)).toBeGreaterThan(200);
    expect(window.check(charge(), 5_600)).toBeUndefined();
  });

  it('a second later where it is a whole second, for it may have been cut', () => {
    const at = untilOf(told(30_000).window, charge(), 200);
    expect(at).toBeGreaterThanOrEqual(31_000);
    expect(at).toBeLessThan(31_050);
  });

  it('but no request that costs more, for a log frees no more than its oldest unit', () => {
    expect(untilOf(told().window, charge({ units: 2 }), 200)).toBeGreaterThan(60_000);
  });

  it('nor while something is under way that may take its place', () => {
    const { window, flights } = told();
    flights.take(charge(), 200);
    expect(untilOf(window, charge(), 300)).toBeGreaterThan(60_000);
  });

  it('nor a second one, for the word was given before the first was sent', () => {
    const { window } = told();
    window.onSent(1, TOLD + 60);
    window.book(1, TOLD + 60, TOLD + 90);
    expect(untilOf(window, charge(), TOLD + 100)).toBeGreaterThan(60_000);
  });

  it('nor where the word was given to a request before the last', () => {
    const { window } = full();
    window.onSent(1, 150);
    window.onNamedReset(TOLD, 0);
    expect(untilOf(window, charge(), 200)).toBeGreaterThan(60_000);
  });

  it('nor an end that had passed when the request was sent', () => {
    const { window } = full();
    window.onNamedReset(-500, 0);
    expect(untilOf(window, charge(), 200)).toBeGreaterThan(60_000);
  });
});

describe('a window that what is under way may have filled', () => {
  it('is asked again when that must have arrived, and may be free as soon as something comes back', () => {
    const { window, flights } = full({ used: 0 });
    for (const now of [200, 300]) flights.take(charge({ units: 5 }), now);
    expect(untilOf(window, charge(), 400)).toBe(200 + AGE_MS);
    expect(window.check(charge(), 400)?.isFirm).toBe(false);
    expect(window.headroom(400)).toBe(0);
  });
});

describe('a window of seconds', () => {
  it('is spent evenly while its shape is in doubt, once half of it was sent', () => {
    const { window } = full({ period: 'second', used: 0 });
    expect(untilOf(window, charge(), 10)).toBe(10);
    window.onSent(4, 0);
    expect(untilOf(window, charge(), 10)).toBe(100);
    expect(untilOf(window, charge({ units: 3 }), 10)).toBe(300);
  });

  it('learns no end from a reset: a whole second says nothing of it', () => {
    const { window } = full({ period: 'second' });
    window.onNamedReset(1_000, 0);
    expect(untilOf(window, charge(), 200)).toBeGreaterThan(1_100);
  });
});

describe('a window', () => {
  it('of nothing is never open', () => {
    expect(untilOf(full({ limit: 0, used: 0 }).window, charge(), 200)).toBe(NEVER);
    expect(full({ limit: 0, used: 0 }).window.check(charge(), 200)?.isFirm).toBe(true);
  });

  it('is too small for a cost that is stated once such a request was refused, and says so', () => {
    const { window } = full({ used: 0 });
    expect(window.excess(10, 200)).toBeUndefined();
    window.onExcess(12, 200);
    expect(window.excess(12, 300)).toMatchObject({ window: 'minute', limit: 10, headroom: 10 });
    expect(window.excess(12, 300)?.why).toBe('the request takes 12 units, and the minute never holds more than 10');
  });

  it('may be the one that the headers of every API describe if it has their limit and may end when they say', () => {
    const { window } = full();
    expect(window.matches(10, 60_000, 200)).toBe(true);
    expect(window.matches(11, 60_000, 200)).toBe(false);
    expect(window.matches(10, 3_600_000, 200)).toBe(false);
  });
});

describe('a window of which another consumer was seen to take units', () => {
  it('keeps a shape that does not explain what they took: another may explain it by chance', () => {
    const { window } = full({ limit: 100, used: 0 });
    const reading = readingsOf(100, 100);
    window.read(reading(58_000, 90));
    // Sixty of a new minute, or the rest of the ninety of the last sixty seconds.
    window.read(reading(61_000, 60));
    expect(window.candidates.alive.map(({ shape }) => shape.name)).toContain('aligned');
  });
});

describe('a request that costs more than a whole window', () => {
  const least = (units: number, refused: number, now: number): number => {
    const { window } = full({ used: 0 });
    window.onExcess(refused, 1_000);
    return untilOf(window, charge({ units: 10, least: units }), now);
  };

  it('is held back for an hour after one was refused for its cost', () => {
    expect([least(11, 11, 3_600_999), least(11, 11, 3_601_000)]).toEqual([NEVER, 3_601_000]);
  });

  it('is not held back where it takes just the window, or where no more than that was refused', () => {
    expect([least(10, 11, 2_000), least(11, 10, 2_000)]).toEqual([2_000, 2_000]);
  });
});

describe('a window and a reset that names no window', () => {
  it('are the same up to a period and a second past its end', () => {
    const { window } = full();
    expect([121_000, 121_001].map((resetAt) => window.matches(10, resetAt, 200))).toEqual([true, false]);
    expect(window.matches(11, 60_000, 200)).toBe(false);
  });
});

describe('whether a window is used by us alone', () => {
  it('is seen by the first reading of a second that is not full, and not by that of a minute', () => {
    const isAlone = (period: Period, used: number): boolean => full({ period, used }).window.isAlone;
    expect([isAlone('second', 5), isAlone('second', 10), isAlone('minute', 5)]).toEqual([false, true, true]);
  });

  it.each([
    ['a refusal', 10, {}, false],
    ['a refusal that was expected', 10, { isExempt: true }, true],
    ['a refusal while something was left', 9, {}, true],
  ])('is seen by %s', (_, used, more, isAlone) => {
    const { window } = full();
    const refusal = readingsOf(10, 100)(1_000, used, { limited: true, own: 0, ...more });
    window.read(refusal);
    expect(window.isAlone).toBe(isAlone);
  });
});

it('has the shapes that its readings leave, of which some decide', () => {
  const { window, answered: past } = full({ used: 0 });
  window.book(5, 1_000, 1_100);
  past.add(1_000, 1_100, 5, 5);
  window.read(readingsOf(10, 100)(32_000, 1));
  const alive = window.candidates.alive.map(({ shape }) => shape.name);
  expect(alive).toContain('leaky');
  expect(alive).not.toContain('aligned');
  for (const { name } of window.shapes) expect(alive).toContain(name);
  expect(window.shapes).not.toHaveLength(0);
});
