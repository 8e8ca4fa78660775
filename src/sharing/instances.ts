import { endOf, type Period, periodMsOf, SHORT_MS, startOf } from '../quota/time/periods.ts';
import type { TimeRange } from './timeline.ts';

/** Steps into which a long window is divided that slides or drains. A short one has fewer, because a step must be longer than a trip. */
export const STEPS = 30;
const SHORT_STEPS = 10;

/** Part of the limit granted to even traffic where the service estimates a sliding window, because it rounds its estimate. */
const EVEN_PART = 0.95;
const EVEN_STEPS = 5;

/** The time of one instance of a window: the minute that began at 14:03, or all steps that a sliding minute can touch if it ends in a given step. */
export interface InstanceTime {
  readonly name: string;
  /** When it ends, in milliseconds since the Unix epoch by the timeline. */
  readonly end: number;
  /** The length of a step in milliseconds; omitted for a window of the calendar. */
  readonly slides?: number;
  /**
   * Given for a step of a window that drains: units, in thousandths, by which what is used of the step before is less when this one begins. 0:
   * that usage is not carried over.
   */
  readonly drain?: number;
}

/** The calendar's instances in which a request may be counted that arrives within this range. */
export function calendarOf(period: Period, { least, most }: TimeRange): InstanceTime[] {
  const instances: InstanceTime[] = [];
  for (let start = startOf(period, least); start <= most; start = endOf(period, start))
    instances.push({ name: `${period}:${start / 1_000}`, end: endOf(period, start) });
  return instances;
}

/** A unit of one step counts in every instance that covers the step. An instance is one step longer than the window. */
export function slidingOf(period: Period, { least, most }: TimeRange, steps: number = stepsOf(period)): InstanceTime[] {
  const slides = periodMsOf(period) / stepsOf(period);
  const last = Math.floor(most / slides) + steps;
  const instances: InstanceTime[] = [];
  for (let index = Math.floor(least / slides); index <= last; index++)
    instances.push({ name: `${period}-${index}`, end: (index + 1) * slides, slides });
  return instances;
}

/** The even step of a window of which the service estimates usage, and the units of that step. */
export function evenOf(period: Period, limit: number, { least }: TimeRange): InstanceTime & { readonly limit: number } {
  const each = Math.floor((limit * EVEN_PART) / EVEN_STEPS);
  const length = periodMsOf(period);
  // A fifth of a second has no unit of so few: half of them in one second of the calendar leave room for as many in the next.
  const isHalved = each === 0 && length <= SHORT_MS;
  const slides = isHalved ? length * (limit > 1 ? 1 : 2) : length / EVEN_STEPS;
  const units = Math.max(1, isHalved ? Math.floor(limit / 2) : each);
  const index = Math.floor(least / slides);
  return { name: `${period}-even-${index}`, limit: units, end: (index + 1) * slides, slides };
}

function stepsOf(period: Period): number {
  return periodMsOf(period) <= SHORT_MS ? SHORT_STEPS : STEPS;
}
