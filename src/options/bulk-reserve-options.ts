import { ConfigError } from '../errors.ts';
import { PERIODS, type Period } from '../quota/time/periods.ts';
import type { BulkReservePolicy } from '../quota/window/bulk-reserve.ts';
import { type Argument, argument, number, optionsParser, unknownOption } from '../validation/arguments.ts';

/** Quota reserved for calls with a higher priority than bulk work. At least one of `share` and `spreadMonthUntil` must be given, else it is a ConfigError. */
export interface ReserveOptions {
  /** The reserve is for calls above this priority, any finite number; calls up to it are bulk work. Default: 0. */
  readonly forPriorityAbove?: number | undefined;
  /**
   * The reserved part of each window, from 0 up to but not including 1: `0.2` for every window, or `{ minute: 0.2, month: 0.1 }`.
   * Default: 0.
   */
  readonly share?: number | Readonly<Partial<Record<Period, number | undefined>>> | undefined;
  /**
   * Until this date bulk work uses its part of the month no faster than evenly, from the beginning of the month to the date or the
   * end of the month, whichever comes first. Usage by other consumers counts, too. A call that would have to wait longer than
   * `maxWaitMs` fails with QuotaExhaustedError. Default: the month is not spread.
   */
  readonly spreadMonthUntil?: Date | undefined;
}

/** A share of every window, or of windows by their period. */
export type PeriodShares = number | Readonly<Partial<Record<Period, number | undefined>>>;

const isShare = (value: unknown): boolean => typeof value === 'number' && value >= 0 && value < 1;

const shareOfAll = argument<PeriodShares>(
  isShare,
  'a share of every window, from 0 up to but not including 1, or such a share by period: { minute: 0.2, month: 0.1 }',
);
const shareOfOne = argument<number>(isShare, 'a share, from 0 up to but not including 1');

/** An argument that is a share of every window, or of windows by their period. */
export const periodShares: Argument<PeriodShares | undefined> = (given, name) => {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return shareOfAll(given, name);
  for (const [period, share] of Object.entries(given)) {
    if (!(PERIODS as readonly string[]).includes(period)) throw unknownOption(period, 'periods', PERIODS, `${name}.`);
    shareOfOne(share, `${name}.${period}`);
  }
  return given;
};

const reserveOptions = optionsParser(
  'reserve options',
  {
    forPriorityAbove: number,
    share: periodShares,
    spreadMonthUntil: argument<Date>((date) => date instanceof Date && !Number.isNaN(date.getTime()), 'a Date'),
  },
  'reserve.',
);

/**
 * Checks the option `reserve` and adds defaults.
 *
 * @throws ConfigError that names the invalid option.
 */
export function readReserve(options: ReserveOptions): BulkReservePolicy {
  const { forPriorityAbove = 0, share, spreadMonthUntil } = reserveOptions(options);
  if (share === undefined && spreadMonthUntil === undefined)
    throw new ConfigError(
      'reserve',
      'must have a share, such as { share: 0.2 }, or spreadMonthUntil: else it reserves nothing',
    );
  return { forPriorityAbove, share: sharesOf(share ?? 0), spreadMonthUntil: spreadMonthUntil?.getTime() };
}

/** A share for each period. */
export function sharesOf(share: PeriodShares): Readonly<Partial<Record<Period, number | undefined>>> {
  return typeof share === 'number' ? Object.fromEntries(PERIODS.map((period) => [period, share])) : share;
}
