import { PERIODS, type Period } from '../quota/time/periods.ts';
import type { BulkReservePolicy } from '../quota/window/bulk-reserve.ts';
import { argument, optionsParser } from '../validation/arguments.ts';

/** The quota that is reserved for calls of a higher priority than bulk work. */
export interface ReserveOptions {
  /** The reserve is for calls above this priority; those up to it are bulk work. Default: 0, the usual priority. */
  readonly forPriorityAbove?: number | undefined;
  /**
   * The share of each window that bulk work must leave: 0.2 of every window, or `{ minute: 0.2, month: 0.1 }`. From 0 up to
   * but not including 1. Default: 0.
   */
  readonly share?: number | Readonly<Partial<Record<Period, number>>> | undefined;
  /**
   * Until this date bulk work spends its share of the month no faster than evenly, from the month's beginning to the date or
   * the month's end, whichever comes first. What is spent by others counts, too. Where the wait for that is longer than
   * `maxWaitMs`, a call fails with QuotaExhaustedError, as it does when the month is out.
   */
  readonly spreadMonthUntil?: Date | undefined;
}

const isShare = (value: unknown): boolean => typeof value === 'number' && value >= 0 && value < 1;

const reserveOptions = optionsParser('reserve options', {
  forPriorityAbove: argument<number>(Number.isFinite, 'a number'),
  share: argument<NonNullable<ReserveOptions['share']>>(
    (value) => isShare(value) || isShareByPeriod(value),
    'a share of every window, from 0 up to but not including 1, or such a share by period: { minute: 0.2, month: 0.1 }',
  ),
  spreadMonthUntil: argument<Date>((date) => date instanceof Date && !Number.isNaN(date.getTime()), 'a Date'),
});

/**
 * Checks the option `reserve`, and completes it.
 *
 * @throws ConfigError that names the option that cannot be used.
 */
export function readReserve(options: ReserveOptions): BulkReservePolicy {
  const { forPriorityAbove = 0, share = 0, spreadMonthUntil } = reserveOptions(options);
  const shares = typeof share === 'number' ? Object.fromEntries(PERIODS.map((period) => [period, share])) : share;
  return { forPriorityAbove, share: shares, spreadMonthUntil: spreadMonthUntil?.getTime() };
}

function isShareByPeriod(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const known: ReadonlySet<string> = new Set(PERIODS);
  return Object.entries(value).every(([period, part]) => known.has(period) && (part === undefined || isShare(part)));
}
