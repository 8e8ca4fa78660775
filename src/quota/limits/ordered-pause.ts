import type { QuotaSnapshot } from '../headers/snapshot.ts';
import { periodMsOf, withinMonth } from '../time/periods.ts';

/** A pause of unknown length is looked at after this time, in milliseconds. */
const LOOK_MS = periodMsOf('hour');

/**
 * How long to pause as `retry-after` says, in milliseconds; undefined: it says nothing.
 *
 * Longer than any window, it is no number of seconds: a timestamp, milliseconds, or years. How long is not known then, so one
 * request looks every hour. The pause of a month ends with the month.
 *
 * @param longestMs - the longest window that the service has named, in milliseconds; undefined: none.
 */
export function orderedPauseMs(
  { retryAfterMs, date, receivedAt }: QuotaSnapshot,
  longestMs: number = periodMsOf('month'),
): number | undefined {
  if (retryAfterMs === undefined) return undefined;
  if (retryAfterMs > Math.max(longestMs, LOOK_MS)) return LOOK_MS;
  const serverNow = date ?? receivedAt;
  return withinMonth(serverNow, serverNow + retryAfterMs) - serverNow;
}
