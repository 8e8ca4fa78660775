import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Forecast,
  type ForecastWindow,
  forecast,
  type Pace,
  type Work,
} from '../../../src/quota/forecast/forecast.ts';
import { endOf, PERIODS, type Period, periodMsOf } from '../../../src/quota/time/periods.ts';
import { runs } from '../../support/deep.ts';

function calendar(period: Period, limit: number, left: number = limit): ForecastWindow {
  return { window: period, limit, left, periodMs: periodMsOf(period), endOf: (at) => endOf(period, at) };
}

/** A window of a single endpoint, in requests, that ends every so often. */
function ceiling(endpoint: string, limit: number, left: number, firstEnd: number, periodMs: number): ForecastWindow {
  return {
    window: 'endpoint',
    limit,
    left,
    periodMs,
    endOf: (at) => firstEnd + Math.max(0, Math.floor((at - firstEnd) / periodMs) + 1) * periodMs,
    covers: (one) => one === endpoint,
  };
}

/** The same one request at a time, as simply as it can be said. */
function played(
  work: readonly Work[],
  windows: readonly ForecastWindow[],
  from: number,
  { concurrency, roundTripMs }: Pace = { concurrency: 1, roundTripMs: 0 },
): Forecast {
  const begun: number[] = [];
  const open = windows.map((window) => ({ ...window, end: window.endOf(from) }));
  let at = from;
  let longest: ForecastWindow | undefined;
  for (const { endpoint, count, cost } of work) {
    const asked = open.filter(({ covers }) => covers?.(endpoint) ?? true);
    for (let sent = 0; sent < count; ) {
      at = Math.max(at, (begun.at(-concurrency) ?? from - roundTripMs) + roundTripMs);
      for (const window of open) {
        if (at >= window.end) Object.assign(window, { left: window.limit, end: window.endOf(at) });
      }
      const priceOf = ({ limit, covers }: ForecastWindow): number => (covers ? 1 : Math.min(cost, limit));
      const full = asked.filter((window) => window.left < priceOf(window));
      for (const window of full) {
        at = Math.max(at, window.end);
        if (window.periodMs >= (longest?.periodMs ?? 0)) longest = window;
      }
      if (full.length > 0) continue;
      for (const window of asked) window.left -= priceOf(window);
      begun.push(at);
      sent++;
    }
  }
  return { at, window: longest?.window };
}

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
const works = fc.array(
  fc.record({
    endpoint: fc.constantFrom('GET /a', 'GET /b'),
    count: fc.integer({ min: 0, max: 400 }),
    cost: fc.integer({ min: 0, max: 7 }),
  }),
  { minLength: 1, maxLength: 3 },
);
const starts = fc.integer({ min: Date.UTC(2026, 0), max: Date.UTC(2026, 11) });

describe('a forecast', () => {
  it('is what comes of playing it request by request, whatever windows, costs and beginnings', () => {
    fc.assert(
      fc.property(works, windows, starts, (work, open, from) => {
        expect(forecast(work, open, from)).toEqual(played(work, open, from));
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
      fc.property(works, windows, ceilings, starts, (work, open, { limit, lengthMs, phase }, from) => {
        const all = [...open, ceiling('GET /a', limit, limit, from + phase, lengthMs)];
        expect(forecast(work, all, from).at).toBe(played(work, all, from).at);
      }),
      { numRuns: runs(100, 1_000) },
    );
  });

  it('is right within a fifth and a window where answers are slow and few may be under way', () => {
    const paces = fc.record({
      concurrency: fc.integer({ min: 1, max: 32 }),
      roundTripMs: fc.integer({ min: 1, max: 3_000 }),
    });
    fc.assert(
      fc.property(works, windows, paces, starts, (work, all, pace, from) => {
        const open = all.filter(({ window }) => window !== 'month');
        const took = played(work, open, from, pace).at - from;
        const longest = Math.max(0, ...open.map(({ periodMs }) => periodMs));
        const error = Math.abs(forecast(work, open, from, pace).at - from - took);
        expect(error).toBeLessThanOrEqual(0.2 * took + longest + pace.roundTripMs);
      }),
      { numRuns: runs(100, 1_000) },
    );
  });

  it('takes no longer for a thousand million requests', () => {
    const from = Date.UTC(2026, 0);
    const open = [calendar('second', 20), calendar('minute', 500)];
    // 500 a minute, the last 500 of them in 24 seconds and an instant.
    const minutes = 1e9 / 500 - 1;
    expect(forecast([{ count: 1e9, cost: 1 }], open, from)).toEqual({
      at: from + minutes * 60_000 + 24_000,
      window: 'minute',
    });
    const months = forecast([{ count: 12 * 150_000, cost: 1 }], [...open, calendar('month', 150_000)], from);
    expect(new Date(months.at).toISOString()).toBe('2026-12-01T04:59:24.000Z');
  });

  it('goes on at the pace so far where windows never fall together', () => {
    const odd = [calendar('minute', 50), ceiling('GET /a', 40, 40, Date.UTC(2026, 0) + 13, 60_000)];
    const { at } = forecast([{ endpoint: 'GET /a', count: 4e8, cost: 1 }], odd, Date.UTC(2026, 0));
    expect(Math.abs((at - Date.UTC(2026, 0)) / (1e7 * 60_000) - 1)).toBeLessThan(0.001);
  });

  it('is never where a window holds nothing, unless there is nothing to do', () => {
    const shut = [calendar('second', 5), calendar('minute', 0)];
    expect(forecast([{ count: 1, cost: 1 }], shut, 0)).toEqual({ at: Number.POSITIVE_INFINITY, window: 'minute' });
    expect(forecast([{ count: 0, cost: 1 }], shut, 7)).toEqual({ at: 7, window: undefined });
  });

  it('says that answers are awaited where nothing else is', () => {
    const slow = { concurrency: 4, roundTripMs: 100 };
    expect(forecast([{ count: 4, cost: 1 }], [calendar('minute', 50)], 0, slow)).toEqual({ at: 0, window: undefined });
    expect(forecast([{ count: 5, cost: 1 }], [calendar('minute', 50)], 0, slow)).toEqual({
      at: 100,
      window: 'concurrency',
    });
  });
});
