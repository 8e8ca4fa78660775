import { describe, expect, it } from 'vitest';
import { aligned } from '../../../src/quota/models/aligned.ts';
import { SHAPES } from '../../../src/quota/models/all.ts';
import type { Shape, WindowReading } from '../../../src/quota/models/model.ts';
import { slidingLog } from '../../../src/quota/models/sliding-log.ts';
import { type ShareLimit, wholeShareLimit } from '../../../src/quota/share-limit.ts';
import type { Period } from '../../../src/quota/time/periods.ts';
import { ServerClock } from '../../../src/quota/time/server-clock.ts';
import { AnsweredRequests } from '../../../src/quota/usage/answered.ts';
import { Concurrency } from '../../../src/quota/usage/concurrency.ts';
import { InFlight } from '../../../src/quota/usage/in-flight.ts';
import { NamedWindow } from '../../../src/quota/window/named-window.ts';
import { PriorityReserve } from '../../../src/quota/window/reserve/priority-reserve.ts';
import { charge, knownClock, readingsOf, untilOf } from '../support/builders.ts';

const NEVER = Infinity;
const MINUTE_MS = 60_000;

interface Facts {
  readonly period?: Period;
  readonly limit?: number;
  readonly cheapest?: number;
  readonly clock?: ServerClock;
  readonly shapes?: readonly Shape[];
  readonly share?: Partial<ShareLimit>;
}

/** A window of ten units by a reading of 1 s, and nothing under way. */
function ten(
  used: number,
  { period = 'minute', limit = 10, cheapest = 1, clock = knownClock(), shapes = SHAPES, share = {} }: Facts = {},
) {
  const flights = new InFlight(new Concurrency(20), 9_000_000);
  const shareLimit = { ...wholeShareLimit, ...share };
  const priorityReserve = new PriorityReserve();
  const window = new NamedWindow(period, {
    clock,
    flights,
    costs: { cheapest, isProbing: () => false },
    priorityReserve,
    answered: new AnsweredRequests(),
    shareLimit,
    shapes,
  });
  const read = (sentAt: number, units: number, more?: Partial<WindowReading>): void =>
    window.read(readingsOf(limit, 100)(sentAt, units, more));
  read(1_000, used, { own: 0 });
  return { window, flights, read };
}

describe('a window says of itself', () => {
  it('what it was read to hold, and when', () => {
    const { window, read } = ten(5);
    read(5_000, 6);
    expect([window.seenAt, window.limit, window.remaining]).toEqual([5_000, 10, 4]);
  });

  it('why it holds a request back', () => {
    const why = (window: NamedWindow, units: number) =>
      window.check(charge({ units, isStated: true }), 1_200)?.reason().why;
    expect(why(ten(0, { limit: 0 }).window, 0)).toBe(
      "the minute has a limit of 0 units, by the service's latest headers",
    );
    expect(why(ten(0).window, 11)).toBe('the request takes 11 units, and the minute never holds more than 10');
    const second = ten(0, { period: 'second' }).window;
    second.onSent(4, 1_180);
    expect(why(second, 1)).toBeUndefined();
    second.onSent(1, 1_190);
    expect(why(second, 1)).toBe('requests are spaced in the second (10 units) until its shape is known');
    expect(why(second, 10)).toBe('requests are spaced in the second (10 units) until its shape is known');
    const besideOthers = ten(2, { period: 'second' }).window;
    besideOthers.onSent(1, 1_190);
    expect(why(besideOthers, 1)).toBe('requests are spaced in the second (10 units) as others use it, too');
    const { window, flights, read } = ten(4, { shapes: [aligned] });
    for (let nth = 0; nth < 3; nth++) flights.take(charge({ units: 1 }), 1_150);
    read(1_160, 7, { own: 0, held: 3, receivedAt: 1_170 });
    expect(why(window, 1)).toBe('others may have used what is left of the minute: the next answer shows it');
    expect(why(window, 3)).toBe('others may have used what is left of the minute: the next answer shows it');
    expect(why(window, 5)).toMatch(/ of 10 units left and the request takes 5$/);
    expect(why(ten(10, { shapes: [aligned] }).window, 1)).toBe(
      'the minute has 0 of 10 units left and the request takes 1',
    );
  });
});

