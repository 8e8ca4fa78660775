import { describe, expect, it } from 'vitest';
import { pictureOf } from '../../../src/cli/assets/screen.ts';
import { etaMs, type Progress } from '../../../src/cli/assets/tally.ts';
import type { QuotaReading, ShownWindow } from '../../../src/cli/quota/reading.ts';

const AT = Date.UTC(2026, 0, 15, 12, 0, 20);
const reading = (...windows: ShownWindow[]): QuotaReading => ({
  at: AT,
  status: 200,
  cost: 1,
  windows,
  binding: undefined,
  malformed: [],
});
const minute = (remaining: number): ShownWindow => ({ window: 'minute', limit: 50, remaining, endsAt: AT + 40_000 });
const month: ShownWindow = { window: 'month', limit: 10_000, remaining: 9_000, endsAt: AT + 10 * 86_400_000 };

describe('the time to go', () => {
  it.for<[units: number, windows: ShownWindow[], ms: number]>([
    [50, [minute(50)], 0],
    [51, [minute(50)], 40_000],
    [100, [minute(50)], 40_000],
    [101, [minute(50)], 100_000],
    [10, [minute(0)], 40_000],
    [500, [minute(50), month], 40_000 + 8 * 60_000],
    [9_001, [month], 10 * 86_400_000],
    [9, [], 0],
    [9, [{ window: 'endpoint', limit: 5, remaining: 0, endsAt: AT + 5_000 }], 0],
  ])('for %i units is what the slowest window takes', ([units, windows, ms]) => {
    expect(etaMs(reading(...windows), units)).toBe(ms);
  });
});

describe('the picture of a job', () => {
  const progress: Progress = {
    total: 300,
    done: 145,
    failed: 5,
    inFlight: 4,
    requests: 154,
    limited: 0,
    reading: reading(minute(10), month),
    etaMs: 160_000,
    standstill: undefined,
  };
  const draw = (more: Partial<Progress> = {}): string[] =>
    pictureOf({ ...progress, ...more }, { columns: 79, colours: false, redraws: true }, AT);

  it('says how far it is, how long it will take, and what is left of the quota', () => {
    expect(draw()).toEqual([
      'done   ████████████████░░░░░░░░░░░░░░░░ 145 of 300            50 %, 3 min to go',
      'minute ██████░░░░░░░░░░░░░░░░░░░░░░░░░░    10 of 50 left      resets in 40 s',
      'month  █████████████████████████████░░░ 9,000 of 10,000 left  resets in 10 days',
      '4 in flight, 5 failed',
    ]);
  });

  it('says why it stands still, and until when', () => {
    expect(draw({ standstill: { why: 'the minute is full', until: AT + 40_000 } }).at(-1)).toBe(
      'Waiting until 2026-01-15T12:01:00Z (in 40 s): the minute is full.',
    );
  });
});
