import { describe, expect, it } from 'vitest';
import { aligned } from '../../../src/quota/models/aligned.ts';
import { leaky } from '../../../src/quota/models/leaky.ts';
import { slidingCounter } from '../../../src/quota/models/sliding-counter.ts';
import { slidingLog } from '../../../src/quota/models/sliding-log.ts';
import type { Shapes } from '../../../src/quota/share-limit.ts';
import type { Period } from '../../../src/quota/time/periods.ts';
import { SharedWindow, ttlOf } from '../../../src/sharing/slots/window.ts';
import { SharedWindows } from '../../../src/sharing/slots/windows.ts';
import { BEGIN, calendar, DATED, exactly, instanceAt, UNKNOWN } from '../support/small.ts';

describe('a window that processes share', () => {
  it('of the calendar has one instance for each instant, and two for an arrival on its edge', () => {
    const windows = calendar({ minute: 100 });
    const minute = windows.of('minute') as SharedWindow;
    expect(minute.instances(exactly(BEGIN)).map(({ end }) => end)).toEqual([BEGIN + 60_000]);
    expect(minute.instances({ least: BEGIN - 1, most: BEGIN })).toHaveLength(2);
  });

  it('of a month ends with the month, be it February of a leap year', () => {
    const windows = calendar({ month: 100 });
    const { end } = instanceAt(windows, 'month', Date.UTC(2028, 1, 29, 23, 59, 59, 999));
    expect(end).toBe(Date.UTC(2028, 2));
  });

  it('of the calendar counts as one that slides until the service’s clock is known, whichever window that is, and from then on at once', () => {
    const clock = { isDated: false };
    const windows = new SharedWindows(clock);
    const all = (['second', 'minute'] as const).map((period) =>
      windows.open(period, 100, { alive: [aligned], epoch: 0 }),
    );
    const counts = (): number[] => all.map((window) => window.instances(exactly(BEGIN)).length);
    expect(counts()).toEqual([12, 32]);
    clock.isDated = true;
    expect(counts()).toEqual([1, 1]);
  });

  it('that drains has a step of its units to divide among needy processes, and any other all of them', () => {
    const divided = (period: Period, ...alive: Shapes['alive']): number =>
      new SharedWindow(period, 50, { alive, epoch: 0 }, DATED).divided;
    expect([divided('minute', leaky), divided('second', leaky), divided('minute', leaky, slidingLog)]).toEqual([
      50 / 30,
      50,
      50,
    ]);
  });

  it('has thirty steps if it slides, and a second ten, which are no shorter than a trip', () => {
    const ends = (period: 'second' | 'minute'): number[] =>
      new SharedWindow(period, 100, { alive: [slidingLog], epoch: 0 }, DATED)
        .instances(exactly(BEGIN))
        .map(({ end }) => end - BEGIN);
    expect(ends('second')).toEqual(Array.from({ length: 11 }, (_, nth) => (nth + 1) * 100));
    expect(ends('minute')).toEqual(Array.from({ length: 31 }, (_, nth) => (nth + 1) * 2_000));
  });

  it('that slides counts a unit in every stretch of its length, cut into steps, that may hold it', () => {
    const minute = new SharedWindow('minute', 100, { alive: [slidingLog], epoch: 0 }, DATED);
    const instances = minute.instances(exactly(BEGIN + 1_000));
    // Thirty steps of two seconds, and one more because the unit came somewhere within its own.
    expect(instances).toHaveLength(31);
    expect(Math.max(...instances.map(({ end }) => end))).toBe(BEGIN + 62_000);
    // Two units a minute apart share none; less than that, and they do.
    const names = new Set(instances.map(({ name }) => name));
    expect(minute.instances(exactly(BEGIN + 62_000)).some(({ name }) => names.has(name))).toBe(false);
    expect(minute.instances(exactly(BEGIN + 60_999)).some(({ name }) => names.has(name))).toBe(true);
  });

  it('that is the calendar’s, or an estimate from two of its windows, is counted by those alone', () => {
    const minute = new SharedWindow('minute', 100, { alive: [aligned, slidingCounter], epoch: 0 }, DATED);
    expect(minute.instances(exactly(BEGIN)).map(({ name }) => name)).toEqual([`minute:${BEGIN / 1_000}`]);
  });

  it('that drains counts a unit in one of its steps, the later one of two, and knows all steps from which something may be left', () => {
    const bucket = (limit: number) => new SharedWindow('minute', limit, { alive: [leaky], epoch: 0 }, DATED);
    const namesOf = (from: number, to: number) =>
      bucket(300)
        .instances({ least: BEGIN + from, most: BEGIN + to })
        .map(({ end, limit }) => [end - BEGIN, limit]);
    expect(namesOf(0, 999)).toEqual([[2_000, 300]]);
    expect(namesOf(1_500, 2_500)).toEqual([[4_000, 300]]);
    expect(namesOf(1_500, 4_500)).toEqual([
      [6_000, 300],
      [2_000, 300],
    ]);
    const steps = bucket(300).steps({ least: BEGIN, most: BEGIN + 4_000 });
    expect(steps.map(({ drain }) => drain)).toEqual([0, ...new Array(34).fill(10_000)]);
    expect([steps[0]?.end, steps.at(-1)?.end]).toEqual([BEGIN - 62_000, BEGIN + 6_000]);
    // Of few units a step drains less than one.
    expect(
      bucket(5)
        .steps(exactly(BEGIN))
        .map(({ drain }) => drain),
    ).toEqual([0, ...new Array(32).fill(166)]);
  });

  it('is remembered by the store until a little after its end', () => {
    const instance = instanceAt(calendar({ minute: 100 }), 'minute', BEGIN);
    expect(ttlOf(instance, BEGIN)).toBe(70_000);
    expect(ttlOf(instance, BEGIN + 600_000)).toBe(10_000);
    // What drains counts for the length of the window and two steps more.
    const bucket = new SharedWindow('minute', 300, { alive: [leaky], epoch: 0 }, DATED);
    const [step] = bucket.steps(exactly(BEGIN)).slice(-1);
    expect(step && ttlOf(step, BEGIN)).toBe(2_000 + 64_000 + 10_000);
  });
});

describe('the windows of a service', () => {
  it('come shortest first, however they became known, and are forgotten together', () => {
    const windows = new SharedWindows(DATED);
    for (const period of ['month', 'second', 'minute'] as const) windows.open(period, 10, UNKNOWN);
    expect([...windows].map(({ period }) => period)).toEqual(['second', 'minute', 'month']);
    windows.keep(new Set(['minute'] as const));
    expect([...windows].map(({ period }) => period)).toEqual(['minute']);
  });

  it('are in doubt if one of them is', () => {
    const windows = calendar({ minute: 100 });
    expect([windows.size, windows.isInDoubt]).toEqual([1, false]);
    windows.open('second', 10, UNKNOWN);
    expect([windows.size, windows.isInDoubt]).toEqual([2, true]);
  });

  it('stay the same objects when another limit is read, because slots that are held name them', () => {
    const windows = calendar({ minute: 100 });
    const before = windows.of('minute');
    expect(windows.open('minute', 50, UNKNOWN)).toBe(before);
    expect(before).toMatchObject({ limit: 50 });
  });
});