describe('a request that does not fit what is left', () => {
  const held = (used: number, units: number, cheapest = 1) =>
    ten(used, { cheapest, shapes: [aligned] }).window.check(charge({ units }), 1_200);

  it('may be passed by cheaper ones that fit, where there are such and room for them', () => {
    expect(held(7, 5)?.passableUnits).toBe(5);
    expect(held(10, 5)).toBeDefined();
    expect(held(10, 5)?.passableUnits).toBeUndefined();
    expect(held(7, 5, 4)?.passableUnits).toBeUndefined();
    expect(held(6, 5, 4)?.passableUnits).toBe(5);
    expect(held(5, 6, 6)?.passableUnits).toBeUndefined();
  });

  it('is passed by none where it fits within a fiftieth of the window', () => {
    const { window } = ten(7, { shapes: [aligned] });
    const passable = [58_700, 58_900].map((now) => window.check(charge({ units: 5 }), now)?.passableUnits);
    expect(passable).toEqual([5, undefined]);
  });

  it('is passed by none where an answer may free its units', () => {
    const { window, flights } = ten(0, { shapes: [aligned] });
    flights.take(charge({ units: 8 }), 1_150);
    expect(window.check(charge({ units: 5 }), 1_200)).toMatchObject({ isFirm: false });
    expect(window.check(charge({ units: 5 }), 1_200)?.passableUnits).toBeUndefined();
  });

  it('is not delayed by those that pass it', () => {
    const { window } = ten(7, { shapes: [aligned] });
    const until = untilOf(window, charge({ units: 9 }), 1_200);
    expect(until).toBeGreaterThan(59_000);
    expect(untilOf(window, charge({ units: 3 }), 1_200)).toBe(1_200);
    const log = ten(7, { shapes: [slidingLog] }).window;
    const freed = untilOf(log, charge({ units: 9 }), 1_200);
    expect(untilOf(log, charge({ units: 1 }), 1_200)).toBe(1_200);
    expect(untilOf(log, charge({ units: 2 }), 1_200)).toBe(freed);
    expect(log.check(charge({ units: 2 }), 1_200)?.reason().why).toBe(
      'the minute has 3 of 10 units left, which a larger request waits for',
    );
  });
});

it('a window of the calendar ends when the calendar says, whatever end is named', () => {
  const { window } = ten(10, { shapes: [aligned] });
  window.onNamedReset(30_500, 1_000);
  expect(untilOf(window, charge(), 30_600)).toBeGreaterThan(MINUTE_MS);
});

it('a month that is said to end thirty days after the 1st ends with the month of the calendar', () => {
  const day = 24 * 60 * MINUTE_MS;
  const { window } = ten(10, { period: 'month' });
  window.onNamedReset(30 * day, 1_000);
  expect(untilOf(window, charge(), 1_200)).toBeGreaterThan(31 * day);
  expect(untilOf(window, charge(), 1_200)).toBeLessThan(31 * day + 10 * MINUTE_MS);
});

describe('a limit of no units', () => {
  it('is tried by one request after a window, while nothing is under way', () => {
    const { window, flights } = ten(0, { limit: 0 });
    expect(untilOf(window, charge(), 1_000 + MINUTE_MS - 1)).toBe(NEVER);
    expect(window.check(charge(), 1_000 + MINUTE_MS)).toBeUndefined();
    flights.take(charge(), 1_000 + MINUTE_MS);
    expect(untilOf(window, charge(), 1_000 + MINUTE_MS)).toBe(NEVER);
  });
});

describe('a request of more units than the window holds', () => {
  const stated = charge({ units: 12, isStated: true });

  it('never goes where its cost is stated, until such a request was served', () => {
    const { window, read } = ten(0, { shapes: [aligned] });
    expect(window.check(stated, 1_200)).toMatchObject({ until: NEVER, isFirm: true });
    expect(window.check(charge({ units: 12 }), 1_200)).toBeUndefined();
    expect(window.check(charge({ units: 10, isStated: true }), 1_200)).toBeUndefined();
    read(1_300, 0, { own: 12, limited: true });
    read(1_300, 0, { own: 10 });
    expect(untilOf(window, stated, 1_500)).toBe(NEVER);
    read(1_600, 0, { own: 12 });
    expect(window.check(stated, 1_800)).toBeUndefined();
  });
});

