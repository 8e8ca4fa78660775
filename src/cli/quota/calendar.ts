/** Lengths of the periods that have the same length always, in milliseconds. */
const LENGTHS: Readonly<Record<string, number>> = { second: 1_000, minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/**
 * When the window of the UTC calendar that holds `at` ends, both in epoch milliseconds: a guess, because the service does not say
 * how its windows lie. Undefined for `endpoint`, which is not of the calendar.
 */
export function endOf(window: string, at: number): number | undefined {
  const length = LENGTHS[window];
  if (length !== undefined) return Math.floor(at / length) * length + length;
  if (window !== 'month') return undefined;
  const day = new Date(at);
  return Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1);
}
