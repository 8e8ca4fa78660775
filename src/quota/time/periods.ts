/** A period in which the service counts units (the service documents second, minute and month). */
export type Period = 'second' | 'minute' | 'hour' | 'day' | 'month';

/** Every period a quota header may name, shortest first. */
export const PERIODS: readonly Period[] = ['second', 'minute', 'hour', 'day', 'month'];

const PERIOD_MS: Record<Exclude<Period, 'month'>, number> = {
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};

/** A month as services count it. */
const COUNTED_MONTH_MS = 30 * PERIOD_MS.day;

/** The length of a period in milliseconds; a month counts as 31 days. */
export function periodMsOf(period: Period): number {
  return period === 'month' ? 31 * PERIOD_MS.day : PERIOD_MS[period];
}

/** Windows up to this length are short: waiting for the next one is acceptable, and their shape shows within seconds. In milliseconds. */
export const SHORT_MS = 5_000;

/** When the calendar window (UTC) that holds `at` began. Both in milliseconds since the Unix epoch. */
export function startOf(period: Period, at: number): number {
  return period === 'month' ? monthOf(at).start : Math.floor(at / PERIOD_MS[period]) * PERIOD_MS[period];
}

/** When the calendar window (UTC) that holds `at` ends and the next begins. Both in milliseconds since the Unix epoch. */
export function endOf(period: Period, at: number): number {
  return period === 'month' ? monthOf(at).end : startOf(period, at) + PERIOD_MS[period];
}

/**
 * The end of a window that a service states, in milliseconds since the Unix epoch: no later than that of the month at `now` where it
 * is the window of a month. Services count 30 days for each, so that February's would end in March.
 */
export function withinMonth(now: number, end: number): number {
  return end - now > PERIOD_MS.day ? Math.min(end, endOf('month', now)) : end;
}

/** The end of a month of the calendar, by the end that a service states for it: services count 30 days, so that of a longer month the last is missing. */
export function monthEndBy(stated: number): number {
  const start = startOf('month', stated);
  return stated >= start + COUNTED_MONTH_MS ? endOf('month', start) : stated;
}

/** A month of the calendar, in milliseconds since the Unix epoch. */
interface Month {
  readonly start: number;
  readonly end: number;
}

/** The month that was asked about last: nearly all questions are about the same. */
let lastMonth: Month = { start: 0, end: 0 };

function monthOf(at: number): Month {
  if (at >= lastMonth.start && at < lastMonth.end) return lastMonth;
  const day = new Date(at);
  const [year, month] = [day.getUTCFullYear(), day.getUTCMonth()];
  lastMonth = { start: Date.UTC(year, month), end: Date.UTC(year, month + 1) };
  return lastMonth;
}
