import { describe, expect, it } from 'vitest';
import {
  drainedIn,
  hasSteps,
  lastStep,
  SPARE_STEPS,
  spareOf,
  stepsAt,
  stepsUntil,
} from '../../../src/sharing/slots/drain.ts';

/** A step of a second is a tenth of it, one of a minute two seconds. */
const namesAt = (least: number, most: number, vagueMs: number): readonly string[] =>
  stepsAt('second', { least, most }, vagueMs).map(({ name }) => name);

describe('a window that drains', () => {
  it('is counted by steps, but for a second of a few units', () => {
    expect([hasSteps('second', 4), hasSteps('second', 5)]).toEqual([false, true]);
    expect([hasSteps('minute', 1), hasSteps('hour', 1)]).toEqual([true, true]);
  });

  it.each([
    ['second', 20, 0, 4],
    ['second', 20, 300, 4],
    ['second', 20, 301, 6],
    ['second', 20, 600, 10],
    ['second', 20, 10_000, 10],
    ['second', 5, 301, 2],
    ['minute', 500, 10_000, 0],
  ] as const)(
    'keeps free what drains while a request arrives: of a %s of %i units, uncertain by %i ms, %i units',
    (period, limit, vagueMs, units) => {
      expect(spareOf(period, limit, vagueMs)).toBe(units);
    },
  );

  it('drains evenly, in whole units', () => {
    expect([drainedIn('second', 20, 49), drainedIn('second', 20, 51), drainedIn('second', 20, -100)]).toEqual([
      1, 2, 0,
    ]);
  });
});

describe('a unit counts', () => {
  it.each([
    ['once in the last tenth that it may arrive in, where that is known to four', 10_050, 10_350, 0, [103]],
    ['in the fifth before it as well, where it is not', 10_050, 10_450, 0, [104, 100]],
    ['once, where four and a half are how uncertain each request is', 10_050, 10_450, 350, [104]],
    ['once in seven at most, however uncertain they are', 10_050, 10_750, 5_000, [107, 100]],
  ] as const)('%s', (_, least, most, vagueMs, steps) => {
    expect(namesAt(least, most, vagueMs)).toEqual(steps.map((index) => `second-drain-${index}`));
  });

  it('in the last step that a slot of its length touches, or that it is held for', () => {
    expect(lastStep('second', 10_050, 5_000, 0)).toMatchObject({ name: 'second-drain-103', from: 10_300, end: 10_400 });
    expect(lastStep('second', 10_050, 5_000, 350)).toMatchObject({ name: 'second-drain-104' });
    expect(lastStep('second', 10_050, 100, 350)).toMatchObject({ name: 'second-drain-101', from: 10_100 });
    expect(lastStep('minute', 10_050, 5_000, 350)).toMatchObject({ name: 'minute-drain-6', from: 12_000 });
  });
});

it('an ask names the steps of a window from so long ago that all has drained, and what each takes of the one before', () => {
  const steps = stepsUntil('second', 20, { least: 10_050, most: 10_250 });
  expect(steps).toHaveLength(10 + SPARE_STEPS + 3);
  expect(steps[0]).toEqual({ name: 'second-drain-88', end: 8_900, slides: 100, drain: 0 });
  expect(steps.at(-1)).toEqual({ name: 'second-drain-102', end: 10_300, slides: 100, drain: 2_000 });
});
