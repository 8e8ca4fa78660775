/** A period in which the service counts units (section 8 of the interface names second, minute and month). */
export type Period = 'second' | 'minute' | 'hour' | 'day' | 'month';

/** Every period a quota header may name, shortest first. */
export const PERIODS: readonly Period[] = ['second', 'minute', 'hour', 'day', 'month'];

const PERIOD_MS: Record<Exclude<Period, 'month'>, number> = {
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};

/** The length of a period in milliseconds; a month counts as 31 days. */
export function periodMsOf(period: Period): number {
  return period === 'month' ? 31 * PERIOD_MS.day : PERIOD_MS[period];
}

/** Windows up to this length are short: waiting for the next one is acceptable, and their shape shows within seconds. In milliseconds. */
export const SHORT_MS = 5_000;

/** When the calendar window (UTC) that holds `at` began. Both in milliseconds since the Unix epoch. */
export function startOf(period: Period, at: number): number {
  if (period !== 'month') return Math.floor(at / PERIOD_MS[period]) * PERIOD_MS[period];
  const day = new Date(at);
  return Date.UTC(day.getUTCFullYear(), day.getUTCMonth());
}

/** When the calendar window (UTC) that holds `at` ends and the next begins. Both in milliseconds since the Unix epoch. */
export function endOf(period: Period, at: number): number {
  if (period !== 'month') return startOf(period, at) + PERIOD_MS[period];
  const day = new Date(at);
  return Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1);
}
