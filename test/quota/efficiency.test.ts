import { describe, expect, it } from 'vitest';
import { DEEP } from '../support/deep.ts';
import { drive, type Job } from './support/drive.ts';
import type { Terms } from './support/service.ts';
import { shortestPossible } from './support/shortest.ts';

const terms: Omit<Terms, 'startsAt'> = {
  shape: 'aligned',
  limits: { second: 20, minute: 500 },
  charges: 'before',
  hasQuota: true,
  hasDate: true,
  reset: 'seconds',
  hasRetryAfter: true,
};

const job: Job = {
  calls: Array.from({ length: 3_000 }, () => ({ endpoint: 'GET /extended/v1/address/:address/assets', cost: 1 })),
  concurrency: 32,
  up: [10, 100],
  down: [10, 100],
  origin: 4_321_000,
  wall: Date.UTC(2026, 5, 15, 10, 20, 23, 456),
  seed: 20_260_615,
};

describe('3,000 calls at 20 a second and 500 a minute, over round trips of 20 to 200 ms,', () => {
  it.each(DEEP ? [-45_000, 0, 45_000] : [-45_000])(
    "are made in the shortest possible time, within 1 %, with the service's clock %i ms ahead",
    (ms) => {
      const theirs = { ...terms, startsAt: job.wall + ms };
      const run = drive(theirs, job);
      const shortest =
        shortestPossible(
          theirs,
          job.calls.map(({ cost }) => cost),
          job.up[0],
        ) +
        job.up[0] +
        job.down[0];
      expect(run.refusals).toBe(0);
      expect(run.doneAt).toBeGreaterThanOrEqual(shortest);
      expect(run.doneAt).toBeLessThan(shortest * 1.01);
    },
  );

  it('and by a log of the last second and minute within 2 %', () => {
    const theirs: Terms = { ...terms, shape: 'sliding-log', startsAt: job.wall };
    const run = drive(theirs, { ...job, seed: 1 });
    expect(run.refusals).toBe(0);
    expect(run.doneAt).toBeLessThan(
      shortestPossible(
        theirs,
        job.calls.map(({ cost }) => cost),
        0,
      ) * 1.02,
    );
  });
});

describe('calls by a log of the last second', () => {
  const theirs: Terms = { ...terms, limits: { second: 20 }, shape: 'sliding-log', startsAt: job.wall };
  const calls = job.calls.slice(0, 1_000);
  const secondsOf = (up: Job['up'], down: Job['down']): number => {
    const { refusals, doneAt = Number.NaN } = drive(theirs, { ...job, calls, up, down });
    expect(refusals).toBe(0);
    return doneAt / 1_000;
  };

  // Twenty a second and a round trip would take 54.9 s; knowing the way of each, 49.1.
  it('lose half of a round trip where none is much shorter', () => {
    expect(secondsOf([50, 50], [50, 50])).toBeLessThan(53.8);
  });

  it('lose a whole one where some take next to nothing', () => {
    expect(secondsOf([0, 100], [0, 100])).toBeGreaterThan(53.8);
  });
});
