import { describe, expect, it } from 'vitest';
import { aligned } from '../../../src/quota/models/aligned.ts';
import { leaky } from '../../../src/quota/models/leaky.ts';
import { REFUTED_FROM, slidingCounter } from '../../../src/quota/models/sliding-counter.ts';
import { slidingLog } from '../../../src/quota/models/sliding-log.ts';
import type { Shapes } from '../../../src/quota/share-limit.ts';
import { SharedWindow, ttlOf } from '../../../src/sharing/slots/window.ts';
import { BEGIN, calendar, DATED, exactly } from '../support/small.ts';

describe('a window that processes share', () => {
  it('whose service estimates what slides is spent evenly, but only once a refusal or readings have shown that', () => {
    const estimated = (epoch: number) => new SharedWindow('second', 100, { alive: [slidingCounter], epoch }, DATED);
    const even = estimated(1)
      .instances(exactly(BEGIN))
      .filter(({ name }) => name.includes('even'));
    // When a second begins the nine steps before it count in full, and those of its first one come at once.
    expect(even.map((one) => [one.limit - one.window.spare(one, 1, 0), one.end - BEGIN])).toEqual([
      [10, expect.closeTo(1_000 / 9, 0)],
    ]);
    // Also the step of a slot that ends after it is named until the slot is over.
    const second = estimated(1).instances({ least: BEGIN + 100, most: BEGIN + 199 });
    expect(second.find(({ name }) => name.includes('even'))?.end).toBeGreaterThanOrEqual(BEGIN + 200);
    const isEven = (alive: Shapes['alive'], epoch = 0): boolean =>
      new SharedWindow('second', 100, { alive, epoch }, DATED)
        .instances(exactly(BEGIN))
        .some(({ name }) => name.includes('even'));
    expect(isEven([slidingCounter, slidingLog], 1)).toBe(true);
    expect([isEven([slidingCounter, slidingLog]), isEven([slidingCounter, leaky]), isEven([leaky])]).toEqual([
      false,
      true,
      false,
    ]);
  });

  it.each([
    [4, 2, 1],
    [5, 3, 1],
    [10, 8, 1],
    [15, 6, 2],
    [20, 9, 2],
    [1_000, 9, 100],
  ])(
    'of %i units that is estimated has %i steps of %i each, which with one step more are no more than it holds',
    (limit, steps, units) => {
      const even = new SharedWindow('second', limit, { alive: [slidingCounter], epoch: 1 }, DATED)
        .instances(exactly(BEGIN))
        .filter(({ name }) => name.includes('even'));
      expect(
        even.map((one) => [one.limit - one.window.spare(one, 1, 0), Math.round(1_000 / (one.end - BEGIN))]),
      ).toEqual([[units, steps]]);
      expect((steps + 1) * units).toBeLessThanOrEqual(limit);
    },
  );

  it('is not halved for an estimate of few units that no refusal has shown and that may drain as well', () => {
    const pairs = (period: 'second' | 'minute' | 'day', known: Partial<Shapes> = {}): string[] =>
      new SharedWindow(period, 3, { alive: [slidingCounter, leaky], epoch: 0, ...known }, DATED)
        .instances(exactly(BEGIN))
        .map(({ name }) => name)
        .filter((name) => name.includes('pair'));
    expect([...pairs('second'), ...pairs('minute'), ...pairs('day')]).toEqual([]);
    expect(pairs('second', { epoch: 1 })).toHaveLength(2);
    expect(pairs('second', { alive: [slidingCounter] })).toHaveLength(2);
  });

  it('knows what is claimed of the calendar’s present window once the store has said it', () => {
    const [hour] = [...calendar({ hour: 100 })];
    const [present] = hour?.instances(exactly(BEGIN)) ?? [];
    const claims = (from: number, to = from) => hour?.claims({ least: BEGIN + from, most: BEGIN + to });
    expect(claims(0)).toEqual({ present: undefined, estimated: 0 });
    if (present) hour?.hearUsed(present, 7, BEGIN);
    expect([claims(3_599_999)?.present, claims(3_600_000)?.present]).toEqual([7, undefined]);
  });

  it('knows what an estimate may still count of the calendar’s window before, at the latest time of a reading', () => {
    const hour = new SharedWindow('hour', 100, { alive: [slidingCounter, slidingLog], epoch: 0 }, DATED);
    const previous = hour.previous(BEGIN);
    if (previous) hour.hearUsed(previous, 40, BEGIN);
    expect(hour.claims({ least: BEGIN, most: BEGIN + 900_000 })).toEqual({ present: undefined, estimated: 30 });
  });

  it('knows none of these once it counts by the calendar alone: processes that know that claim nothing of what slides', () => {
    const minute = new SharedWindow('minute', 100, { alive: [slidingCounter, slidingLog], epoch: 0 }, DATED);
    const now = BEGIN + 30_000;
    const [ofCalendar, ...stretches] = minute.instances(exactly(now));
    for (const [each, units] of [[minute.previous(now), 0] as const, [ofCalendar, 40] as const])
      if (each) minute.hearUsed(each, units, now);
    for (const each of stretches) minute.hearUsed(each, 0, now);
    expect(minute.claims(exactly(now)).estimated).toBe(40);
    minute.shapes = { alive: [aligned, slidingCounter], epoch: 0 };
    expect(minute.claims(exactly(now)).estimated).toBe(0);
  });

  it('knows what an estimate counts of claims so long ago that each reading counts them, of what may be in either window as of the one before', () => {
    const estimated = (before: number | undefined, present: number, recent: number) => {
      const minute = new SharedWindow('minute', 100, { alive: [slidingCounter, leaky], epoch: 0 }, DATED);
      const now = BEGIN + 30_000;
      const [ofCalendar, ...others] = minute.instances(exactly(now));
      const slides = others.filter(({ drain }) => drain === undefined);
      const previous = minute.previous(now);
      if (previous && before !== undefined) minute.hearUsed(previous, before, now);
      if (ofCalendar) minute.hearUsed(ofCalendar, present, now);
      // All but the recent ones were claimed 20 s ago.
      for (const each of slides) minute.hearUsed(each, each.end - 62_000 > now - 20_000 ? recent : present, now);
      // A step of what may drain holds its own claims alone.
      for (const each of others) if (each.drain !== undefined) minute.hearUsed(each, 0, now);
      // A reading that was told since has removed them.
      if (ofCalendar) minute.hearUsed(ofCalendar, recent, now + 1_000);
      for (const each of slides) minute.hearUsed(each, recent, now + 1_000);
      expect(minute.claims(exactly(now + 30_000)).estimated).toBe(recent);
      return minute.claims(exactly(now)).estimated;
    };
    expect([estimated(0, 40, 0), estimated(0, 40, 12)]).toEqual([40, 28]);
    // Half of the window before counts still.
    expect([estimated(10, 40, 12), estimated(40, 40, 12)]).toEqual([18 + 5, 20]);
    expect(estimated(undefined, 40, 0)).toBe(0);
  });

  it('whose service may count a part of the one before keeps that part, by what the store says of it', () => {
    const minute = new SharedWindow('minute', 100, { alive: [slidingLog, slidingCounter], epoch: 0 }, DATED);
    const before = minute.previous(BEGIN + 1_000);
    const [present] = minute.instances(exactly(BEGIN)).filter(({ slides }) => slides === undefined);
    const sliding = minute.instances(exactly(BEGIN)).find(({ slides }) => slides !== undefined);
    if (!before || !present || !sliding) throw new Error('there are none');
    expect([before.end, present.end]).toEqual([BEGIN, BEGIN + 60_000]);
    expect(minute.carried(present, BEGIN)).toBe(0);
    minute.hearUsed(before, 90, BEGIN);
    expect([minute.carried(sliding, BEGIN), ttlOf(sliding, BEGIN)]).toEqual([0, sliding.end - BEGIN + 10_000]);
    expect([-1_000, 0, 20_000, 30_001].map((after) => minute.carried(present, BEGIN + after))).toEqual([
      90, 90, 60, 45,
    ]);
    // Nothing is left of it, nor owed to it, once the present one is over.
    expect([60_000, 61_000].map((after) => minute.carried(present, BEGIN + after))).toEqual([0, 0]);
    // The store keeps it for as long as it counts.
    expect([ttlOf(before, BEGIN), ttlOf(present, BEGIN)]).toEqual([70_000, 130_000]);
    for (const [period, alive] of [
      ['second', [slidingCounter]],
      ['minute', [aligned]],
      ['minute', [slidingLog, leaky]],
    ] as const)
      expect(new SharedWindow(period, 100, { alive, epoch: 0 }, DATED).previous(BEGIN)).toBeUndefined();
  });

  it('of few units has such a part only where its service surely estimates, or a refusal has shown that', () => {
    const isCounted = (limit: number, epoch: number, ...alive: Shapes['alive']): boolean =>
      new SharedWindow('minute', limit, { alive, epoch }, DATED).previous(BEGIN) !== undefined;
    expect([REFUTED_FROM - 1, REFUTED_FROM].map((limit) => isCounted(limit, 0, slidingLog, slidingCounter))).toEqual([
      false,
      true,
    ]);
    expect(isCounted(3, 1, slidingLog, slidingCounter)).toBe(true);
    expect(isCounted(3, 0, slidingCounter)).toBe(true);
    // What is surely an estimate is counted by the calendar's windows alone.
    const known = new SharedWindow('minute', 100, { alive: [slidingCounter], epoch: 0 }, DATED);
    expect(known.instances(exactly(BEGIN)).map(({ slides }) => slides)).toEqual([undefined]);
  });
});
