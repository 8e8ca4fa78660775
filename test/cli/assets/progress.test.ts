import { describe, expect, it } from 'vitest';
import { pictureOf } from '../../../src/cli/assets/screen.ts';
import type { Progress } from '../../../src/cli/assets/tally.ts';
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
    pictureOf({ ...progress, ...more }, { columns: 79, colours: false, redraws: true, unicode: true }, AT);

  it('says how far it is, how long it will take, and what is left of the quota', () => {
    expect(draw()).toEqual([
      'done   ████████████████░░░░░░░░░░░░░░░░ 145 of 300            50 %, 3 min to go',
      'minute ██████░░░░░░░░░░░░░░░░░░░░░░░░░░    10 of 50 left      resets in 40 s',
      'month  █████████████████████████████░░░ 9,000 of 10,000 left  resets in 10 days',
      '4 in flight, 0 refused, 5 failed',
    ]);
  });

  it('says why it stands still, and until when', () => {
    const standstill = { why: 'the minute is full', until: AT + 40_000, isOutage: false };
    expect(draw({ standstill }).slice(3)).toEqual([
      '4 in flight, 0 refused, 5 failed',
      'Waiting until 2026-01-15T12:01:00Z (in 40 s): the minute is full.',
    ]);
  });

  it('breaks a long reason between words, and into lines that fit', () => {
    const why = 'the second of 20 units is shared evenly until the service has shown which kind of window it is';
    const lines = draw({ standstill: { why, until: AT + 1_000, isOutage: false } }).slice(4);
    expect(lines).toHaveLength(2);
    expect(lines.join(' ')).toBe(`Waiting until 2026-01-15T12:00:21Z (in 1 s): ${why}.`);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(79);
  });

  it('promises no end while the service is down', () => {
    const standstill = { why: 'the last 8 requests failed', until: AT + 2_000, isOutage: true };
    expect(draw({ standstill })[0]).toMatch(/50 %$/);
  });

  it('is drawn in ASCII where the locale has nothing else', () => {
    const lines = pictureOf(progress, { columns: 79, colours: false, redraws: true, unicode: false }, AT);
    expect(lines[1]).toBe('minute ######..........................    10 of 50 left      resets in 40 s');
  });
});
