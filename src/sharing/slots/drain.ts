import { type Period, periodMsOf } from '../../quota/time/periods.ts';
import { PARTS } from '../store/store-rules.ts';
import { type InstanceTime, isShort, stepsOf } from './instances.ts';
import type { TimeRange } from './timeline.ts';

/**
 * Of a window that drains, units of a slot that touches two steps count in the second one, and a step may begin right after the one
 * before was used up: so what drains in the last so many steps does not count yet. An ask names so many steps more than drain the whole window.
 */
export const SPARE_STEPS = 2;

/**
 * A slot may touch more steps of a short window. What drains in the others of them is kept free: then a unit of a slot that touches so many counts in its
 * last step alone.
 */
const SHORT_TOUCHED = 4;

/** A short window of fewer units is not counted by steps: too few would be left. */
const SHORT_FROM = 5;

/** Whether a window is counted by steps if it drains. */
export function hasSteps(period: Period, limit: number): boolean {
  return !isShort(period) || limit >= SHORT_FROM;
}

/** Units of a step that are kept free. */
export function spareOf(period: Period, limit: number): number {
  return isShort(period) ? Math.ceil(((SHORT_TOUCHED - SPARE_STEPS) * limit) / stepsOf(period)) : 0;
}

/** The units that drain of a window in some milliseconds, rounded up. */
export function drainedIn(period: Period, limit: number, ms: number): number {
  return Math.max(0, Math.ceil((limit * ms) / periodMsOf(period)));
}

/** The steps, the last one first, in one of which a unit counts that arrives within this range, or in one of those before that a slot may touch. */
export function stepsAt(period: Period, { least, most }: TimeRange): InstanceTime[] {
  const touched = touchedOf(period);
  const [first, last] = [indexAt(period, least), indexAt(period, most)];
  return Array.from({ length: Math.floor((last - first) / touched) + 1 }, (_, index) =>
    step(period, last - touched * index, 0),
  );
}

/** The last step in which a unit may count of a slot that has begun by an instant and is held so far ahead, and when that step begins. */
export function lastStep(period: Period, time: number, reachMs: number): InstanceTime & { readonly from: number } {
  const index = Math.min(indexAt(period, time) + touchedOf(period) - 1, indexAt(period, time + reachMs));
  return { ...step(period, index, 0), from: (index * periodMsOf(period)) / stepsOf(period) };
}

/** How many steps a slot may touch and count in one of them. */
function touchedOf(period: Period): number {
  return isShort(period) ? SHORT_TOUCHED : SPARE_STEPS;
}

/**
 * All steps that an ask must name for slots within this range: from so long ago that whatever was used then has drained.
 */
export function stepsUntil(period: Period, limit: number, { least, most }: TimeRange): InstanceTime[] {
  const first = indexAt(period, least) - stepsOf(period) - SPARE_STEPS;
  const drain = Math.floor((PARTS * limit) / stepsOf(period));
  return Array.from({ length: indexAt(period, most) - first + 1 }, (_, index) =>
    step(period, first + index, index === 0 ? 0 : drain),
  );
}

function indexAt(period: Period, time: number): number {
  return Math.floor((time * stepsOf(period)) / periodMsOf(period));
}

function step(period: Period, index: number, drain: number): InstanceTime {
  const slides = periodMsOf(period) / stepsOf(period);
  return { name: `${period}-drain-${index}`, end: (index + 1) * slides, slides, drain };
}
