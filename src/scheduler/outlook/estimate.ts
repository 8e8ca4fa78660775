import type { Clock } from '../../clock.ts';
import type { Endpoint } from '../../endpoints/endpoints.ts';
import { argument, isText, number, optionsParser, units, whole } from '../../validation/arguments.ts';
import type { QueueOutlook } from './queue-outlook.ts';
import type { QueueEstimate } from './recent-estimates.ts';

/** Calls to estimate. An option that is invalid or unknown is a ConfigError that names it. */
export interface EstimateOptions {
  /** How many calls: a whole number, 0 or more; no calls take 0 ms. Default: 1. */
  readonly count?: number | undefined;
  /** Their endpoint, as in `sent` events; it decides costs and endpoint windows. Omitted: any, at the highest cost so far. */
  readonly endpoint?: Endpoint | (string & {}) | undefined;
  /** Units that each will cost, 0 or more, if you know better than the answers so far. Default: learned. */
  readonly cost?: number | undefined;
  /** Their priority, any finite number: calls that wait with a lower one are not ahead of them. Default: 0. */
  readonly priority?: number | undefined;
}

/**
 * When calls would finish, if they were made now behind those already waiting and no other consumers used the quota. A window that
 * may end on the calendar is taken to do so, until answers rule that out.
 */
export interface Estimate {
  /**
   * When the last answer comes, by this machine's wall clock. Undefined while no answer has told the limits, and where
   * there is no such day: a window that holds nothing, a cost above the limit of a window, or so many calls that no calendar reaches there.
   */
  readonly finishesAt: Date | undefined;
  /** How long that is from now, in milliseconds; undefined while no answer has told the limits, Infinity for never. */
  readonly ms: number | undefined;
  /**
   * The bottleneck: the longest window that has to be waited out (`second`, `minute`, `month`, …, or `endpoint` for a window
   * that `ratelimit-*` describes), `cooldown` while the service has ordered a pause, `paused` while the client is paused, `outage` while
   * requests fail, `concurrency` where only answers are waited for. Undefined where all can go at once.
   */
  readonly window: string | undefined;
}

const estimateOptions = optionsParser('estimate options', {
  count: whole,
  endpoint: argument<string>(isText, 'the name of an endpoint'),
  cost: units,
  priority: number,
});

/** Checks what a caller gives, and answers by the wall clock. */
export function estimateCalls(outlook: QueueOutlook, clock: Clock, options: EstimateOptions = {}): Estimate {
  const { count = 1, endpoint, cost, priority = 0 } = estimateOptions(options);
  // No calls wait for nothing, also while no limit is known and whatever is ahead of them.
  if (count === 0) return estimateIn(0, undefined, clock);
  return toEstimate(outlook.estimate({ endpoint, count, cost }, priority), clock);
}

/** The estimate while no answer has told the limits. */
export const UNKNOWN: Estimate = { finishesAt: undefined, ms: undefined, window: undefined };

/** The same by the wall clock. */
export function toEstimate(estimate: QueueEstimate | undefined, clock: Clock): Estimate {
  if (!estimate) return UNKNOWN;
  return estimateIn(Math.ceil(Math.max(0, estimate.at - clock.now())), estimate.window, clock);
}

/** The estimate of an end in `ms` milliseconds; Infinity, or an end that no `Date` can hold, has no `finishesAt`. */
export function estimateIn(ms: number, window: string | undefined, clock: Clock): Estimate {
  const finishesAt = new Date(clock.wall() + ms);
  return { finishesAt: Number.isNaN(finishesAt.getTime()) ? undefined : finishesAt, ms, window };
}
