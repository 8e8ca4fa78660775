import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forecast, type Work } from '../../../src/quota/forecast/forecast.ts';
import type { ForecastWindow } from '../../../src/quota/forecast/level.ts';
import { endOf, PERIODS, type Period, periodMsOf } from '../../../src/quota/time/periods.ts';
import { runs } from '../../support/deep.ts';

/** A window that ends at instants of its own. */
interface EndingWindow extends ForecastWindow {
  readonly left: number;
  readonly endOf: (at: number) => number;
}

function ending(window: string, periodMs: number, limit: number, left: number, ends: (at: number) => number) {
  return (from: number): EndingWindow => ({
    ...{ window, periodMs, limit, left, endOf: ends },
    used: left < limit ? [{ from: ends(from), to: ends(from), units: limit - left }] : [],
    release: (at) => ({ from: ends(at), to: ends(at) }),
  });
}

type Beginning = (from: number) => EndingWindow;

const calendar = (period: Period, limit: number, left: number = limit): Beginning =>
  ending(period, periodMsOf(period), limit, left, (at) => endOf(period, at));

/** A window of a single endpoint, in requests, that ends every so often. */
function ceiling(endpoint: string, limit: number, firstEnd: number, periodMs: number): Beginning {
  const ends = (at: number): number => firstEnd + Math.max(0, Math.floor((at - firstEnd) / periodMs) + 1) * periodMs;
  return (from) => ({
    ...ending('endpoint', periodMs, limit, limit, ends)(from),
    countsRequests: true,
    covers: (one) => one === endpoint,
  });
}

/** So many requests at a time, each so long. */
function slots(concurrency: number, roundTripMs: number): ForecastWindow {
  const release = (at: number) => ({ from: at + roundTripMs, to: at + roundTripMs });
  return {
    ...{ window: 'concurrency', limit: concurrency, periodMs: roundTripMs },
    ...{ countsRequests: true, used: [], release },
  };
}

/** The same for requests of one cost, one request at a time, as simply as it can be said. */
function played(
  work: readonly Work[],
  windows: readonly EndingWindow[],
  from: number,
  { concurrency, roundTripMs } = { concurrency: 1, roundTripMs: 0 },
): number {
  const begun: number[] = [];
  const open = windows.map((window) => ({ ...window, end: window.endOf(from) }));
  let at = from;
  for (const { endpoint, count, cost } of work) {
    const asked = open.filter(({ covers }) => covers?.(endpoint) ?? true);
    for (let sent = 0; sent < count; ) {
      at = Math.max(at, (begun.at(-concurrency) ?? from - roundTripMs) + roundTripMs);
      for (const window of open) {
        if (at >= window.end) Object.assign(window, { left: window.limit, end: window.endOf(at) });
      }
      const priceOf = ({ limit, covers }: ForecastWindow): number => (covers ? 1 : Math.min(cost, limit));
      const full = asked.filter((window) => window.left < priceOf(window));
      for (const window of full) at = Math.max(at, window.end);
      if (full.length > 0) continue;
      for (const window of asked) window.left -= priceOf(window);
      begun.push(at);
      sent++;
    }
  }
  return at;
}

const lastOf = (work: readonly Work[], windows: readonly ForecastWindow[], from: number): number =>
  Math.max(...forecast(work, windows, from).sentAt);

const limits = fc.record(
  {
    second: fc.integer({ min: 1, max: 9 }),
    minute: fc.integer({ min: 1, max: 60 }),
    month: fc.integer({ min: 1, max: 400 }),
  },
  { requiredKeys: [] },
);
const windows = limits.chain((given) =>
  fc.tuple(
    ...PERIODS.flatMap((period) => {
      const limit = given[period as keyof typeof given];
      return limit === undefined
        ? []
        : [fc.integer({ min: 0, max: limit }).map((left) => calendar(period, limit, left))];
    }),
  ),
);
const counts = fc.array(fc.integer({ min: 0, max: 33 }), { minLength: 1, maxLength: 3 });
const costs = fc.integer({ min: 0, max: 7 });
const worksOf = (endpoint: string, counted: readonly number[], cost: number): readonly Work[] =>
  counted.map((count) => ({ endpoint, count, cost }));
const starts = fc.integer({ min: Date.UTC(2026, 0), max: Date.UTC(2026, 11) });

