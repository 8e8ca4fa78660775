import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forecast } from '../../../src/quota/forecast/forecast.ts';
import type { ForecastWindow } from '../../../src/quota/forecast/level.ts';
import { runs } from '../../support/deep.ts';
import { calendar, ceiling, sliding, slots } from '../support/forecasts.ts';

describe('a forecast', () => {
  it('lets others pass where an endpoint has reached its ceiling', () => {
    const open = [calendar('minute', 50), ceiling('GET /a', 2, 60_000, 60_000)].map((window) => window(0));
    const works = [
      { endpoint: 'GET /a', count: 4, cost: 1 },
      { endpoint: 'GET /b', count: 4, cost: 1 },
    ];
    expect(forecast(works, open, 0).sentAt).toEqual([60_000, 0]);
  });

  it('has no more in a window than it holds, and keeps the order of requests of one cost, where costs differ', () => {
    const mixed = fc.array(fc.integer({ min: 1, max: 25 }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(mixed, fc.integer({ min: 25, max: 80 }), (each, limit) => {
        const works = each.map((cost) => ({ count: 1, cost }));
        const { sentAt } = forecast(works, [calendar('minute', limit)(0)], 0);
        const used = new Map<number, number>();
        const lastByCost = new Map<number, number>();
        for (const [nth, at] of sentAt.entries()) {
          const cost = each[nth] as number;
          used.set(at, (used.get(at) ?? 0) + cost);
          expect(at).toBeGreaterThanOrEqual(lastByCost.get(cost) ?? 0);
          lastByCost.set(cost, at);
        }
        expect(Math.max(...used.values())).toBeLessThanOrEqual(limit);
      }),
      { numRuns: runs(100, 1_000) },
    );
  });

  it('lets cheap requests pass costly ones that do not fit, which go first in the next window', () => {
    const works = [
      { count: 5, cost: 30 },
      { count: 8, cost: 5 },
      { count: 2, cost: 1 },
    ];
    // 3 x 30 and 2 x 5 a minute, then 2 x 30 and 6 x 5, of which the last leaves room for the cheapest.
    expect(forecast(works, [calendar('minute', 100)(0)], 0)).toMatchObject({
      sentAt: [60_000, 60_000, 60_000],
      window: 'minute',
    });
    const late = forecast([...works, { count: 7, cost: 1 }], [calendar('minute', 100)(0)], 0).sentAt;
    expect(late.at(-1)).toBe(60_000);
  });

  it('lets none pass that delays a costly one, where units become free evenly', () => {
    const leaky: ForecastWindow = {
      ...{ window: 'minute', limit: 60, periodMs: 60_000, used: [] },
      release: (at, units, lastAt) => ({ from: Math.max(at, lastAt), to: Math.max(at, lastAt) + units * 1_000 }),
    };
    const works = [
      { count: 3, cost: 25 },
      { count: 1, cost: 1 },
    ];
    const { sentAt } = forecast(works, [leaky], 0);
    expect(sentAt[0]).toBeCloseTo(15_000, -3);
    expect(sentAt[1]).toBeCloseTo(16_000, -3);
  });
});

describe('requests of several costs', () => {
  const minute = calendar('minute', 100);

  it('pass one that does not fit as soon as a slot is free', () => {
    const works = [30, 3, 21].map((count, nth) => ({ count, cost: nth === 1 ? 25 : 1 }));
    const { sentAt } = forecast(works, [minute(0), slots(16, 100)], 0);
    // Of the 21 cheap ones behind, 20 take what the third costly one leaves of this minute, and one goes in the next.
    expect(sentAt[1]).toBe(60_000);
    const [, , last] = forecast([...works.slice(0, 2), { count: 20, cost: 1 }], [minute(0), slots(16, 100)], 0).sentAt;
    expect(last).toBeLessThan(1_000);
  });

  it('go while as many units are free as each may take, and take those that they cost on average', () => {
    // 25, 24, … at the end of a minute: after 76 of 100 units no further one may go.
    expect(forecast([{ count: 76, cost: 1, held: 25 }], [minute(0)], 0).sentAt).toEqual([0]);
    expect(forecast([{ count: 77, cost: 1, held: 25 }], [minute(0)], 0).sentAt).toEqual([60_000]);
  });

  it('takes of a window what each endpoint counts there, and no other', () => {
    const open = [ceiling('GET /few', 2, 10_000, 60_000)(0)];
    const works = [
      { endpoint: 'GET /a', count: 1_000, cost: 1 },
      { endpoint: 'GET /few', count: 5, cost: 1 },
    ];
    expect(forecast(works, open, 0).sentAt).toEqual([0, 70_000]);
  });
});

describe('a forecast of units that do not come back all at once', () => {
  it('lets as many pass a costly one as leave it its units when it goes', () => {
    const window = sliding(100, [[10_000, 60]]);
    const said = (count: number) =>
      forecast(
        [
          { count: 1, cost: 70 },
          { count, cost: 1 },
        ],
        [window],
        0,
      ).sentAt;
    expect([said(30), said(31), said(60), said(61)]).toEqual([
      [10_000, 0],
      [10_000, 60_000],
      [10_000, 60_000],
      [10_000, 70_000],
    ]);
  });

  it('lets them pass the one of two costly ones that goes first', () => {
    const window = sliding(100, [
      [10_000, 40],
      [20_000, 40],
    ]);
    const works = [50, 80].map((cost) => ({ count: 1, cost }));
    // 60 are free in ten seconds, of which the first takes 50.
    const said = (count: number) => forecast([...works, { count, cost: 1 }], [window], 0).sentAt;
    expect([said(10)[0], said(10)[2]]).toEqual([10_000, 0]);
    expect([said(15)[0], (said(15)[2] as number) > 0]).toEqual([10_000, true]);
  });

  it('lets all pass that fit where an end frees what they take before the costly one goes', () => {
    const minute = calendar('minute', 100, 20)(0);
    const works = [
      { count: 1, cost: 90 },
      { count: 20, cost: 1 },
    ];
    expect(forecast(works, [minute], 0).sentAt).toEqual([60_000, 0]);
  });

  it('lets none pass more than 256', () => {
    const minute = calendar('minute', 100)(0);
    const cheapAt = (costly: number): number | undefined =>
      forecast(
        [
          { count: costly, cost: 30 },
          { count: 5, cost: 1 },
        ],
        [minute],
        0,
      ).sentAt[1];
    // Three go at once.
    expect([cheapAt(259), cheapAt(260)]).toEqual([0, 60_000]);
  });
});
