import { type Period, periodMsOf } from '../quota/time/periods.ts';
import { type InstanceTime, STEPS } from './instances.ts';
import { PARTS } from './store-rules.ts';
import type { TimeRange } from './timeline.ts';

/**
 * Of a window that drains, units of a slot that touches two steps count in the second one, and a step may begin right after the one
 * before was used up: so what drains in the last so many steps does not count yet. An ask names so many steps more than drain the whole window.
 */
export const SPARE_STEPS = 2;

/** The units that drain of a window in some milliseconds, rounded up. */
export function drainedIn(period: Period, limit: number, ms: number): number {
  return Math.ceil((limit * ms) / periodMsOf(period));
}

/** The steps, the last one first, in one of which a unit counts that arrives within this range, or in the one before. */
export function stepsAt(period: Period, { least, most }: TimeRange): InstanceTime[] {
  const [first, last] = [indexAt(period, least), indexAt(period, most)];
  return Array.from({ length: Math.floor((last - first) / 2) + 1 }, (_, index) => step(period, last - 2 * index, 0));
}

/**
 * All steps that an ask must name for slots within this range: from so long ago that whatever was used then has drained.
 */
export function stepsUntil(period: Period, limit: number, { least, most }: TimeRange): InstanceTime[] {
  const first = indexAt(period, least) - STEPS - SPARE_STEPS;
  const drain = Math.floor((PARTS * limit) / STEPS);
  return Array.from({ length: indexAt(period, most) - first + 1 }, (_, index) =>
    step(period, first + index, index === 0 ? 0 : drain),
  );
}

function indexAt(period: Period, time: number): number {
  return Math.floor((time * STEPS) / periodMsOf(period));
}

function step(period: Period, index: number, drain: number): InstanceTime {
  const slides = periodMsOf(period) / STEPS;
  return { name: `${period}-drain-${index}`, end: (index + 1) * slides, slides, drain };
}
