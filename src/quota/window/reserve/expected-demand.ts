/** A rate is expected to last for this many times the time it was seen, at least a minute. In milliseconds. */
const LASTS_TIMES = 10;
const LASTS_LEAST_MS = 60_000;

/** Units that come after this time without any are another burst, in milliseconds. */
const SILENCE_MS = 600_000;

/** The largest part of a window that is reserved, in whole units where it is one or more. */
const MOST_PART = 0.25;

/** The time in which units came. It tells how long their rate is expected to last: a burst of a second says nothing about the rest of a month. */
export class SeenTime {
  #firstAt = 0;
  #lastAt = -Infinity;

  /** Units came. */
  onUnits(now: number): void {
    if (now - this.#lastAt > SILENCE_MS) this.#firstAt = now;
    this.#lastAt = now;
  }

  /** For how long the rate is expected to last, in milliseconds. */
  get lastsMs(): number {
    return Math.max(LASTS_LEAST_MS, (this.#lastAt - this.#firstAt) * LASTS_TIMES);
  }
}

/**
 * Units of a window of `limit` that are reserved for so many expected ones.
 *
 * @param deviations - how many standard deviations of a random arrival are kept back beyond these.
 */
export function reservedFor(expected: number, limit: number, deviations: number): number {
  const most = limit * MOST_PART;
  return Math.min(most < 1 ? most : Math.floor(most), expected + deviations * Math.sqrt(expected));
}

/** So many standard deviations are added to a count, because few units may be too few by chance. */
const DEVIATIONS_OF_COUNT = 2;

/**
 * The likely rate of random arrivals, in units per millisecond.
 *
 * @param units - those that came lately, each weighing less the longer ago it was, by a memory of so many milliseconds.
 * @param knownMs - for how long they have been counted.
 */
export function likelyRate(units: number, memoryMs: number, knownMs: number): number {
  return (units + DEVIATIONS_OF_COUNT * Math.sqrt(units)) / (memoryMs * (1 - Math.exp(-knownMs / memoryMs)));
}
