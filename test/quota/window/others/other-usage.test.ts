import { describe, expect, it } from 'vitest';
import { aligned } from '../../../../src/quota/models/aligned.ts';
import type { WindowReading } from '../../../../src/quota/models/model.ts';
import { slidingLog } from '../../../../src/quota/models/sliding-log.ts';
import type { Period } from '../../../../src/quota/time/periods.ts';
import { ServerClock } from '../../../../src/quota/time/server-clock.ts';
import type { Contention } from '../../../../src/quota/window/others/contended-rate.ts';
import type { Shown } from '../../../../src/quota/window/others/demand.ts';
import type { OtherConsumers } from '../../../../src/quota/window/others/other-consumers.ts';
import { OtherUsage } from '../../../../src/quota/window/others/other-usage.ts';
import { CandidateShapes } from '../../../../src/quota/window/shape/candidates.ts';
import { knownClock, readingsOf } from '../../support/builders.ts';

const LIMIT = 100;
const reading = readingsOf(LIMIT, 100);

interface Told {
  readonly units: number;
  readonly shown: Shown;
  readonly contention: Contention | undefined;
}

/** What the estimate of other consumers is told of a reading. */
function usage(
  period: Period,
  { clock = knownClock(), shape = aligned, settled = 0, isShared = false } = {},
): { readonly usage: OtherUsage; readonly told: Told[] } {
  const told: Told[] = [];
  const otherConsumers: Pick<OtherConsumers, 'observe'> = {
    observe: (units, _reading, shown, contention) => told.push({ units, shown, contention: contention?.() }),
  };
  const known = {
    clock,
    answered: { settledSince: () => settled } as never,
    candidates: new CandidateShapes([shape.create(period, clock, false)], 60_000),
    otherConsumers: otherConsumers as OtherConsumers,
    shareLimit: { isShared },
  };
  return { usage: new OtherUsage(period, known), told };
}

/** What it is told of these readings of a minute, in which nothing is unexplained, unless said otherwise. */
function shownOf(readings: readonly WindowReading[], given: Parameters<typeof usage>[1] = {}): readonly Shown[] {
  const { usage: minute, told } = usage('minute', given);
  for (const each of readings) minute.onReading(0, each);
  return told.map(({ shown }) => shown);
}

describe('what a reading tells of other consumers', () => {
  it('is what is unexplained, less what a cache may have answered since the one before', () => {
    const { usage: minute, told } = usage('minute');
    minute.onCached(2);
    minute.onCached(1);
    minute.onReading(5, reading(1_000, 10));
    minute.onReading(5, reading(2_000, 10));
    minute.onCached(9);
    minute.onReading(5, reading(3_000, 10));
    expect(told.map(({ units }) => units)).toEqual([2, 5, 0]);
  });

  it('is nothing in a shared quota, where siblings use it', () => {
    const { usage: minute, told } = usage('minute', { isShared: true });
    minute.onReading(5, reading(1_000, 10));
    expect(told).toEqual([]);
  });

  it('is at first that they were there a moment ago: of a second, unless it is full', () => {
    const first = (period: Period, used: number, longer?: number): number | undefined => {
      const { usage: window, told } = usage(period);
      window.onReading(undefined, reading(1_000, used), longer === undefined ? undefined : { used: longer });
      return told[0]?.units;
    };
    expect([first('second', 10), first('second', LIMIT), first('minute', 10)]).toEqual([9, 0, 0]);
    // The minute counts no more: they began with this client.
    expect([first('second', LIMIT, LIMIT), first('second', LIMIT, LIMIT + 1)]).toEqual([LIMIT - 1, 0]);
  });
});

describe('what a reading shows of the time before it', () => {
  it('is all of it in a second', () => {
    const { usage: second, told } = usage('second');
    second.onReading(0, reading(500, LIMIT, { held: 90 }));
    expect(told[0]?.shown).toEqual({ startedAt: -Infinity, isFull: false, isBlurred: false, used: LIMIT });
  });

  it('is what has come since a minute of the calendar began, where the clock is known', () => {
    const [shown] = shownOf([reading(90_000, 10)]);
    expect(shown?.startedAt).toBeGreaterThanOrEqual(60_000);
    expect(shown?.startedAt).toBeLessThan(60_050);
    expect(shownOf([reading(90_000, 10)], { shape: slidingLog })[0]?.startedAt).toBe(-Infinity);
    expect(shownOf([reading(90_000, 10)], { clock: new ServerClock() })[0]?.startedAt).toBe(-Infinity);
  });

  it('is of the next minute already where it counts less than the one before and that may have begun', () => {
    const across = 59_950;
    const [, more] = shownOf([reading(30_000, 10), reading(across, 10)]);
    expect(more?.startedAt).toBeLessThan(1_000);
    const [, less] = shownOf([reading(30_000, 10), reading(across, 9)]);
    expect(less?.startedAt).toBeGreaterThan(59_000);
    const [, , again] = shownOf([reading(30_000, 10), reading(40_000, 5), reading(across, 9)]);
    expect(again?.startedAt).toBeLessThan(1_000);
  });

  it('is blurred by more than a two-hundredth of the limit under way', () => {
    const isBlurred = (held: number): unknown => shownOf([reading(1_000, 10, { held })])[0]?.isBlurred;
    expect([isBlurred(0.5), isBlurred(0.6)]).toEqual([false, true]);
  });

  it('is that nothing more could be taken of a full window of which no unit is free before it ends', () => {
    expect(shownOf([reading(1_000, LIMIT - 1), reading(1_000, LIMIT)]).map(({ isFull }) => isFull)).toEqual([
      false,
      true,
    ]);
    expect(shownOf([reading(1_000, LIMIT)], { shape: slidingLog })[0]?.isFull).toBe(false);
  });
});

describe('what is known of a second that others use, too', () => {
  it('is whether it counts more than this client sent in it, and how much of it was over when the request arrived', () => {
    const contention = (used: number): Contention | undefined => {
      const { usage: second, told } = usage('second', { settled: 3 });
      second.onReading(0, reading(5_200, used, { held: 2 }));
      return told[0]?.contention;
    };
    expect([contention(6)?.isShared, contention(7)?.isShared]).toEqual([false, true]);
    expect(contention(6)?.elapsed).toBeGreaterThan(0.2);
    expect(contention(6)?.elapsed).toBeLessThan(0.27);
  });
});
