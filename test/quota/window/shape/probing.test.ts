import { describe, expect, it } from 'vitest';
import { aligned } from '../../../../src/quota/models/aligned.ts';
import { modelsOf, SHAPES } from '../../../../src/quota/models/all.ts';
import { leaky } from '../../../../src/quota/models/leaky.ts';
import type { Shape } from '../../../../src/quota/models/model.ts';
import { slidingCounter } from '../../../../src/quota/models/sliding-counter.ts';
import { slidingLog } from '../../../../src/quota/models/sliding-log.ts';
import { wholeShareLimit } from '../../../../src/quota/share-limit.ts';
import { type Period, periodMsOf } from '../../../../src/quota/time/periods.ts';
import { ServerClock } from '../../../../src/quota/time/server-clock.ts';
import { Concurrency } from '../../../../src/quota/usage/concurrency.ts';
import { InFlight } from '../../../../src/quota/usage/in-flight.ts';
import { SentInWindow } from '../../../../src/quota/window/sent-in-window.ts';
import { CandidateShapes } from '../../../../src/quota/window/shape/candidates.ts';
import { ShapeProbing } from '../../../../src/quota/window/shape/probing.ts';
import { charge, knownClock, readingsOf } from '../../support/builders.ts';

const MINUTE_MS = 60_000;

/** Doubt about a minute in which a request went at 0, of a service that shows a clock or none. */
function doubtOf(clock: ServerClock): ShapeProbing {
  const flights = new InFlight(new Concurrency(10), 9_000);
  const sent = new SentInWindow('minute', clock);
  const doubt = new ShapeProbing('minute', {
    clock,
    flights,
    shareLimit: wholeShareLimit,
    candidates: new CandidateShapes(modelsOf('minute', clock), MINUTE_MS),
    sent,
  });
  doubt.onSent(1, 0);
  sent.onSent(1, 0);
  return doubt;
}

/** Until when probing holds a request back; `now`: not at all. */
function heldUntil({ pacings }: ShapeProbing, units: number, limit: number, now: number): number {
  return Math.max(...pacings.map((pacing) => pacing.earliest(units, limit, now)));
}

describe('a window that refused what no shape forbids', () => {
  it('is spent evenly for ten minutes where no clock is shown, with one unit less than it holds', () => {
    const doubt = doubtOf(new ServerClock());
    expect(heldUntil(doubt, 1, 101, 10)).toBe(10);
    doubt.onUnexplainedRefusal(5);
    expect(heldUntil(doubt, 1, 101, 10)).toBe(MINUTE_MS / 100);
    expect(heldUntil(doubt, 1, 101, 600_005)).toBe(600_005);
  });

  it.each([
    [1, 1, 2],
    [2, 1, 1],
    [2, 2, 2],
    [5, 3, 1.5],
    [5, 4, 2],
  ])(
    'of %i units lets one of %i go after %f windows, as an estimate from two may still count all',
    (limit, units, windows) => {
      const doubt = doubtOf(new ServerClock());
      doubt.onUnexplainedRefusal(5);
      expect(heldUntil(doubt, units, limit, 10)).toBe(windows * MINUTE_MS);
    },
  );

  it('is no reason to wait where there is a clock, by which its shape will show', () => {
    const clock = new ServerClock();
    clock.observe(0, 0, 0);
    const doubt = doubtOf(clock);
    doubt.onUnexplainedRefusal(5);
    expect(heldUntil(doubt, 1, 101, 10)).toBe(10);
  });
});

/** Probing of a window that may have these shapes; a request of one unit was sent at 100 ms. */
function probing(
  period: Period,
  {
    shapes = SHAPES,
    isShared = false,
    clock = knownClock(),
    sent = new SentInWindow(period, clock),
  }: { shapes?: readonly Shape[]; isShared?: boolean; clock?: ServerClock; sent?: SentInWindow } = {},
): ShapeProbing {
  const flights = new InFlight(new Concurrency(10), 9_000);
  const candidates = new CandidateShapes(modelsOf(period, clock, shapes), periodMsOf(period));
  const made = new ShapeProbing(period, { clock, flights, shareLimit: { isShared }, candidates, sent });
  made.onSent(1, 100);
  sent.onSent(1, 100);
  return made;
}

