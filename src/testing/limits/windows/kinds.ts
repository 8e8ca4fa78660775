import type { ServicePeriod } from '../calendar.ts';
import { Aligned } from './aligned.ts';
import { AlignedThirtyDays } from './aligned-30-days.ts';
import { FirstRequest } from './first-request.ts';
import { Leaky } from './leaky.ts';
import { SlidingCounter } from './sliding-counter.ts';
import { SlidingLog } from './sliding-log.ts';
import type { ServiceWindow } from './window.ts';

/**
 * The shape of a window: of the UTC calendar; the same, with the end of a month stated as 30 days after its beginning; opened by the first request; a log of the last period; an estimate of that from two
 * counters; or a bucket of one limit that refills evenly.
 */
export type WindowKind = 'aligned' | 'aligned-30-days' | 'first-request' | 'sliding-log' | 'sliding-counter' | 'leaky';

const KINDS: Readonly<Record<WindowKind, new (limit: number, period: ServicePeriod) => ServiceWindow>> = {
  aligned: Aligned,
  'aligned-30-days': AlignedThirtyDays,
  'first-request': FirstRequest,
  'sliding-log': SlidingLog,
  'sliding-counter': SlidingCounter,
  leaky: Leaky,
};

/** All shapes, by name. */
export const WINDOW_KINDS: readonly string[] = Object.keys(KINDS);

/** Creates an empty window. */
export function openWindow(kind: WindowKind, limit: number, period: ServicePeriod): ServiceWindow {
  return new KINDS[kind](limit, period);
}
