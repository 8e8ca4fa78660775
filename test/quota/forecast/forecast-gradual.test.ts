import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forecast } from '../../../src/quota/forecast/forecast.ts';
import type { ForecastWindow } from '../../../src/quota/forecast/level.ts';
import { runs } from '../../support/deep.ts';
import { sliding } from '../support/forecasts.ts';

/** A level that sinks by its limit in a minute, and how often it was asked how. */
function leaky(limit: number, used = 0): { readonly window: ForecastWindow; readonly asked: () => number } {
  let asked = 0;
  const msOf = (units: number): number => (units / limit) * 60_000;
  const window: ForecastWindow = {
    ...{ window: 'minute', limit, periodMs: 60_000 },
    used: used > 0 ? [{ from: 0, to: msOf(used), units: used }] : [],
    release(at, units, lastAt) {
      asked++;
      const from = Math.max(at, lastAt);
      return { from, to: from + msOf(units) };
    },
  };
  return { window, asked: () => asked };
}

describe('a forecast of units that do not come back all at once', () => {
  it('has no more of a sliding window in use than it holds, and is never later than that takes', () => {
    const earlier = fc.array(fc.tuple(fc.integer({ min: 1, max: 59_999 }), fc.integer({ min: 1, max: 5 })), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(earlier, fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 7 }), (before, count, cost) => {
        const limit = 30;
        const used = before.toSorted(([one], [other]) => one - other);
        const ends = used.flatMap(([at, units]) => Array.from({ length: units }, () => at));
        const expected: number[] = [];
        for (let nth = 0; nth < count; nth++) {
          const before = expected.at(-1) ?? 0;
          const inUse = ends.filter((end) => end > before).toSorted((one, other) => one - other);
          const at = Math.max(before, inUse[inUse.length + cost - limit - 1] ?? 0);
          expected.push(at);
          for (let unit = 0; unit < cost; unit++) ends.push(at + 60_000);
        }
        expect(forecast([{ count, cost }], [sliding(limit, used)], 0).sentAt).toEqual([expected.at(-1)]);
      }),
      { numRuns: runs(100, 1_000) },
    );
  });

  it('sends each request when a level has sunk far enough, or a 300th of the time later', () => {
    const some = fc.record({
      ...{ used: fc.integer({ min: 0, max: 30 }), limit: fc.integer({ min: 30, max: 60 }) },
      ...{ count: fc.integer({ min: 1, max: 300 }), cost: fc.integer({ min: 1, max: 7 }) },
    });
    fc.assert(
      fc.property(some, ({ used, limit, count, cost }) => {
        const exact = (Math.max(0, used + count * cost - limit) / limit) * 60_000;
        const [at = Number.NaN] = forecast([{ count, cost }], [leaky(limit, used).window], 0).sentAt;
        expect(at - exact).toBeGreaterThan(-0.01);
        expect(at - exact).toBeLessThan(((count * cost) / limit) * (60_000 / 300) + 0.01);
      }),
      { numRuns: runs(100, 1_000) },
    );
  });

  it('takes some hundred steps for ten thousand requests', () => {
    const { window, asked } = leaky(200, 150);
    const [at = Number.NaN] = forecast([{ count: 10_000, cost: 1 }], [window], 0).sentAt;
    expect(Math.abs(at - (9_950 / 200) * 60_000)).toBeLessThan(10_000);
    expect(asked()).toBeLessThan(400);
  });
});

describe('a forecast of units that become free one after the other', () => {
  it('does not free what was sent first later, because what was sent at the same time takes longer', () => {
    const drains: ForecastWindow = {
      ...{ window: 'minute', periodMs: 60_000, limit: 10, used: [] },
      // A unit takes ten milliseconds, from a tenth of a second on.
      release: (at, units) => ({ from: at + 100, to: at + 100 + units * 10 }),
    };
    // Works that differ, so that they are not sent as one.
    const works = [2, 8, 2].map((count, nth) => ({ endpoint: 'GET /a', count, cost: 1, by: 60_000 + nth }));
    expect(forecast(works, [drains], 0).sentAt).toEqual([0, 0, expect.closeTo(120, 3)]);
  });
});
