import { PERIODS, type Period } from '../quota/time/periods.ts';
import type { BulkReservePolicy } from '../quota/window/bulk-reserve.ts';
import { argument, argumentsOf } from '../validation/arguments.ts';

/** What bulk work leaves to calls that somebody waits for. */
export interface SparingOptions {
  /** Calls up to this priority are bulk work; those above it are not held back. Default: 0, the usual priority. */
  readonly above?: number | undefined;
  /**
   * The part of each window that bulk work leaves: 0.2 of every window, or `{ minute: 0.2, month: 0.1 }`. From 0 up to but
   * not including 1. Default: 0.
   */
  readonly keep?: number | Readonly<Partial<Record<Period, number>>> | undefined;
  /**
   * Until this date bulk work spends its part of the month no faster than evenly, from the month's beginning to the date or
   * the month's end, whichever comes first. What is spent by others counts, too. Where the wait for that is longer than
   * `maxWaitMs`, a call fails with QuotaExhaustedError, as it does when the month is out.
   */
  readonly monthUntil?: Date | undefined;
}

const isPart = (value: unknown): boolean => typeof value === 'number' && value >= 0 && value < 1;

const sparingOptions = argumentsOf('sparing options', {
  above: argument<number>(Number.isFinite, 'a priority, which is a number'),
  keep: argument<NonNullable<SparingOptions['keep']>>(
    (value) => isPart(value) || isParts(value),
    'a part of every window, from 0 up to but not including 1, or such a part by period: { minute: 0.2, month: 0.1 }',
  ),
  monthUntil: argument<Date>((date) => date instanceof Date && !Number.isNaN(date.getTime()), 'a Date'),
});

/**
 * Checks what bulk work is to leave, and completes it.
 *
 * @throws ConfigError that names the option that cannot be used.
 */
export function sparingOf(options: SparingOptions): BulkReservePolicy {
  const { above: forPriorityAbove = 0, keep = 0, monthUntil } = sparingOptions(options);
  const parts = typeof keep === 'number' ? Object.fromEntries(PERIODS.map((period) => [period, keep])) : keep;
  return { forPriorityAbove, share: parts, spreadMonthUntil: monthUntil?.getTime() };
}

function isParts(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const known: ReadonlySet<string> = new Set(PERIODS);
  return Object.entries(value).every(([period, part]) => known.has(period) && (part === undefined || isPart(part)));
}
