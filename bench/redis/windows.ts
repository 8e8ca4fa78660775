import { endOf, type Limit, lengthOf, type Period, startOf } from './calendar.ts';

/** How a window counts. */
export type Shape = 'calendar' | 'sliding log' | 'token bucket' | 'first request';

/** A limit with its usage. Instants are milliseconds of the service's clock and never decrease. */
export interface Window {
  readonly period: Period;
  readonly limit: number;
  /** Units available at an instant. */
  left(at: number): number;
  /** When a unit is available again, if none is now. */
  freeAt(at: number): number;
  /** Counts one unit. */
  count(at: number): void;
}

/** Creates a window. A month is always a calendar month. */
export function createWindow({ period, limit }: Limit, shape: Shape): Window {
  if (shape === 'calendar' || period === 'month') return calendar(period, limit);
  if (shape === 'sliding log') return slidingLog(period, limit);
  return shape === 'token bucket' ? tokenBucket(period, limit) : firstRequest(period, limit);
}

function calendar(period: Period, limit: number): Window {
  let start = Number.NaN;
  let used = 0;
  const usedAt = (at: number): number => (startOf(period, at) === start ? used : 0);
  return {
    ...{ period, limit },
    left: (at) => limit - usedAt(at),
    freeAt: (at) => endOf(period, at),
    count(at) {
      used = usedAt(at) + 1;
      start = startOf(period, at);
    },
  };
}

/** At most `limit` units in any interval of the period's length. */
function slidingLog(period: Period, limit: number): Window {
  const length = lengthOf(period);
  const counted: number[] = [];
  const expire = (at: number): void => {
    while (counted[0] !== undefined && counted[0] + length <= at) counted.shift();
  };
  return {
    ...{ period, limit },
    left(at) {
      expire(at);
      return limit - counted.length;
    },
    freeAt: (at) => (counted[0] ?? at) + length,
    count: (at) => void counted.push(at),
  };
}

/** A bucket of `limit` units, initially full, that is refilled at `limit` units per period. */
function tokenBucket(period: Period, limit: number): Window {
  const perMs = limit / lengthOf(period);
  let level = limit;
  let last = Number.NaN;
  const levelAt = (at: number): number => (Number.isNaN(last) ? limit : Math.min(limit, level + (at - last) * perMs));
  return {
    ...{ period, limit },
    left: (at) => Math.floor(levelAt(at)),
    freeAt: (at) => at + (1 - levelAt(at)) / perMs,
    count(at) {
      level = levelAt(at) - 1;
      last = at;
    },
  };
}

/** A window that starts with the first request after the end of the previous window. */
function firstRequest(period: Period, limit: number): Window {
  const length = lengthOf(period);
  let start = -Infinity;
  let used = 0;
  const isOpen = (at: number): boolean => at < start + length;
  return {
    ...{ period, limit },
    left: (at) => (isOpen(at) ? limit - used : limit),
    freeAt: () => start + length,
    count(at) {
      if (!isOpen(at)) {
        start = at;
        used = 0;
      }
      used++;
    },
  };
}