describe('a window whose units the share grants', () => {
  it('holds back no request by its own count', () => {
    expect(ten(10, { share: { covers: () => true } }).window.check(charge(), 1_200)).toBeUndefined();
    expect(ten(10).window.check(charge(), 1_200)).toBeDefined();
  });
});

describe('a refusal that no shape of a window predicts', () => {
  const PERIODS_MS = 61_000;

  /** How many shapes are candidates after some refusals, of one that was left: each with nine of ten units used, of a request of two. */
  function candidates(refusals: readonly number[], more: Partial<WindowReading> = {}, share = {}): number {
    const { window, read } = ten(9, { share });
    window.candidates.adopt({ alive: [aligned], epoch: 0 });
    for (const sentAt of refusals) read(sentAt, 9, { own: 2, limited: true, ...more });
    return window.candidates.alive.length;
  }

  it('brings all shapes back when it is the second', () => {
    expect(candidates([1_000])).toBe(1);
    expect(candidates([1_000, 2_000])).toBe(5);
  });

  it('is none where it was expected, or the request did fit, or it was none at all', () => {
    expect(candidates([1_000, 2_000], { isExempt: true })).toBe(1);
    expect(candidates([1_000, 2_000], { own: 1 })).toBe(1);
    expect(candidates([1_000, 2_000], { limited: false })).toBe(1);
  });

  it('counts beside siblings only in another window soon after one before, and where they have not overdrawn', () => {
    const shared = { isShared: true };
    const every = (ms: number, times = 4) => Array.from({ length: times }, (_, at) => 1_000 + at * ms);
    expect(candidates(every(PERIODS_MS), {}, shared)).toBe(5);
    expect(candidates(every(PERIODS_MS, 2), {}, shared)).toBe(1);
    expect(candidates(every(10_000, 6), {}, shared)).toBe(1);
    expect(candidates(every(MINUTE_MS, 2), {}, shared)).toBe(1);
    expect(candidates(every(10 * MINUTE_MS), {}, shared)).toBe(1);
    expect(candidates([1_000, 31_000, 62_000, 92_000, 123_000], {}, shared)).toBe(5);
    expect(candidates(every(PERIODS_MS), {}, { ...shared, isOverdrawn: () => true })).toBe(1);
    expect(candidates([1_000, 2_000], {}, { isOverdrawn: () => true })).toBe(1);
    // For twenty minutes; if refusals go on, the shape is in doubt.
    const overdrawn = { ...shared, isOverdrawn: () => true };
    expect([21, 23].map((times) => candidates(every(PERIODS_MS, times), {}, overdrawn))).toEqual([1, 5]);
    const isOverdrawn = (_: Period, now: number): boolean => now !== 611_100;
    expect(candidates(every(PERIODS_MS, 23), {}, { ...shared, isOverdrawn })).toBe(1);
  });
});

describe('a refusal where the service shows no clock', () => {
  it('spaces requests for an estimate that cannot be located, and shows no other consumer', () => {
    const { window, read } = ten(0, { period: 'second', clock: new ServerClock() });
    window.book(10, 3_000, 3_100);
    read(3_900, 10, { limited: true });
    window.onSent(1, 6_000);
    expect(untilOf(window, charge(), 6_010)).toBeCloseTo(6_000 + 1_000 / 9, 6);
  });
});

describe('a window that others may have filled while something is under way', () => {
  /** Until when a unit is held back a window later than a reading that left one, while one is under way. */
  function heldLater(more: Facts = {}, units = 1): number {
    const { window, flights } = ten(9, more);
    if (units > 0) flights.take(charge({ units }), 70_000);
    return untilOf(window, charge(), 70_010);
  }

  it('waits for an answer, where a shape does not drain', () => {
    expect(heldLater()).toBe(73_000);
    expect(heldLater({ shapes: [aligned] })).toBe(73_000);
    expect(heldLater({}, 0)).toBe(70_010);
    expect(heldLater({ shapes: [slidingLog] })).toBe(70_010);
    expect(heldLater({ shapes: [aligned], share: { isShared: true } })).toBe(70_010);
  });
});

