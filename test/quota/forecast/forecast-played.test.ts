import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Work } from '../../../src/quota/forecast/forecast.ts';
import type { ForecastWindow } from '../../../src/quota/forecast/level.ts';
import { PERIODS } from '../../../src/quota/time/periods.ts';
import { runs } from '../../support/deep.ts';
import { calendar, ceiling, type EndingWindow, lastOf, slots } from '../support/forecasts.ts';

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
});
