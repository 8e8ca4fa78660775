import { UsageError } from '../exit.ts';
import { assignment, oneOf } from '../flags.ts';
import { number } from '../progress-bars.ts';
import type { ShownWindow } from './reading.ts';

/** How much of a window must remain. */
export interface Threshold {
  /** The window; undefined: all but `second`, which resets before a script can react. */
  readonly window: string | undefined;
  /** Units, or a part of the limit from 0 to 1. */
  readonly least: { readonly units: number } | { readonly part: number };
}

const WINDOWS = ['second', 'minute', 'hour', 'day', 'month', 'endpoint'] as const;

/**
 * Reads `10%`, `500`, `minute=10%` or `month=5000`.
 *
 * @throws UsageError if it is none of these.
 */
export function readThreshold(text: string): Threshold {
  const { name, value } = assignment(text);
  const window = name === undefined ? undefined : oneOf('--fail-under', name, WINDOWS);
  const [, amount, percent] = /^(\d{1,9}(?:\.\d{1,3})?)(%)?$/.exec(value) ?? [];
  if (amount === undefined || (percent && Number(amount) > 100)) {
    throw new UsageError(`--fail-under must be a value such as 10%, 500, minute=10% or month=5000, not "${text}".`);
  }
  return { window, least: percent ? { part: Number(amount) / 100 } : { units: Number(amount) } };
}

/** Violated thresholds, one sentence each, and thresholds of windows that the service did not name. */
export interface Findings {
  readonly under: readonly string[];
  readonly unknown: readonly string[];
}

/** Compares windows with thresholds. */
export function checkThresholds(windows: readonly ShownWindow[], thresholds: readonly Threshold[]): Findings {
  const under: string[] = [];
  const unknown: string[] = [];
  for (const { window: name, least } of thresholds) {
    const held = windows.filter(({ window }) => (name === undefined ? window !== 'second' : window === name));
    if (held.length === 0) unknown.push(`The service reported no ${name ?? 'quota'}.`);
    for (const { window, remaining, limit } of held) {
      const units = 'units' in least ? least.units : least.part * limit;
      if (remaining >= units) continue;
      const wanted = 'units' in least ? number(least.units) : `${number(least.part * 100)} %`;
      under.push(`The ${window} has ${number(remaining)} of ${number(limit)} left, less than ${wanted}.`);
    }
  }
  return { under, unknown };
}
