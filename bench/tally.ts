import { type Period, startOf } from '../src/quota/time/periods.ts';

/** Limits so wide that no call waits. */
const LIMITS: readonly (readonly [Period, number])[] = [
  ['second', 1e7],
  ['minute', 1e8],
  ['month', 1e10],
];

/** The state of one window, for the headers. */
export interface Said {
  readonly period: Period;
  readonly limit: number;
  readonly remaining: number;
}

/** Counts requests in calendar windows, one unit each. */
export class Tally {
  readonly #windows = LIMITS.map(([period, limit]) => ({ period, limit, start: 0, used: 0 }));

  /** Counts one request and returns what remains. `now` is in milliseconds since the Unix epoch. */
  count(now: number): readonly Said[] {
    return this.#windows.map((window) => {
      const start = startOf(window.period, now);
      window.used = start === window.start ? window.used + 1 : 1;
      window.start = start;
      return { period: window.period, limit: window.limit, remaining: window.limit - window.used };
    });
  }
}
