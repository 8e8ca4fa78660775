/** A period of the service's limits. */
export type Period = 'second' | 'minute' | 'month';

/** Units per period. */
export type Limits = Readonly<Partial<Record<Period, number>>>;

/** One limit of several. */
export interface Limit {
  readonly period: Period;
  readonly limit: number;
}

export const SECOND = 1_000;
export const MINUTE = 60_000;

/** The limits as a list, the shortest period first. */
export function listOf(limits: Limits): readonly Limit[] {
  return (['second', 'minute', 'month'] as const).flatMap((period) => {
    const limit = limits[period];
    return limit === undefined ? [] : [{ period, limit }];
  });
}

/** The start of the calendar period (UTC) that contains an instant. */
export function startOf(period: Period, at: number): number {
  if (period === 'month') return Date.UTC(new Date(at).getUTCFullYear(), new Date(at).getUTCMonth());
  return at - (at % lengthOf(period));
}

/** The end of the calendar period (UTC) that contains an instant. */
export function endOf(period: Period, at: number): number {
  if (period === 'month') return Date.UTC(new Date(at).getUTCFullYear(), new Date(at).getUTCMonth() + 1);
  return startOf(period, at) + lengthOf(period);
}

/** The length of a period in milliseconds; of a month, 30 days. */
export function lengthOf(period: Period): number {
  return { second: SECOND, minute: MINUTE, month: 30 * 24 * 60 * MINUTE }[period];
}
