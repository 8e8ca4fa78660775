import type { Answer } from './store.ts';
import { URGENT_MEMORY_MS } from './store.ts';
import type { Instance } from './windows.ts';

/** Never more than this part of a window is kept for urgent calls. */
const MOST_PART = 0.25;

/** Beyond what is expected, this many standard deviations of random arrivals are kept. */
const DEVIATIONS = 4;

/** The rate of arrivals is not reckoned over less than this, in milliseconds. */
const SHORTEST_MS = 5_000;

/** Calls of a higher priority than this are urgent in every process of a share. */
export const URGENT_ABOVE = 0;

/**
 * What is kept of each window for urgent calls of all processes: what will come in the time that is left, by the rate at
 * which it came lately. Of a short window one unit is kept, in the slots that are still to come.
 */
export class UrgentReserve {
  /** Units a millisecond. */
  #rate = 0;

  hear({ urgent: { units, forMs } }: Answer): void {
    const known = Math.max(SHORTEST_MS, forMs);
    this.#rate = units / (URGENT_MEMORY_MS * (1 - Math.exp(-known / URGENT_MEMORY_MS)));
  }

  /** Units to leave to urgent calls in an instance; `isPresent`: for a slot that is no longer to come. */
  kept({ window, end }: Instance, time: number, isPresent: boolean): number {
    if (this.#rate <= 0) return 0;
    if (window.isShort) return isPresent || window.limit < 2 ? 0 : 1;
    const expected = this.#rate * Math.max(0, end - time);
    return Math.floor(Math.min(window.limit * MOST_PART, expected + DEVIATIONS * Math.sqrt(expected)));
  }
}
