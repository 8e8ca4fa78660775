import { forecast, type Work } from '../../../src/quota/forecast/forecast.ts';
import type { ForecastWindow } from '../../../src/quota/forecast/level.ts';
import { endOf, type Period, periodMsOf } from '../../../src/quota/time/periods.ts';

/** A window that ends at instants of its own. */
export interface EndingWindow extends ForecastWindow {
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

/** A window of the calendar. */
export const calendar = (period: Period, limit: number, left: number = limit): Beginning =>
  ending(period, periodMsOf(period), limit, left, (at) => endOf(period, at));

/** A window of a single endpoint, in requests, that ends every so often. */
export function ceiling(endpoint: string, limit: number, firstEnd: number, periodMs: number): Beginning {
  const ends = (at: number): number => firstEnd + Math.max(0, Math.floor((at - firstEnd) / periodMs) + 1) * periodMs;
  return (from) => ({
    ...ending('endpoint', periodMs, limit, limit, ends)(from),
    countsRequests: true,
    covers: (one) => one === endpoint,
  });
}

/** So many requests at a time, each so long. */
export function slots(concurrency: number, roundTripMs: number): ForecastWindow {
  const release = (at: number) => ({ from: at + roundTripMs, to: at + roundTripMs });
  return {
    ...{ window: 'concurrency', limit: concurrency, periodMs: roundTripMs },
    ...{ countsRequests: true, used: [], release },
  };
}

/** When the last request of all works is sent. */
export const lastOf = (work: readonly Work[], windows: readonly ForecastWindow[], from: number): number =>
  Math.max(...forecast(work, windows, from).sentAt);

/** A window of a minute that slides: each unit is free again a minute after its use, and those used before are when they say. */
export const sliding = (
  limit: number,
  used: readonly (readonly [at: number, units: number])[] = [],
): ForecastWindow => ({
  ...{ window: 'minute', limit, periodMs: 60_000 },
  used: used.map(([at, units]) => ({ from: at, to: at, units })),
  release: (at) => ({ from: at + 60_000, to: at + 60_000 }),
});