describe('a request that may cost less than is held for it', () => {
  it('is spaced by what it is likely to cost', () => {
    const { window } = ten(0, { period: 'second' });
    window.onSent(5, 1_100);
    expect(untilOf(window, charge({ units: 5 }), 1_110)).toBe(1_600);
    expect(untilOf(window, charge({ units: 5, likely: 2 }), 1_110)).toBe(1_300);
    expect(untilOf(window, charge({ units: 2, likely: 5 }), 1_110)).toBe(1_300);
  });
});

describe('a minute of a hundred units of which others took forty at once', () => {
  const HUNDRED = { limit: 100 } as const;

  function beside(share: Partial<ShareLimit> = {}) {
    const all = ten(0, { ...HUNDRED, share });
    all.read(5_000, 40, { own: 0 });
    return all.window;
  }

  it('says that units are reserved for them, and not that they may have used what is left while something is under way', () => {
    const { window, flights, read } = ten(0, HUNDRED);
    read(5_000, 40, { own: 0 });
    flights.take(charge(), 5_150);
    expect(window.check(charge({ units: 50 }), 6_000)?.reason().why).toMatch(/request takes 50; 50 are reserved$/);
  });

  it('is looked at again after a fiftieth of it, where what they may take unseen holds a request back', () => {
    expect(untilOf(beside(), charge({ units: 20 }), 6_000)).toBe(7_200);
    expect(beside({ isShared: true }).check(charge({ units: 20 }), 6_000)).toBeUndefined();
  });

  it('is not reserved for them alone: the client takes its part of what they are left', () => {
    // Twenty units are our part of 24 s, and 40 are over.
    expect(beside().check(charge({ units: 20 }), 40_000)).toBeUndefined();
  });

  it('leaves them something after a refusal by a full window, unless siblings may have filled that', () => {
    const heldAfter = (used: number, share: Partial<ShareLimit> = {}) => {
      const { window, read } = ten(0, { ...HUNDRED, share, shapes: [aligned] });
      read(5_000, used, { own: 0, limited: true });
      read(70_000, 0, { own: 0 });
      window.book(3, 70_100, 70_150);
      return window.check(charge({ units: 95 }), 70_200);
    };
    expect(heldAfter(100)).toBeDefined();
    expect(heldAfter(100, { isShared: true })).toBeUndefined();
  });
});

describe('a minute that others fill', () => {
  it('is none of those that slide or drain once it counts less than those can hold: nothing is free before it ends', () => {
    const { window, read } = ten(1, { limit: 500 });
    const look = (sentAt: number, used: number): void => {
      read(sentAt, used, { limit: 500, receivedAt: sentAt + 100 });
    };
    look(1_200, 1);
    look(30_000, 300);
    look(59_000, 480);
    expect(window.shapes.map(({ name }) => name)).toContain('sliding-log');
    look(60_900, 40);
    look(85_000, 480);
    expect(window.shapes.every(({ onlyFills }) => onlyFills)).toBe(true);
    // A log would have forgotten what was counted until half a minute ago.
    expect(window.headroom(118_000)).toBeLessThanOrEqual(20);
  });
});

describe('a window that is half used', () => {
  it('keeps units for a request past its end, and for a request after a rest', () => {
    const { window, read } = ten(49, { limit: 100 });
    window.onSent(15, 1_050);
    window.book(16, 1_050, 1_150);
    read(1_050, 65);
    expect(window.check(charge({ units: 18 }), 1_300)?.reason().why).toMatch(/; 20 are reserved$/);
  });

  it('keeps none from a charge that exceeds what is kept, as it cannot be such a request', () => {
    const { window, read } = ten(49, { limit: 100 });
    window.onSent(1, 1_050);
    window.book(1, 1_050, 1_150);
    read(1_050, 50);
    expect(window.check(charge({ units: 50 }), 1_300)).toBeUndefined();
  });
});

describe('a minute of a service without a date', () => {
  it('is spent evenly after a refusal that no shape predicts', () => {
    const { window, read } = ten(9, { clock: new ServerClock() });
    window.onSent(1, 2_000);
    expect(window.check(charge(), 2_500)).toBeUndefined();
    read(2_000, 9, { own: 2, limited: true });
    expect(untilOf(window, charge(), 2_500)).toBeCloseTo(2_000 + MINUTE_MS / 9, 6);
  });
});