describe('a forecast', () => {
  it('is what comes of playing it request by request, whatever windows, costs and beginnings', () => {
    fc.assert(
      fc.property(counts, costs, windows, starts, (counted, cost, all, from) => {
        const open = all.map((window) => window(from));
        const works = worksOf('GET /a', counted, cost);
        expect(lastOf(works, open, from)).toBe(played(works, open, from));
      }),
      { numRuns: runs(200, 2_000) },
    );
  });

  it('holds for ceilings of endpoints too, which end when they please', () => {
    const ceilings = fc.record({
      limit: fc.integer({ min: 1, max: 20 }),
      lengthMs: fc.constantFrom(1_000, 7_000, 60_000),
      phase: fc.integer({ min: 1, max: 60_000 }),
    });
    fc.assert(
      fc.property(counts, costs, windows, ceilings, starts, (counted, cost, all, { limit, lengthMs, phase }, from) => {
        const open = [...all, ceiling('GET /a', limit, from + phase, lengthMs)].map((window) => window(from));
        const works = worksOf('GET /a', counted, cost);
        expect(lastOf(works, open, from)).toBe(played(works, open, from));
      }),
      { numRuns: runs(100, 1_000) },
    );
  });

  it('lets others pass where an endpoint has reached its ceiling', () => {
    const open = [calendar('minute', 50), ceiling('GET /a', 2, 60_000, 60_000)].map((window) => window(0));
    const works = [
      { endpoint: 'GET /a', count: 4, cost: 1 },
      { endpoint: 'GET /b', count: 4, cost: 1 },
    ];
    expect(forecast(works, open, 0).sentAt).toEqual([60_000, 0]);
  });

  it('is right within a fifth and a window where answers are slow and few may be under way', () => {
    const paces = fc.record({
      concurrency: fc.integer({ min: 1, max: 32 }),
      roundTripMs: fc.integer({ min: 1, max: 3_000 }),
    });
    fc.assert(
      fc.property(counts, costs, windows, paces, starts, (counted, cost, all, pace, from) => {
        const open = all.map((window) => window(from)).filter(({ window }) => window !== 'month');
        const works = worksOf('GET /a', counted, cost);
        const took = played(works, open, from, pace) - from;
        const longest = Math.max(0, ...open.map(({ periodMs }) => periodMs));
        const error = Math.abs(lastOf(works, [...open, slots(pace.concurrency, pace.roundTripMs)], from) - from - took);
        expect(error).toBeLessThanOrEqual(0.2 * took + longest + pace.roundTripMs);
      }),
      { numRuns: runs(100, 1_000) },
    );
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

  it('takes no longer for a thousand million requests', () => {
    const from = Date.UTC(2026, 0);
    const open = [calendar('second', 20), calendar('minute', 500)].map((window) => window(from));
    // 500 a minute.
    const { sentAt, window } = forecast([{ count: 1e9, cost: 1 }], open, from);
    expect([Math.abs((sentAt[0] as number) - from - 2e6 * 60_000) < 60_000, window]).toEqual([true, 'minute']);
    const month = calendar('month', 150_000)(from);
    const months = forecast([{ count: 12 * 150_000, cost: 1 }], [...open, month], from).sentAt[0] as number;
    expect(Math.abs(months - Date.UTC(2026, 11, 1, 5))).toBeLessThan(60_000);
  });

  it('goes on at the pace so far where windows never fall together', () => {
    const odd = [calendar('minute', 50), ceiling('GET /a', 40, Date.UTC(2026, 0) + 13, 60_000)];
    const open = odd.map((window) => window(Date.UTC(2026, 0)));
    const at = lastOf([{ endpoint: 'GET /a', count: 4e8, cost: 1 }], open, Date.UTC(2026, 0));
    expect(Math.abs((at - Date.UTC(2026, 0)) / (1e7 * 60_000) - 1)).toBeLessThan(0.001);
  });

  it('is that of the works before where a work has no requests: all that is under way has gone', () => {
    const ahead = { count: 10, cost: 1 };
    const minute = calendar('minute', 5)(0);
    expect(forecast([ahead, { count: 0, cost: 1 }], [minute], 0).sentAt).toEqual([60_000, 60_000]);
    expect(forecast([{ count: 0, cost: 1 }, ahead], [minute], 0).sentAt).toEqual([0, 60_000]);
  });

  it('is never where a window holds nothing, unless there is nothing to do', () => {
    const shut = [calendar('second', 5)(0), calendar('minute', 0)(0)];
    const never = { sentAt: [Infinity], window: 'minute' };
    expect(forecast([{ count: 1, cost: 1 }], shut, 0)).toMatchObject(never);
    expect(forecast([{ count: 0, cost: 1 }], shut, 7)).toMatchObject({ sentAt: [7], window: undefined });
  });

  it('says that answers are awaited where nothing else is', () => {
    const slow = [calendar('minute', 50)(0), slots(4, 100)];
    expect(forecast([{ count: 4, cost: 1 }], slow, 0)).toMatchObject({ sentAt: [0], window: undefined });
    expect(forecast([{ count: 5, cost: 1 }], slow, 0)).toMatchObject({ sentAt: [100], window: 'concurrency' });
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

/** A window of a minute that slides: each unit is free again a minute after its use, and those used before are when they say. */
const sliding = (limit: number, used: readonly (readonly [at: number, units: number])[] = []): ForecastWindow => ({
  ...{ window: 'minute', limit, periodMs: 60_000 },
  used: used.map(([at, units]) => ({ from: at, to: at, units })),
  release: (at) => ({ from: at + 60_000, to: at + 60_000 }),
});

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

describe('a forecast of more than a hundred windows', () => {
  it('takes what its units take at the limit where costs differ, one work after the other', () => {
    const minute = calendar('minute', 50)(0);
    const works = [
      { count: 1e6, cost: 3 },
      { count: 1e6, cost: 2 },
    ];
    const { sentAt, window } = forecast(works, [minute], 0);
    expect((sentAt[0] as number) / (6e4 * 60_000)).toBeCloseTo(1, 4);
    expect((sentAt[1] as number) / (1e5 * 60_000)).toBeCloseTo(1, 4);
    expect(window).toBe('minute');
  });

  it.for([
    ['nothing else', []],
    ['no others before', [{ count: 0, cost: 1 }]],
  ] as const)('has whole requests in each of them where all cost the same: %s', ([, before]) => {
    const works = [...before, { count: 1e6, cost: 30 }, { count: 0, cost: 2 }];
    const at = lastOf(works, [calendar('minute', 50)(0)], 0);
    expect(at / (1e6 * 60_000)).toBeCloseTo(1, 4);
  });

  it('takes from each month no more than it holds, and what fits the rest of this one', () => {
    const from = Date.UTC(2026, 1) - 10 * 60_000;
    const open = [calendar('minute', 500), calendar('month', 100_000)].map((window) => window(from));
    // 5,000 go in the last ten minutes of January, 100,000 in February, and the others in March.
    const { sentAt, window } = forecast([{ count: 110_000, cost: 1 }], open, from);
    expect(Math.abs((sentAt[0] as number) - Date.UTC(2026, 2, 1, 0, 10))).toBeLessThan(120_000);
    expect(window).toBe('month');
  });
});

describe('what a forecast says that is waited for', () => {
  const open = [ceiling('GET /few', 2, 60_000, 60_000)(0)];
  const few = { endpoint: 'GET /few', count: 4, cost: 1 };
  const other = { endpoint: 'GET /b', count: 4, cost: 1 };

  it('is the window of an endpoint for the last work alone', () => {
    expect(forecast([other, few], open, 0).window).toBe('endpoint');
    expect(forecast([few, other], open, 0).window).toBeUndefined();
  });

  it('is a window rather than answers, however long they take', () => {
    const slow = [calendar('minute', 5)(0), slots(6, 90_000)];
    expect(forecast([{ count: 10, cost: 1 }], slow, 0)).toMatchObject({ sentAt: [90_000], window: 'minute' });
  });
});

describe('requests that are to be sent by an instant', () => {
  const of = (...terms: readonly [count: number, by?: number][]): Work[] =>
    terms.map(([count, by]) => ({ count, cost: 1, by }));
  const minute = calendar('minute', 10)(0);

  it('are given up in their turn, the last of them, and hold nothing back', () => {
    const { late, sentAt } = forecast(of([25, 60_000], [10]), [minute], 0);
    expect(late).toEqual([5, 0]);
    // Five of the third minute go in the second at the latest: that of the first work is full.
    expect(sentAt[1]).toBe(120_000);
  });

  it('are all given up where they are never sent', () => {
    const { late, sentAt } = forecast(of([3, 1_000], [2]), [{ ...minute, limit: 0 }], 0);
    expect([late, sentAt[1]]).toEqual([[3, 2], Infinity]);
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

  it('sends works that follow one another and take the same as one, and tells of each when its last request goes', () => {
    const windows = [ceiling('GET /few', 3, 60_000, 60_000)(0), calendar('second', 10)(0)];
    const works = (endpoints: string) =>
      Array.from(endpoints, (name) => ({ endpoint: name === 'f' ? 'GET /few' : `GET /${name}`, count: 4, cost: 1 }));
    const alone = works('abcabfab').map((work, nth) => ({ ...work, by: 600_000 + nth }));
    const { sentAt, late } = forecast(alone, windows, 0);
    expect(forecast(works('abcabfab'), windows, 0)).toMatchObject({ sentAt, late });
    expect(new Set(sentAt).size).toBeGreaterThan(3);
    const givenUp = works('abcab').map((work) => ({ ...work, by: 500 }));
    expect(forecast(givenUp, windows, 0).late).toEqual([0, 0, 2, 4, 4]);
  });

  it('keeps when the last was sent of those that are given up, while others go on', () => {
    const windows = [ceiling('GET /few', 10, 60_000, 60_000)(0), ceiling('GET /slow', 1, 10_000, 10_000)(0)];
    const works = [
      { endpoint: 'GET /few', count: 15, cost: 1, by: 30_000 },
      { endpoint: 'GET /slow', count: 6, cost: 1 },
    ];
    expect(forecast(works, windows, 0)).toMatchObject({ sentAt: [0, 50_000], late: [5, 0] });
  });
});
