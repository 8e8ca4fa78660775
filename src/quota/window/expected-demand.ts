/** A rate is expected to last for this many times the time it was seen, at least a minute. In milliseconds. */
const LASTS_TIMES = 10;
const LASTS_LEAST_MS = 60_000;

/** The largest part of a window that is reserved. */
const MOST_PART = 0.25;

/** Beyond what is expected, this many standard deviations of a random arrival are kept back. */
const DEVIATIONS = 4;

/** For how long a rate is expected to last that was seen for `seenMs`: a burst of a second says nothing about the rest of a month. */
export function lastsMs(seenMs: number): number {
  return Math.max(LASTS_LEAST_MS, seenMs * LASTS_TIMES);
}

/** Units of a window of `limit` that are reserved for so many expected ones. */
export function reservedFor(expected: number, limit: number): number {
  return Math.min(limit * MOST_PART, expected + DEVIATIONS * Math.sqrt(expected));
}