const reading = readingsOf(100, 50);

describe('the units that are reserved for a probe of a long window', () => {
  const units = (one: ShapeProbing, used: number, now = 200): number => {
    one.onReading(reading(100, used), 100);
    return one.units(charge(), 100, now);
  };

  it('are those of a request past the end, and of one after a rest where usage may drain', () => {
    expect(units(probing('minute'), 10)).toBe(2);
    expect(units(probing('minute', { shapes: [aligned, slidingLog] }), 10)).toBe(1);
  });

  it('are none in a short window, beside siblings, without a clock, or where no shape follows the calendar or only one is left', () => {
    expect(units(probing('second'), 10)).toBe(0);
    expect(units(probing('minute', { isShared: true }), 10)).toBe(0);
    expect(units(probing('minute', { clock: new ServerClock() }), 10)).toBe(0);
    expect(units(probing('minute', { shapes: [leaky, slidingLog] }), 10)).toBe(0);
    expect(units(probing('minute', { shapes: [aligned] }), 10)).toBe(0);
  });

  it('are needed no more after a rest in which four units have drained, in a window that is half full', () => {
    expect(units(probing('minute'), 50, 100 + 2_399)).toBe(2);
    expect(units(probing('minute'), 50, 100 + 2_400)).toBe(1);
    expect(units(probing('minute'), 49, 100 + 2_400)).toBe(2);
  });

  it('are released after that rest, or at the end of the window', () => {
    const resting = probing('minute');
    resting.onReading(reading(100, 50), 100);
    expect(resting.releasesAt(1, 100, 200)).toBe(2_500);
    const other = probing('minute', { shapes: [aligned, slidingLog] });
    other.onReading(reading(100, 50), 100);
    expect(other.releasesAt(1, 100, 200)).toBeGreaterThanOrEqual(60_000);
  });
});

describe('a trial past the end of a window that others use, too', () => {
  const trial = (one: ShapeProbing, isContested: boolean): number => {
    one.onReading(reading(100, 10), 100);
    return one.trialFor(3, isContested);
  };

  it('is due at the end of a long one that may follow the calendar', () => {
    expect(trial(probing('minute'), true)).toBeGreaterThanOrEqual(60_000);
    expect(trial(probing('minute'), true)).toBeLessThan(60_100);
  });

  it('is never due where they do not, in a short one, or where no shape follows the calendar', () => {
    expect(trial(probing('minute'), false)).toBe(Infinity);
    expect(trial(probing('second'), true)).toBe(Infinity);
    expect(trial(probing('minute', { shapes: [leaky, slidingLog] }), true)).toBe(Infinity);
  });
});

describe('a second that may be left empty', () => {
  const sliding = [slidingLog, slidingCounter];

  /** Until when a request is held back in a second in four, after a busy one. */
  function idle(period: Period, more: Parameters<typeof probing>[1]): number {
    const sent = new SentInWindow(period, knownClock());
    const one = probing(period, { ...more, sent });
    one.onSent(60, 3_500);
    sent.onSent(60, 3_500);
    return heldUntil(one, 1, 100, 4_500);
  }

  it('is one of a window whose two shapes even requests do not tell apart', () => {
    expect(idle('second', { shapes: sliding })).toBeGreaterThanOrEqual(5_000);
  });

  it('is none in a longer window, beside siblings, of one shape, or while requests are spaced evenly', () => {
    expect(idle('minute', { shapes: sliding })).toBe(4_500);
    expect(idle('second', { shapes: sliding, isShared: true })).toBe(4_500);
    expect(idle('second', { shapes: [slidingLog] })).toBe(4_500);
    expect(idle('second', { shapes: [slidingLog, aligned] })).toBe(4_500);
    expect(idle('second', { shapes: sliding, clock: new ServerClock() })).toBe(4_500);
  });
});
