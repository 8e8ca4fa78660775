import { aligned } from '../../../src/quota/models/aligned.ts';
import { SHAPES } from '../../../src/quota/models/all.ts';
import type { Shapes, WindowNews } from '../../../src/quota/share-limit.ts';
import type { Period } from '../../../src/quota/time/periods.ts';
import type { TimeRange } from '../../../src/sharing/slots/timeline.ts';
import type { Instance } from '../../../src/sharing/slots/window.ts';
import { SharedWindows } from '../../../src/sharing/slots/windows.ts';
import type { Answer } from '../../../src/sharing/store/store.ts';

/** A minute of the calendar begins. */
export const BEGIN: number = Date.UTC(2026, 2, 10, 12);

/** Where the service's clock is known. */
export const DATED = { isDated: true } as const;

/** What is known of a window that may have any shape. */
export const UNKNOWN: Shapes = { alive: SHAPES, epoch: 0 };

/** An instant, as exactly as a timeline may know it. */
export function exactly(time: number): TimeRange {
  return { least: time, most: time };
}

/** Windows of the calendar, of these limits. */
export function calendar(limits: Partial<Record<Period, number>>): SharedWindows {
  const windows = new SharedWindows(DATED);
  for (const [period, limit] of Object.entries(limits))
    windows.open(period as Period, limit, { alive: [aligned], epoch: 0 });
  return windows;
}

/** A reading of a window whose shape is known to be the calendar's. */
export function reading(rest: Partial<WindowNews>): WindowNews {
  return {
    ...{ period: 'minute', limit: 100, used: 0, own: 1, isRefused: false, sentAt: BEGIN, receivedAt: BEGIN + 40 },
    shapes: { alive: [aligned], epoch: 0 },
    ...rest,
  };
}

/** The instance of a period in which a request is counted that arrives at `time`. */
export function instanceAt(windows: SharedWindows, period: Period, time: number): Instance {
  const [instance] = windows.of(period)?.instances(exactly(time)) ?? [];
  if (!instance) throw new Error(`There is no ${period}`);
  return instance;
}

/** An answer that grants so much, with everything in it that a test does not care about. */
export function answering(rest: Partial<Answer> = {}): Answer {
  return {
    ...{ sequence: 1, now: BEGIN, version: 0, facts: undefined, pauseMs: 0, lookMs: 0, others: 0, live: 0, freeMs: 0 },
    ...{ urgent: { units: 0, forMs: 0 }, granted: [], used: [] },
    ...rest,
  };
}
