import { describe, expect, it } from 'vitest';
import { ServerClock } from '../../../src/quota/time/server-clock.ts';
import type { InFlight } from '../../../src/quota/usage/in-flight.ts';
import { BulkReserve, type BulkReservePolicy } from '../../../src/quota/window/bulk-reserve.ts';
import type { NamedWindow } from '../../../src/quota/window/named-window.ts';
import { charge } from '../support/builders.ts';

const DAY_MS = 86_400_000;
const JANUARY = Date.UTC(2026, 0);
const FEBRUARY = Date.UTC(2026, 1);
/** Ten days of January are over at 1 s, by a clock that is known to the millisecond. */
const NOW = 1_000;

function clockOf(): ServerClock {
  const clock = new ServerClock();
  const lead = JANUARY + 10 * DAY_MS - NOW;
  clock.narrow(lead, lead, NOW);
  return clock;
}

/** A window of a hundred units in which a charge fits below the cap at an instant, and sooner if nothing is under way. */
function windowOf(
  period: 'minute' | 'month',
  fits: (units: number, cap: number, held: number) => number,
  spent = 0,
): NamedWindow {
  const earliest = (units: number, held: number, cap: number) => fits(units, cap, held);
  return {
    period,
    limit: 100,
    headroom: () => 7,
    capacity: { spent: () => spent, earliest },
  } as unknown as NamedWindow;
}

function reserve(
  windows: readonly NamedWindow[],
  { held = 0, clock = clockOf(), ...policy }: Partial<BulkReservePolicy> & { held?: number; clock?: ServerClock } = {},
): BulkReserve {
  const flights = { units: held, nextAge: () => 4_000 } as unknown as InFlight;
  return new BulkReserve(
    { forPriorityAbove: 0, share: {}, spreadMonthUntil: undefined, ...policy },
    windows,
    flights,
    clock,
  );
}

describe('the part of a window that bulk work leaves', () => {
  const share = { minute: 0.25 };

  it('holds it back until it fits below the rest, and lets calls of higher priority and free ones pass', () => {
    const asked: number[][] = [];
    const window = windowOf('minute', (...given) => {
      asked.push(given);
      return 9_000;
    });
    const limit = reserve([window], { share, held: 3 });
    expect(limit.check(charge({ units: 60 }), NOW)).toMatchObject({
      ...{ until: 9_000, isFirm: true, mayEndOnAnswer: true, scope: 'all', yieldsToPriority: true },
    });
    expect(asked).toEqual([
      [60, 75, 3],
      [60, 75, 0],
    ]);
    // A charge larger than the window goes alone.
    limit.check(charge({ units: 200 }), NOW);
    expect(asked[2]).toEqual([100, 100, 3]);
    expect(limit.check(charge({ priority: 1 }), NOW)).toBeUndefined();
    expect(limit.check(charge({ units: 0 }), NOW)).toBeUndefined();
    expect(reserve([window], { share: { minute: 0 } }).check(charge(), NOW)).toBeUndefined();
    expect(reserve([window], { share: { hour: 0.5 } }).check(charge(), NOW)).toBeUndefined();
  });

  it('is awaited by an answer where time alone frees nothing, and no longer than a request may be under way', () => {
    const window = windowOf('minute', (_units, _cap, held) => (held > 0 ? Infinity : NOW));
    const limit = reserve([window], { share, held: 3 });
    expect(limit.check(charge(), NOW)).toMatchObject({ until: 4_000, isFirm: false });
    expect(limit.check(charge(), 4_000)).toBeUndefined();
  });

  it('is that of the window that holds back for longest', () => {
    const windows = [8_000, 9_000, 7_000].map((at) => windowOf('minute', () => at));
    expect(reserve(windows, { share }).check(charge(), NOW)?.until).toBe(9_000);
    expect(reserve([windowOf('minute', () => NOW)], { share }).check(charge(), NOW)).toBeUndefined();
  });
});

describe('bulk work that spends the month evenly', () => {
  const month = (spent: number) => windowOf('month', () => NOW, spent);
  const spreadMonthUntil = FEBRUARY + DAY_MS;
  const dueDay = (spent: number, more: Parameters<typeof reserve>[1] = {}, units = 1): number | undefined => {
    const until = reserve([month(spent)], { spreadMonthUntil, ...more }).check(charge({ units }), NOW)?.until;
    return until === undefined ? undefined : Math.round(((until - NOW) / DAY_MS) * 100) / 100 + 10;
  };

  it('may go when no more of it is gone than of the time, what is under way included', () => {
    // Ten days of 31 are 32.26 units.
    expect(dueDay(31)).toBeUndefined();
    expect(dueDay(39)).toBeCloseTo(12.4, 1);
    expect(dueDay(39, { held: 10 })).toBeCloseTo(15.5, 1);
    expect(dueDay(29, { held: 10 }, 11)).toBeCloseTo(15.5, 1);
    expect(dueDay(150)).toBeCloseTo(31, 1);
  });

  it('has less for it where a part of the month is reserved', () => {
    expect(dueDay(39, { share: { month: 0.2 } })).toBeCloseTo(15.5, 1);
  });

  it('may end with a date, after which it is spent as it comes', () => {
    expect(dueDay(39, { spreadMonthUntil: JANUARY + 20 * DAY_MS })).toBeUndefined();
    expect(dueDay(74, { spreadMonthUntil: JANUARY + 20 * DAY_MS })).toBeCloseTo(15, 1);
    expect(dueDay(150, { spreadMonthUntil: JANUARY + 10 * DAY_MS })).toBeUndefined();
    expect(dueDay(150, { spreadMonthUntil: undefined })).toBeUndefined();
  });

  it('is not without a clock of the service, by which to tell how far the month has gone, nor in another window', () => {
    expect(dueDay(150, { clock: new ServerClock() })).toBeUndefined();
    const minute = windowOf('minute', () => NOW, 150);
    expect(reserve([minute], { spreadMonthUntil }).check(charge(), NOW)).toBeUndefined();
  });

  it('and leaves a part of it is held back by the rule that lasts longer', () => {
    const both = (fitsAt: number) => {
      const window = windowOf('month', () => fitsAt, 39);
      return reserve([window], { spreadMonthUntil, share: { month: 0.2 } }).check(charge(), NOW);
    };
    const even = both(NOW + 1)?.until ?? 0;
    expect(both(NOW + 1)?.reason().why).toMatch(/^bulk work spends the month of 100 units evenly until 2026-02-01/);
    expect(both(2 * even)).toMatchObject({ until: 2 * even });
    expect(both(2 * even)?.reason().why).toMatch(/^20 % of the month of 100 units are reserved/);
  });
});
