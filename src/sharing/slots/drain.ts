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
 * A slot of a short window touches as many steps as the time is uncertain in which its requests arrive. Within these bounds a unit counts in the last of
 * them alone, and what drains in the others, but for `SPARE_STEPS`, is kept free.
 */
const LEAST_TOUCHED = 4;
const MOST_TOUCHED = 7;

/** A short window of fewer units is not counted by steps: too few would be left. */
const SHORT_FROM = 5;

/** Whether a window is counted by steps if it drains. */
export function hasSteps(period: Period, limit: number): boolean {
  return !isShort(period) || limit >= SHORT_FROM;
}

/** Units of a step that are kept free, if it is uncertain by so many milliseconds when a request arrives. */
export function spareOf(period: Period, limit: number, vagueMs: number): number {
  return Math.ceil(((touchedOf(period, vagueMs) - SPARE_STEPS) * limit) / stepsOf(period));
}

/** The units that drain of a window in some milliseconds, rounded up. */
export function drainedIn(period: Period, limit: number, ms: number): number {
  return Math.max(0, Math.ceil((limit * ms) / periodMsOf(period)));
}

/**
 * The steps, the last one first, in which a unit counts whose request arrives within this range: of so many as a slot touches where it is uncertain by
 * `vagueMs` when a request arrives, the last one.
 */
export function stepsAt(period: Period, { least, most }: TimeRange, vagueMs: number): InstanceTime[] {
  const touched = touchedOf(period, vagueMs);
  const [first, last] = [indexAt(period, least), indexAt(period, most)];
  return Array.from({ length: Math.floor((last - first) / touched) + 1 }, (_, index) =>
    step(period, last - touched * index, 0),
  );
}

/** The last step in which a unit may count of a slot that has begun by an instant and is held so far ahead, and when that step begins. */
export function lastStep(
  period: Period,
  time: number,
  reachMs: number,
  vagueMs: number,
): InstanceTime & { readonly from: number } {
  const index = Math.min(indexAt(period, time) + touchedOf(period, vagueMs) - 1, indexAt(period, time + reachMs));
  return { ...step(period, index, 0), from: (index * periodMsOf(period)) / stepsOf(period) };
}

/** How many steps a slot may touch and count in one of them. */
function touchedOf(period: Period, vagueMs: number): number {
  if (!isShort(period)) return SPARE_STEPS;
  const touched = Math.ceil((vagueMs * stepsOf(period)) / periodMsOf(period)) + 1;
  return Math.min(Math.max(LEAST_TOUCHED, touched), MOST_TOUCHED);
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
