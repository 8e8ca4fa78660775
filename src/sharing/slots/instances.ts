import { endOf, type Period, periodMsOf, SHORT_MS, startOf } from '../../quota/time/periods.ts';
import type { TimeRange } from './timeline.ts';

/** Steps into which a window is divided that slides or drains. One of a second has fewer, because a step must be longer than a trip. */
const STEPS = 30;
const SHORT_STEPS = 10;

/** Maximum number of even steps of a second of which the service estimates usage from two counters: a step must be longer than a trip. */
const EVEN_STEPS = 9;

/** Below this limit a second has no even steps. */
const EVEN_FROM = 4;

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
  /** Given for an even step of a second that the service estimates: how many units it has. */
  readonly units?: number;
}

/** The calendar's instances in which a request may be counted that arrives within this range. */
export function calendarOf(period: Period, { least, most }: TimeRange): InstanceTime[] {
  const instances: InstanceTime[] = [];
  for (let start = startOf(period, least); start <= most; start = endOf(period, start))
    instances.push({ name: `${period}:${start / 1_000}`, end: endOf(period, start) });
  return instances;
}

/** A unit of one step counts in every instance that covers the step. An instance is one step longer than the window. */
export function slidingOf(period: Period, range: TimeRange, steps: number = stepsOf(period)): InstanceTime[] {
  return stretchesOf(period, periodMsOf(period) / stepsOf(period), range, steps);
}

/** All stretches of a step of some milliseconds, and so many steps before it, that cover a request which arrives within this range. */
function stretchesOf(name: string, slides: number, { least, most }: TimeRange, steps: number): InstanceTime[] {
  const last = Math.floor(most / slides) + steps;
  const instances: InstanceTime[] = [];
  for (let index = Math.floor(least / slides); index <= last; index++)
    instances.push({ name: `${name}-${index}`, end: (index + 1) * slides, slides });
  return instances;
}

/**
 * The instances of a short window of which the service estimates usage from two counters, and the units of each: the even step or,
 * of so few units that a step has none, two seconds of the calendar together. When a second begins the estimate still has all of the one before, and
 * the units of a step may arrive at once: so steps share the limit with one more. Of few units one is to spare, because they may arrive a step late.
 */
export function evenOf(period: Period, limit: number, range: TimeRange): InstanceTime[] {
  const length = periodMsOf(period);
  if (limit < EVEN_FROM) return stretchesOf(`${period}-pair`, length, range, 1);
  const { steps, units } = evenSteps(limit);
  const step = { least: range.least, most: range.least };
  // A request of a slot that begins in a step may arrive later than in it.
  const laterMs = range.most - range.least;
  return stretchesOf(`${period}-even`, length / steps, step, 0).map((even) => {
    return { ...even, end: even.end + laterMs, units };
  });
}

/** As many steps as give most units in all. */
function evenSteps(limit: number): { readonly steps: number; readonly units: number } {
  let best = { steps: 1, units: 0 };
  for (let steps = 1; steps <= Math.min(EVEN_STEPS, limit - 2); steps++) {
    const units = Math.floor(limit / (steps + 1));
    if (steps * units >= best.steps * best.units) best = { steps, units };
  }
  return best;
}

/** How many steps a window has. */
export function stepsOf(period: Period): number {
  return isShort(period) ? SHORT_STEPS : STEPS;
}

/** Whether a window is so short that a look by one process reveals its shape within seconds. */
export function isShort(period: Period): boolean {
  return periodMsOf(period) <= SHORT_MS;
}
