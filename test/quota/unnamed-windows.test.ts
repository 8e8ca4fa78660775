import { describe, expect, it } from 'vitest';
import { drive, type Run } from './support/drive.ts';
import type { Terms } from './support/service.ts';

const WALL = Date.UTC(2026, 5, 15, 10, 20, 17, 400);

/** The round trip, in milliseconds. */
const TRIP_MS = 60;

/** So many calls to a service whose answers carry `ratelimit-*` alone, all at once. */
function callsTo(many: number, terms: Pick<Terms, 'shape' | 'limits'> & Partial<Terms>): Run {
  const theirs: Terms = {
    charges: 'before',
    startsAt: WALL,
    hasQuota: false,
    hasDate: true,
    reset: 'seconds left',
    hasRetryAfter: false,
    ...terms,
  };
  return drive(theirs, {
    calls: Array.from({ length: many }, () => ({ endpoint: 'GET /a', cost: 1 })),
    concurrency: 10,
    up: [TRIP_MS / 2, TRIP_MS / 2],
    down: [TRIP_MS / 2, TRIP_MS / 2],
    origin: 123_456,
    wall: WALL,
    seed: 1,
  });
}

/** How many windows were waited for, of those that so many calls fill. */
function lengthsOf({ doneAt = Number.NaN }: Run, many: number, limit: number, windowMs: number): number {
  return doneAt / (many / limit - 1) / windowMs;
}

describe('a second that ratelimit-* alone describes', () => {
  const told = (['seconds left', 'seconds', 'milliseconds'] as const).flatMap((reset) =>
    (['sliding-log', 'aligned'] as const).flatMap((shape) =>
      [true, false].map((hasDate) => [shape, reset, hasDate ? 'with' : 'without', hasDate] as const),
    ),
  );

  it.each(told)(
    '(%s), its reset in %s, %s date, refuses nothing and is filled after each round trip',
    (shape, reset, _, hasDate) => {
      const run = callsTo(150, { shape, reset, hasDate, limits: { second: 5 } });
      expect(run.refusals).toBe(0);
      expect(lengthsOf(run, 150, 5, 1_000)).toBeLessThan(1 + (4 * TRIP_MS) / 1_000);
    },
  );

  it.each(['seconds', 'milliseconds'] as const)(
    'is not waited for by a clock of ours that is two minutes slow, beyond the first time, without date, its reset in %s',
    (reset) => {
      const run = callsTo(150, {
        shape: 'aligned',
        reset,
        hasDate: false,
        startsAt: WALL + 120_000,
        limits: { second: 5 },
      });
      expect(run.refusals).toBe(0);
      expect(run.doneAt).toBeLessThan(123_000 + 29 * 1_300);
    },
  );
});

describe('a minute that ratelimit-* alone describes', () => {
  it.each([
    ['seconds', 119_000],
    ['milliseconds', 119_000],
  ] as const)(
    'costs few refusals without date, by a clock of ours that is two minutes fast, its reset in %s',
    (reset, ms) => {
      const run = callsTo(80, { shape: 'aligned', reset, hasDate: false, startsAt: WALL - ms, limits: { minute: 10 } });
      expect(run.refusals).toBeLessThanOrEqual(4);
      expect(lengthsOf(run, 80, 10, 60_000)).toBeLessThan(1.25);
    },
  );
});
