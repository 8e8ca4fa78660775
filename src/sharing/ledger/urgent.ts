import { periodMsOf } from '../../quota/time/periods.ts';
import { likelyRate, reservedFor, SeenTime } from '../../quota/window/reserve/expected-demand.ts';
import type { Instance } from '../slots/window.ts';
import type { Answer } from '../store/store.ts';
import { URGENT_MEMORY_MS } from '../store/store.ts';

/** Shortest time over which the rate of urgent units is computed, in milliseconds. */
const SHORTEST_MS = 5_000;

/** So many standard deviations of a random arrival are kept back beyond what is expected. */
const DEVIATIONS = 3;

/** Calls with a higher priority than this are urgent. */
export const URGENT_ABOVE = 0;

/**
 * The reserve of each window for urgent calls of all processes: the units they are expected to use until its end, by their
 * recent rate, while that lasts. In a short window that has not begun it is one unit.
 */
export class UrgentReserve {
  /** Units a millisecond. */
  #rate = 0;
  #units = 0;
  #heardAt = 0;
  /** By the store's clock. */
  readonly #seen = new SeenTime();

  hear({ now, urgent: { units, forMs } }: Answer): void {
    // The count decays and is stored in thousandths: where it is larger by half a unit, some came.
    if (units > this.#units * Math.exp((this.#heardAt - now) / URGENT_MEMORY_MS) + 0.5) this.#seen.onUnits(now);
    this.#units = units;
    this.#heardAt = now;
    this.#rate = likelyRate(units, URGENT_MEMORY_MS, Math.max(SHORTEST_MS, forMs));
  }

  /** Units of an instance that are reserved for urgent calls. */
  kept({ window, end, slides = 0 }: Instance, time: number): number {
    if (this.#rate <= 0) return 0;
    const hasBegun = end - periodMsOf(window.period) - slides <= time;
    if (window.isShort) return hasBegun || window.limit < 2 ? 0 : 1;
    const expected = this.#rate * Math.max(0, Math.min(end - time, this.#seen.lastsMs));
    return Math.floor(reservedFor(expected, window.limit, DEVIATIONS));
  }
}
