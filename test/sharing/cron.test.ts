import { describe, expect, it } from 'vitest';
import { seeded, type WindowKind } from '../../src/testing/index.ts';
import { DEEP, runs } from '../support/deep.ts';
import { fleetOf } from './support/fleet.ts';
import { again, type Repetition } from './support/jobs.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const PATIENCE_MS = 30_000;

/** A job that makes calls one after the other, again and again. */
interface Job extends Repetition {
  readonly period: 'hour' | 'day';
  readonly limit: number;
  readonly calls: number;
}

const JOBS = {
  'nine tenths of an hour each hour': {
    period: 'hour',
    limit: 20,
    calls: 18,
    times: 24,
    everyMs: HOUR_MS,
    lateMs: 30_000,
  },
  'three calls each ten minutes': {
    period: 'hour',
    limit: 20,
    calls: 3,
    times: 60,
    everyMs: HOUR_MS / 6,
    lateMs: 30_000,
  },
  'one call each ten minutes, as many as an hour allows': {
    period: 'hour',
    limit: 6,
    calls: 1,
    times: runs(42, 72),
    everyMs: HOUR_MS / 6,
    lateMs: 30_000,
  },
  'all but two of a day each night': {
    period: 'day',
    limit: 50,
    calls: 48,
    times: 8,
    everyMs: 24 * HOUR_MS,
    lateMs: 60_000,
  },
  'a fifth of a day each five hours': {
    period: 'day',
    limit: 50,
    calls: 10,
    times: 40,
    everyMs: 5 * HOUR_MS,
    lateMs: 60_000,
  },
} as const satisfies Readonly<Record<string, Job>>;

/** How many calls of a job fail, and how many requests are refused. `by`: one client alone, two in turn that live on, or a new one each time. */
async function play(
  job: Job,
  kind: WindowKind,
  by: 'one' | 'two' | 'new',
  seed: number,
): Promise<{ readonly failed: number; readonly refused: number }> {
  const { period, limit, calls, times } = job;
  const random = seeded(seed);
  const start = Date.UTC(2026, 2, 10) + Math.floor(random() * 24 * HOUR_MS);
  const quota = {
    keyed: { second: 10, [period]: limit, month: 100_000 },
    windows: { [period]: kind },
    latencyMs: [20, 80],
  };
  const size = { one: 1, two: 2, new: times }[by];
  const fleet = fleetOf(size, quota as never, {}, { start, seed, isShared: by !== 'one' });
  let failed = 0;
  await again(fleet, job, random, by === 'new', async (client) => {
    for (let call = 0; call < calls; call++) await client.getInfo({ maxWaitMs: PATIENCE_MS }).catch(() => failed++);
  });
  return { failed, refused: fleet.limited };
}

/**
 * How many more calls fail than where one client makes all of them, at most: of two in turn that live on, and of a new one each time. Of an hour one
 * job may come too early for what slides out; a new process sees none of the hours before, so it does not rule out an estimate of a day.
 */
type Bounds = readonly [job: keyof typeof JOBS, kind: WindowKind, two: number, anew: number];

const WORLDS: readonly Bounds[] = [['one call each ten minutes, as many as an hour allows', 'leaky', 0, 4]];

const MORE: readonly Bounds[] = [
  ['three calls each ten minutes', 'first-request', 2, 2],
  ['nine tenths of an hour each hour', 'first-request', 20, 20],
  ['a fifth of a day each five hours', 'sliding-log', 12, 60],
  ['nine tenths of an hour each hour', 'sliding-log', 36, 36],
  ['nine tenths of an hour each hour', 'aligned', 2, 2],
  ['nine tenths of an hour each hour', 'leaky', 2, 2],
  ['three calls each ten minutes', 'aligned', 2, 2],
  ['all but two of a day each night', 'first-request', 20, 20],
  ['a fifth of a day each five hours', 'leaky', 2, 2],
];

describe('a job that runs now and then, of processes that share a key, fails few more calls than that of one client:', () => {
  it.each(DEEP ? [...WORLDS, ...MORE] : WORLDS)('%s, of a window that is %s', async (name, kind, two, anew) => {
    for (const seed of DEEP ? [1, 2, 3] : [1]) {
      const [alone, inTurn, fresh] = [
        await play(JOBS[name], kind, 'one', seed),
        await play(JOBS[name], kind, 'two', seed),
        await play(JOBS[name], kind, 'new', seed),
      ];
      expect(inTurn.failed - alone.failed).toBeLessThanOrEqual(two);
      expect(fresh.failed - alone.failed).toBeLessThanOrEqual(anew);
      expect([inTurn.refused, fresh.refused]).toEqual([0, 0]);
    }
  });
});

describe('a job of each day, of two processes that share a key and make it in turn,', () => {
  it.runIf(DEEP)(
    'is not refused by a second, although the clock of a process that has slept for two days is vague',
    async () => {
      const quota = { keyed: { second: 20, minute: 1_000, month: 2_000 }, latencyMs: [20, 80] };
      for (const seed of [1, 2, 3, 4]) {
        const random = seeded(seed);
        const start = Date.UTC(2026, 2, 10) + Math.floor(random() * 24 * HOUR_MS);
        const fleet = fleetOf(2, quota as never, {}, { start, seed });
        const days = { times: 25, everyMs: 24 * HOUR_MS, lateMs: MINUTE_MS };
        await again(fleet, days, random, false, (client) => {
          let left = 30;
          const worker = async (): Promise<void> => {
            while (left-- > 0) await client.getInfo();
          };
          return Promise.all(Array.from({ length: 5 }, worker));
        });
        expect(fleet.limited).toBe(0);
      }
    },
  );
});
