import { describe, expect, it } from 'vitest';
import { aligned } from '../../../src/quota/models/aligned.ts';
import { SHAPES } from '../../../src/quota/models/all.ts';
import { firstRequest } from '../../../src/quota/models/first-request.ts';
import { leaky } from '../../../src/quota/models/leaky.ts';
import { REFUTED_FROM, slidingCounter } from '../../../src/quota/models/sliding-counter.ts';
import { slidingLog } from '../../../src/quota/models/sliding-log.ts';
import type { Shapes } from '../../../src/quota/share-limit.ts';
import type { Period } from '../../../src/quota/time/periods.ts';
import { SharedWindow, ttlOf } from '../../../src/sharing/slots/window.ts';
import { SharedWindows } from '../../../src/sharing/slots/windows.ts';
import { BEGIN, calendar, exactly, instanceAt, reading } from '../support/small.ts';

const UNKNOWN = { alive: SHAPES, epoch: 0 };

/** Where the service's clock is known. */
const DATED = { isDated: true };

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

  it('in doubt is counted both ways, so that nothing is counted twice or not at all when the doubt ends', () => {
    const minute = new SharedWindow('minute', 100, UNKNOWN, DATED);
    const names = minute.instances(exactly(BEGIN)).map(({ name }) => name);
    expect(names).toContain(`minute:${BEGIN / 1_000}`);
    // The calendar's minute, what slides, and one step of what drains.
    expect(names).toHaveLength(33);
    const known = new SharedWindow('minute', 100, { alive: [aligned], epoch: 0 }, DATED);
    expect(names).toEqual(expect.arrayContaining(known.instances(exactly(BEGIN)).map(({ name }) => name)));
  });

  it('in doubt keeps a unit for the first request of the calendar’s next window, which shows whether usage is reset there', () => {
    const minute = new SharedWindow('minute', 100, UNKNOWN, DATED);
    const kept = (window: SharedWindow, after: number): number => window.keptForProbe(BEGIN + after);
    expect([0, 2_999, 3_000, 59_999].map((after) => kept(minute, after))).toEqual([0, 0, 1, 1]);
    expect(kept(new SharedWindow('minute', 10, UNKNOWN, DATED), 30_000)).toBe(1);
    // A call that fails before the minute ends would fail for nothing else.
    const end = BEGIN + 60_000;
    expect([end - 1, end].map((waitsUntil) => minute.keptForProbe(BEGIN + 30_000, waitsUntil))).toEqual([0, 1]);
    // Hardly a call waits for the end of a day. What that one keeps shows that all of the next one is free.
    const day = new SharedWindow('day', 100, UNKNOWN, DATED);
    expect(day.keptForProbe(BEGIN + 30_000, end)).toBe(1);
    // It is for the first request of a window, however late that comes.
    const [present] = day.instances(exactly(BEGIN));
    const keptAfter = (used: number): number => {
      if (present) day.hearUsed(present, used, BEGIN);
      return day.keptForProbe(BEGIN + 30_000);
    };
    expect([keptAfter(0), keptAfter(1)]).toEqual([0, 1]);
    for (const [period, limit, shapes] of [
      ['minute', 9, UNKNOWN],
      ['second', 100, UNKNOWN],
      ['month', 100, UNKNOWN],
      ['minute', 100, { alive: [aligned], epoch: 0 }],
      ['minute', 100, { alive: [slidingLog, slidingCounter], epoch: 0 }],
      ['minute', 100, { alive: [aligned, slidingCounter], epoch: 0 }],
    ] as const)
      expect(kept(new SharedWindow(period, limit, shapes, DATED), 30_000)).toBe(0);
  });

  it('in doubt keeps no unit where a response of its first seconds shows that what it holds slides out when the calendar’s next window begins', () => {
    const keptAfter = (sentAt: number): number => {
      const minute = new SharedWindow('minute', 100, UNKNOWN, DATED);
      const news = { ...reading({ period: 'minute', used: 1, shapes: UNKNOWN }), limit: 100 };
      minute.read(news, exactly(BEGIN + sentAt), exactly(BEGIN + sentAt + 20), 40);
      return minute.keptForProbe(BEGIN + 30_000);
    };
    expect([2_980, 2_981].map(keptAfter)).toEqual([0, 1]);
  });

  it('that is the calendar’s, or an estimate from two of its windows, is counted by those alone', () => {
    const minute = new SharedWindow('minute', 100, { alive: [aligned, slidingCounter], epoch: 0 }, DATED);
    expect(minute.instances(exactly(BEGIN)).map(({ name }) => name)).toEqual([`minute:${BEGIN / 1_000}`]);
  });

  it('of a month is the calendar’s, whatever is not ruled out: no process could wait for another shape to show itself', () => {
    const month = new SharedWindow('month', 100, UNKNOWN, DATED);
    expect([month.isCalendar, month.isInDoubt]).toEqual([true, false]);
    expect(month.instances(exactly(BEGIN))).toHaveLength(1);
  });

  it('is in doubt only if it is short, because looking at a long one takes too long', () => {
    expect(new SharedWindow('second', 10, UNKNOWN, DATED).isInDoubt).toBe(true);
    expect(new SharedWindow('minute', 10, UNKNOWN, DATED).isInDoubt).toBe(false);
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

  it('is not probed any more once it is taken for an estimate, of which a probe would leave next to nothing', () => {
    const isOpen = (epoch: number): boolean =>
      new SharedWindow(
        'second',
        20,
        { alive: [slidingCounter, aligned, firstRequest], epoch },
        DATED,
      ).isCalendarInDoubt(true);
    expect([isOpen(0), isOpen(1)]).toEqual([true, false]);
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

  it('forgets a reading of an instance that slides where the store counts less: some of it has slid out', () => {
    const windows = new SharedWindows(DATED);
    const hour = windows.open('hour', 100, { alive: [slidingLog], epoch: 0 });
    const news = reading({ period: 'hour', used: 9, shapes: hour.shapes, sentAt: 0, receivedAt: 20 });
    hour.read(news, exactly(BEGIN), exactly(BEGIN + 20), 40);
    const first = instanceAt(windows, 'hour', BEGIN);
    hour.hearUsed(first, 9, BEGIN);
    expect(hour.reading(first, 60_000)?.used).toBe(9);
    hour.hearUsed(first, 8, BEGIN);
    expect(hour.reading(first, 60_000)).toBeUndefined();
  });

  it('tells no reading of an instance as the least that is used while more than a tenth of the limit slides out of it', () => {
    const windows = new SharedWindows(DATED);
    const minute = windows.open('minute', 100, { alive: [slidingLog], epoch: 0 });
    const [first, next] = minute.instances({ least: BEGIN, most: BEGIN });
    if (!first || !next) throw new Error('there are none');
    minute.read(reading({ used: 90, shapes: minute.shapes, sentAt: 0 }), exactly(BEGIN), exactly(BEGIN + 20), 40);
    const told = (holds: number, nextHolds: number) => {
      minute.hearAll(
        new Map([
          [first.name, holds],
          [next.name, nextHolds],
        ]),
      );
      return minute.reading(first, 60)?.bounds;
    };
    expect(minute.reading(first, 60)).toMatchObject({ used: 90, bounds: 'both' });
    expect([told(95, 85), told(95, 84)]).toEqual(['both', 'above']);
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
    expect([minute.carried(sliding, BEGIN), ttlOf(sliding, BEGIN)]).toEqual([0, sliding.end - BEGIN + 5_000]);
    expect([-1_000, 0, 20_000, 30_001].map((after) => minute.carried(present, BEGIN + after))).toEqual([
      90, 90, 60, 45,
    ]);
    // Nothing is left of it, nor owed to it, once the present one is over.
    expect([60_000, 61_000].map((after) => minute.carried(present, BEGIN + after))).toEqual([0, 0]);
    // The store keeps it for as long as it counts.
    expect([ttlOf(before, BEGIN), ttlOf(present, BEGIN)]).toEqual([65_000, 125_000]);
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

  it('is exceeded for its length by a reading that counts half of the limit more than the store, with what an estimate carries over', () => {
    const windows = calendar({ minute: 100 });
    const minute = windows.of('minute') as SharedWindow;
    const read = (used: number): boolean => {
      minute.read(reading({ used, sentAt: 1_000 }), exactly(BEGIN), exactly(BEGIN + 40), 40);
      return minute.isExceeded(2_000);
    };
    // The store has not said what it counts.
    expect(read(100)).toBe(false);
    minute.hearUsed(instanceAt(windows, 'minute', BEGIN), 20, BEGIN);
    expect([read(70), read(71)]).toEqual([false, true]);
    expect([minute.isExceeded(60_999), minute.isExceeded(61_000)]).toEqual([true, false]);
    const estimated = new SharedWindow('minute', 100, { alive: [slidingCounter], epoch: 0 }, DATED);
    const before = estimated.previous(BEGIN);
    const [present] = estimated.instances(exactly(BEGIN));
    if (!before || !present) throw new Error('there are none');
    estimated.hearUsed(before, 40, BEGIN);
    estimated.hearUsed(present, 0, BEGIN);
    estimated.read(reading({ used: 90, sentAt: 1_000 }), exactly(BEGIN), exactly(BEGIN + 40), 40);
    expect(estimated.isExceeded(1_000)).toBe(false);
  });

  it('remembers the most that was read of an instance, because answers may overtake each other', () => {
    const windows = calendar({ minute: 100 });
    const minute = windows.of('minute') as SharedWindow;
    for (const used of [40, 30]) minute.read(reading({ used }), exactly(BEGIN), exactly(BEGIN + 40), 40);
    const instance = instanceAt(windows, 'minute', BEGIN);
    expect(minute.reading(instance, BEGIN + 1_000)).toEqual({ used: 40, bounds: 'both', ageMs: 1_000 });
    // An old reading says nothing of what was claimed since.
    expect(minute.reading(instance, BEGIN + 30_000)).toEqual({ used: 40, bounds: 'below', ageMs: 30_000 });
  });

  it('does not take a reading for that of a minute that began while the answer was on its way', () => {
    const windows = calendar({ minute: 100 });
    const minute = windows.of('minute') as SharedWindow;
    minute.read(reading({ used: 40 }), exactly(BEGIN - 10), exactly(BEGIN + 10), 40);
    for (const at of [BEGIN - 10, BEGIN]) minute.hearUsed(instanceAt(windows, 'minute', at), 40, at);
    expect(minute.reading(instanceAt(windows, 'minute', BEGIN - 10), BEGIN)).toMatchObject({
      used: 40,
      bounds: 'above',
    });
    expect(minute.reading(instanceAt(windows, 'minute', BEGIN), BEGIN)).toMatchObject({ used: 40, bounds: 'above' });
  });

  it('says what remains by the latest answer, and never less than nothing', () => {
    const windows = calendar({ minute: 100 });
    const minute = windows.of('minute') as SharedWindow;
    const left = [40, 30, 120].map((used) => {
      minute.read(reading({ used }), exactly(BEGIN), exactly(BEGIN), 40);
      return minute.left;
    });
    expect(left).toEqual([60, 70, 0]);
  });

  it('takes a reading for the most that is used of a minute while it may not be the calendar’s, and not for the least', () => {
    const minute = new SharedWindow('minute', 100, UNKNOWN, DATED);
    minute.read(reading({ used: 40, shapes: UNKNOWN }), exactly(BEGIN), exactly(BEGIN + 40), 40);
    const [ofCalendar, ...others] = minute.instances(exactly(BEGIN));
    expect(ofCalendar?.slides).toBeUndefined();
    // What is claimed of it is told first.
    expect(ofCalendar && minute.reading(ofCalendar, BEGIN)).toBeUndefined();
    if (ofCalendar) minute.hearUsed(ofCalendar, 90, BEGIN);
    expect(ofCalendar && minute.reading(ofCalendar, BEGIN)).toMatchObject({ used: 40, bounds: 'above' });
    // But it is surely less than what any stretch of a minute up to now holds.
    expect(others.some((one) => minute.reading(one, BEGIN)?.bounds === 'both')).toBe(true);
  });

  it('of a minute or longer holds no more by any shape than the latest reading, and what is claimed after it, for as long as that is recent', () => {
    const day = new SharedWindow('day', 100, UNKNOWN, DATED);
    day.read(reading({ period: 'day', used: 3, shapes: UNKNOWN }), exactly(BEGIN), exactly(BEGIN + 40), 40);
    // Half of the day is over, so an estimate counts half of the one before.
    const before = day.previous(BEGIN);
    const [present] = day.instances(exactly(BEGIN));
    // They are told once the store has said what is claimed of them.
    for (const each of [before, present]) {
      expect(each && day.reading(each, BEGIN)).toBeUndefined();
      if (each) day.hearUsed(each, 9, BEGIN);
    }
    expect(before && day.reading(before, BEGIN)).toMatchObject({ used: 6, bounds: 'above' });
    const said = (now: number) => day.instances(exactly(BEGIN)).map((each) => day.reading(each, now));
    // The calendar's day, the stretch until now, thirty later ones, and a step of what may drain.
    const [ofCalendar, until, ...later] = said(BEGIN + 19_999);
    const ageMs = 19_999;
    expect([ofCalendar, until]).toEqual([
      { used: 3, bounds: 'above', ageMs },
      { used: 3, bounds: 'both', ageMs },
    ]);
    expect(later).toEqual([...new Array(30).fill({ used: 3, bounds: 'above', ageMs }), undefined]);
    expect(said(BEGIN + 20_000).filter((each) => each !== undefined)).toMatchObject([{ used: 3, bounds: 'below' }]);
    const second = new SharedWindow('second', 100, UNKNOWN, DATED);
    second.read(reading({ period: 'second', used: 3, shapes: UNKNOWN }), exactly(BEGIN), exactly(BEGIN + 40), 40);
    const ofSecond = second.instances(exactly(BEGIN)).map((each) => second.reading(each, BEGIN)?.bounds);
    expect(ofSecond.filter((bounds) => bounds !== undefined && bounds !== 'below')).toEqual([]);
  });

  it('is told no reading of a stretch that an estimate may explain by more of the window before than the stretch still holds', () => {
    const told = (inStretch: number | undefined, alive: Shapes['alive'] = [slidingLog, slidingCounter, aligned]) => {
      const minute = new SharedWindow('minute', 100, { alive, epoch: 0 }, DATED);
      const now = BEGIN + 30_000;
      const [before, present] = [minute.previous(now), ...minute.instances(exactly(now))];
      const stretch = minute.instances(exactly(now)).find(({ slides }) => slides !== undefined);
      if (!present || !stretch) throw new Error('there are none');
      // Half of the window before counts still.
      if (before) minute.hearUsed(before, 40, now);
      minute.hearUsed(present, 5, now);
      if (inStretch !== undefined) minute.hearUsed(stretch, inStretch, now);
      minute.read(reading({ used: 30, shapes: minute.shapes, sentAt: now }), exactly(now), exactly(now + 40), 40);
      return minute.reading(stretch, now)?.bounds;
    };
    expect([24, 25, 40].map((units) => told(units))).toEqual(['above', 'both', 'both']);
    // Nothing is known of a stretch that the store has not told of.
    expect([told(undefined), told(undefined, [slidingLog, aligned])]).toEqual(['above', 'both']);
  });

  it('that is taken for an estimate is told by a reading what was used of its present window, if the store counts less', () => {
    const told = (counted: number, alive: Shapes['alive'] = [slidingCounter, aligned]) => {
      const minute = new SharedWindow('minute', 100, { alive, epoch: 0 }, DATED);
      const now = BEGIN + 30_000;
      const next = minute.instances(exactly(now + 60_000))[0];
      const [before, present] = [minute.previous(now), ...minute.instances(exactly(now))];
      if (!before || !present || !next) throw new Error('there are none');
      minute.hearUsed(before, 40, now);
      minute.hearUsed(present, counted, now);
      minute.hearUsed(next, 0, now);
      minute.read(reading({ used: 30, shapes: minute.shapes, sentAt: now }), exactly(now), exactly(now + 40), 40);
      return [present, before, next].map((each) => {
        const { used, bounds } = minute.reading(each, now) ?? {};
        return `${bounds} ${used}`;
      });
    };
    // Half of the window before is 20 of the 30.
    expect(told(9)).toEqual(['below 10', 'above 60', 'above 30']);
    expect(told(10)).toEqual(['above 30', 'above 60', 'above 30']);
    expect(told(9, [slidingCounter, slidingLog])).toEqual(['above 30', 'above 60', 'above 30']);
  });

  it('is bounded by the reading that was taken last, whichever answer comes first', () => {
    const day = new SharedWindow('day', 100, UNKNOWN, DATED);
    const hear = (used: number, sentAt: number) =>
      day.read(reading({ period: 'day', used, sentAt, shapes: UNKNOWN }), exactly(BEGIN), exactly(BEGIN + 40), 40);
    hear(4, BEGIN + 1);
    hear(3, BEGIN);
    const [ofCalendar] = day.instances(exactly(BEGIN));
    if (ofCalendar) day.hearUsed(ofCalendar, 4, BEGIN);
    expect(ofCalendar && day.reading(ofCalendar, BEGIN + 1)).toMatchObject({ used: 4, bounds: 'above' });
  });

  it('that drains is bounded by a reading in the last step in which what it counts may be claimed, and in no other', () => {
    const shapes = { alive: [leaky], epoch: 0 };
    /** The units stated of each step, by when it ends after `BEGIN`. */
    const said = (period: Period, at: number): readonly (readonly [end: number, used: number])[] => {
      const window = new SharedWindow(period, 300, shapes, DATED);
      const news = reading({ period, used: 100, limit: 300, shapes });
      window.read(news, exactly(BEGIN + at), exactly(BEGIN + at + 40), 40);
      return window.steps({ least: BEGIN + at, most: BEGIN + at + window.reachMs }).flatMap((step) => {
        const stated = window.reading(step, BEGIN + at + 1_000);
        return stated ? [[step.end - BEGIN, stated.used] as const] : [];
      });
    };
    // A slot that has begun may touch two steps of a minute, and counts in the second. Until that begins as much has drained as in a second and a half.
    expect(said('minute', 500)).toEqual([[4_000, 92]]);
    // Of an hour no slot lasts until the next step.
    expect(said('hour', 500)).toEqual([[120_000, 100]]);
    expect(said('hour', 116_000)).toEqual([[240_000, 99]]);
    // Of a second it may touch four.
    expect(said('second', 530)).toEqual([[900, 19]]);
  });

  it('does not tell what a reading says of a step while other shapes are possible', () => {
    const minute = new SharedWindow('minute', 300, UNKNOWN, DATED);
    minute.read(reading({ used: 100, limit: 300 }), exactly(BEGIN + 500), exactly(BEGIN + 540), 40);
    const steps = minute.instances(exactly(BEGIN + 2_500)).filter(({ drain }) => drain !== undefined);
    expect(steps.map((step) => minute.reading(step, BEGIN + 600))).toEqual([undefined]);
  });

  it('remembers the readings of a few instances, the last ones', () => {
    const windows = calendar({ second: 100 });
    const second = windows.of('second') as SharedWindow;
    for (let nth = 0; nth < 40; nth++) {
      const at = BEGIN + nth * 1_000;
      second.read(reading({ period: 'second', used: 7, sentAt: at }), exactly(at), exactly(at), 40);
    }
    const known = Array.from({ length: 40 }, (_, nth) => {
      const at = BEGIN + nth * 1_000;
      return second.reading(instanceAt(windows, 'second', at), at) !== undefined;
    });
    expect(known.filter(Boolean).length).toBeLessThan(7);
    expect([known[0], known.at(-1)]).toEqual([false, true]);
  });

  it('may be open between the calendar and another shape, if it is asked whether that slides', () => {
    const isOpen = (period: 'second' | 'minute', ...alive: Shapes['alive']) =>
      [false, true].map((slides) =>
        new SharedWindow(period, 100, { alive, epoch: 0 }, DATED).isCalendarInDoubt(slides),
      );
    expect(isOpen('second', aligned, slidingLog)).toEqual([false, true]);
    expect(isOpen('second', aligned, firstRequest)).toEqual([true, true]);
    expect(isOpen('second', slidingLog, firstRequest)).toEqual([false, false]);
    expect([isOpen('second', aligned), isOpen('minute', aligned, firstRequest)]).toEqual([
      [false, false],
      [false, false],
    ]);
  });

  it('of a single shape is in no doubt, whichever that is', () => {
    expect(new SharedWindow('second', 100, { alive: [slidingLog], epoch: 0 }, DATED).isInDoubt).toBe(false);
  });

  it('is remembered by the store until a little after its end', () => {
    const instance = instanceAt(calendar({ minute: 100 }), 'minute', BEGIN);
    expect(ttlOf(instance, BEGIN)).toBe(65_000);
    expect(ttlOf(instance, BEGIN + 600_000)).toBe(5_000);
    // What drains counts for the length of the window and two steps more.
    const bucket = new SharedWindow('minute', 300, { alive: [leaky], epoch: 0 }, DATED);
    const [step] = bucket.steps(exactly(BEGIN)).slice(-1);
    expect(step && ttlOf(step, BEGIN)).toBe(2_000 + 64_000 + 5_000);
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
