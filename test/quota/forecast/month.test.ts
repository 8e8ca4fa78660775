import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MonthUsage } from '../../../src/quota/forecast/month.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const JANUARY = Date.UTC(2026, 0);
const FEBRUARY = Date.UTC(2026, 1);

/** A log that heard of so many units used, at each instant. */
function heard(...said: readonly (readonly [at: number, used: number])[]): MonthUsage {
  const log = new MonthUsage();
  for (const [at, used] of said) hear(log, at, used);
  return log;
}

function hear(log: MonthUsage, at: number, used: number, limit = 31_000): void {
  log.observe({ stacks: { month: { limit, remaining: limit - used } }, date: at, receivedAt: at + 5_000_000 });
}

describe('the month', () => {
  it('is unknown until an answer names it', () => {
    const log = new MonthUsage();
    log.observe({ stacks: { minute: { limit: 5, remaining: 1 } }, receivedAt: JANUARY });
    expect(log.outlook(JANUARY)).toBeUndefined();
  });

  it('stays as it was by an answer that states its limit or what remains alone', () => {
    const log = heard([JANUARY + DAY_MS, 1_000]);
    const before = log.outlook(JANUARY + DAY_MS);
    for (const month of [{ limit: 50_000 }, { remaining: 7 }])
      log.observe({ stacks: { month }, date: JANUARY + DAY_MS, receivedAt: JANUARY });
    expect(log.outlook(JANUARY + DAY_MS)).toEqual(before);
  });

  it('is all there again when it has ended, before any answer says so', () => {
    const log = heard([FEBRUARY - 2 * HOUR_MS, 10_000], [FEBRUARY - 1, 20_000]);
    expect(log.outlook(FEBRUARY + HOUR_MS)).toMatchObject({ used: 0, remaining: 31_000 });
    const next = { used: 0, perDay: 0, runsOutAt: undefined };
    expect(log.outlook(FEBRUARY + 2 * DAY_MS)).toMatchObject(next);
  });

  it('says what is left, until when, and how much a day that makes', () => {
    const now = JANUARY + 21 * DAY_MS;
    expect(heard([now, 1_000]).outlook(now)).toEqual({
      now,
      limit: 31_000,
      used: 1_000,
      remaining: 30_000,
      resetsAt: FEBRUARY,
      perDay: expect.closeTo(1_000 / 21, 6),
      affordablePerDay: 3_000,
      runsOutAt: undefined,
    });
  });

  it('takes units used before the first reading as used evenly', () => {
    const now = JANUARY + 10 * DAY_MS;
    const outlook = heard([now, 20_000]).outlook(now);
    expect(outlook?.perDay).toBeCloseTo(2_000, 6);
    expect(outlook?.runsOutAt).toBeCloseTo(JANUARY + 15.5 * DAY_MS, -2);
  });

  it('goes by the last day, once it has seen one', () => {
    const start = JANUARY + 10 * DAY_MS;
    const hours = Array.from({ length: 49 }, (_, hour) => [start + hour * HOUR_MS, 20_000 + 10 * hour] as const);
    const now = start + 48 * HOUR_MS;
    const outlook = heard(...hours).outlook(now);
    expect(outlook?.perDay).toBeCloseTo(240, 6);
    expect(outlook?.runsOutAt).toBeUndefined();
  });

  it('remembers two readings an hour, between which units count as used evenly', () => {
    const start = JANUARY + 10 * DAY_MS;
    const readings = [0, 10, 20, 50, 60, 70, 110, 120].map(
      (minute, index) => [start + minute * 60_000, 1_000 + 20 * index] as const,
    );
    // Those after 0, 50, 70 and 120 minutes stay.
    const log = heard(...readings);
    const lastDay = [25, 50, 85, 115].map((minutes) => log.outlook(start + DAY_MS + minutes * 60_000)?.perDay);
    expect(lastDay).toEqual([110, 80, 28, 4].map((units) => expect.closeTo(units, 6)));
  });

  it('knows of a burst within the hour', () => {
    const now = JANUARY + 10 * DAY_MS;
    const log = heard([now - 60_000, 0], [now, 5_000]);
    expect(log.outlook(now)?.perDay).toBeCloseTo(5_000, 6);
  });

  it('does not make much of its first minutes', () => {
    const now = JANUARY + 60_000;
    expect(heard([now, 10]).outlook(now)?.perDay).toBeCloseTo(240, 6);
  });

  it('that is out ran out now', () => {
    const now = JANUARY + 10 * DAY_MS;
    expect(heard([now, 31_000]).outlook(now)).toMatchObject({ remaining: 0, runsOutAt: now, affordablePerDay: 0 });
    expect(heard([now, 31_001]).outlook(now)).toMatchObject({ remaining: 0, used: 31_001 });
    expect(heard([now - 2 * DAY_MS, 31_000]).outlook(now)).toMatchObject({ perDay: 0, runsOutAt: now });
  });

  it('that is over is a new one, of which nothing is used', () => {
    const outlook = heard([JANUARY + DAY_MS, 30_000]).outlook(FEBRUARY + 1);
    expect(outlook).toMatchObject({ used: 0, remaining: 31_000, resetsAt: Date.UTC(2026, 2), perDay: 0 });
    expect(outlook?.runsOutAt).toBeUndefined();
  });

  it('begins anew with the first answer of the next month, and ignores a late one of the last', () => {
    const log = heard([FEBRUARY - 1_000, 30_000], [FEBRUARY + HOUR_MS, 100], [FEBRUARY - 1, 30_010]);
    expect(log.outlook(FEBRUARY + HOUR_MS)).toMatchObject({ used: 100, remaining: 30_900 });
  });

  it('counts a job of each night as often as it came in the last day, also on the first of a month', () => {
    const log = new MonthUsage();
    for (let night = -3; night <= 0; night++) {
      const start = FEBRUARY + night * DAY_MS;
      const before = night < 0 ? 28_000 + 900 * (night + 3) : 0;
      for (let minute = 1; minute <= 45; minute++) hear(log, start + minute * 60_000, before + 20 * minute);
      if (night === -3) continue;
      for (const hours of [1, 8, 23]) {
        const perDay = log.outlook(start + hours * HOUR_MS)?.perDay;
        expect(perDay).toBeGreaterThan(870);
        expect(perDay).toBeLessThan(930);
      }
    }
    expect(log.outlook(FEBRUARY + HOUR_MS)?.runsOutAt).toBeUndefined();
  });

  it('that is over counts in the pace of the next one, before any answer of that one', () => {
    const hours = Array.from(
      { length: 48 },
      (_, hour) => [FEBRUARY - (48 - hour) * HOUR_MS, 20_000 + 10 * hour] as const,
    );
    expect(heard(...hours).outlook(FEBRUARY)).toMatchObject({ used: 0, perDay: expect.closeTo(230, 6) });
  });

  it('is the one that an answer named, even if the service’s clock may not have come there yet', () => {
    const before = heard([FEBRUARY, 1]).outlook(FEBRUARY - 1);
    expect(before).toEqual(heard([FEBRUARY, 1]).outlook(FEBRUARY));
    expect(before).toMatchObject({ used: 1, resetsAt: Date.UTC(2026, 2), affordablePerDay: 30_999 / 28 });
  });

  it('has as much used as the most that was said, whatever order answers come in', () => {
    const at = JANUARY + 5 * DAY_MS;
    for (const order of [
      [7, 9, 8],
      [9, 8, 7],
      [7, 8, 9],
    ]) {
      const outlook = heard(...order.map((used) => [at, used] as const)).outlook(at);
      expect(outlook).toMatchObject({ used: 9, remaining: 30_991 });
    }
  });

  it('has another limit as soon as the service says so', () => {
    const now = JANUARY + 5 * DAY_MS;
    const log = heard([now - 1_000, 100]);
    hear(log, now, 101, 62_000);
    expect(log.outlook(now)).toMatchObject({ limit: 62_000, used: 101, remaining: 61_899 });
  });

  it('goes by this machine’s clock where the service shows none', () => {
    const log = new MonthUsage();
    log.observe({ stacks: { month: { limit: 10, remaining: 4 } }, receivedAt: JANUARY + DAY_MS });
    expect(log.outlook(JANUARY + DAY_MS)).toMatchObject({ used: 6, resetsAt: FEBRUARY });
  });

  it('is expected to be used up when a steady pace uses it up, however few readings there are', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 200, max: 30_000, noNaN: true }),
        fc.array(fc.double({ min: 0.1, max: 30, noNaN: true }), { minLength: 1, maxLength: 60 }),
        (pace, days) => {
          const looks = days.toSorted((one, other) => one - other).filter((day) => day * pace < 31_000);
          const last = looks.at(-1);
          fc.pre(last !== undefined);
          const log = heard(...looks.map((day) => [JANUARY + day * DAY_MS, day * pace] as const));
          const outlook = log.outlook(JANUARY + (last ?? 0) * DAY_MS);
          expect(outlook?.perDay).toBeCloseTo(pace, 3);
          const end = JANUARY + (31_000 / pace) * DAY_MS;
          if (end < FEBRUARY - 1_000) expect(outlook?.runsOutAt).toBeCloseTo(end, -3);
          if (end > FEBRUARY + 1_000) expect(outlook?.runsOutAt).toBeUndefined();
        },
      ),
    );
  });
});
