import { describe, expect, it } from 'vitest';
import { aligned } from '../../../src/quota/models/aligned.ts';
import { firstRequest } from '../../../src/quota/models/first-request.ts';
import { slidingCounter } from '../../../src/quota/models/sliding-counter.ts';
import { slidingLog } from '../../../src/quota/models/sliding-log.ts';
import type { Shapes } from '../../../src/quota/share-limit.ts';
import { SharedWindow } from '../../../src/sharing/slots/window.ts';
import { BEGIN, DATED, exactly, reading, UNKNOWN } from '../support/small.ts';

describe('a window that processes share', () => {
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

  it('of a month is the calendar’s, whatever is not ruled out: no process could wait for another shape to show itself', () => {
    const month = new SharedWindow('month', 100, UNKNOWN, DATED);
    expect([month.isCalendar, month.isInDoubt]).toEqual([true, false]);
    expect(month.instances(exactly(BEGIN))).toHaveLength(1);
  });

  it('is in doubt only if it is short, because looking at a long one takes too long', () => {
    expect(new SharedWindow('second', 10, UNKNOWN, DATED).isInDoubt).toBe(true);
    expect(new SharedWindow('minute', 10, UNKNOWN, DATED).isInDoubt).toBe(false);
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
});
