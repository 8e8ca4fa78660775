import { periodMsOf } from '../quota/time/periods.ts';
import type { Answer } from './store.ts';
import { URGENT_MEMORY_MS } from './store.ts';
import type { Instance } from './windows.ts';

/** Largest part of a window that is reserved for urgent calls. */
const MOST_PART = 0.25;

/** Safety margin of the reserve, in standard deviations of random arrivals. */
const DEVIATIONS = 4;

/** Shortest time over which the rate of urgent units is computed, in milliseconds. */
const SHORTEST_MS = 5_000;

/** Calls with a higher priority than this are urgent. */
export const URGENT_ABOVE = 0;

/**
 * The reserve of each window for urgent calls of all processes: the units they are expected to use until its end, by their
 * recent rate. In a short window that has not begun it is one unit.
 */
export class UrgentReserve {
  /** Units a millisecond. */
  #rate = 0;

  hear({ urgent: { units, forMs } }: Answer): void {
    const known = Math.max(SHORTEST_MS, forMs);
    this.#rate = units / (URGENT_MEMORY_MS * (1 - Math.exp(-known / URGENT_MEMORY_MS)));
  }

  /** Units of an instance that are reserved for urgent calls. */
  kept({ window, end, slides = 0 }: Instance, time: number): number {
    if (this.#rate <= 0) return 0;
    const hasBegun = end - periodMsOf(window.period) - slides <= time;
    if (window.isShort) return hasBegun || window.limit < 2 ? 0 : 1;
    const expected = this.#rate * Math.max(0, end - time);
    return Math.floor(Math.min(window.limit * MOST_PART, expected + DEVIATIONS * Math.sqrt(expected)));
  }
}
