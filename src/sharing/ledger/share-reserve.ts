import { periodMsOf } from '../../quota/time/periods.ts';
import { likelyRate, reservedFor, SeenTime } from '../../quota/window/reserve/expected-demand.ts';
import type { Instance } from '../slots/window.ts';
import { type Answer, URGENT_MEMORY_MS } from '../store/store.ts';

/** Shortest time over which a rate is computed, in milliseconds. */
const SHORTEST_MS = 5_000;

/** So many standard deviations of a random arrival are kept back beyond what is expected. */
const DEVIATIONS = 3;

/**
 * The reserve of each window for calls of all processes whose rank is higher than that of a call that asks: the units they are expected to use
 * until its end, by their recent rate, while that lasts. In a short window that has not begun it is one unit.
 */
export class ShareReserve {
  /** Units a millisecond. */
  #rate = 0;
  #units = 0;
  #heardAt = 0;
  /** By the store's clock. */
  readonly #seen = new SeenTime();

  /** Records how many units such calls took lately, by an answer of the store. */
  hear(units: number, { now, urgent: { forMs } }: Pick<Answer, 'now' | 'urgent'>): void {
    // The count decays and is stored in thousandths: where it is larger by half a unit, some came.
    if (units > this.#units * Math.exp((this.#heardAt - now) / URGENT_MEMORY_MS) + 0.5) this.#seen.onUnits(now);
    this.#units = units;
    this.#heardAt = now;
    this.#rate = likelyRate(units, URGENT_MEMORY_MS, Math.max(SHORTEST_MS, forMs));
  }

  /** Units of an instance that are reserved for such calls. */
  kept({ window, end, slides = 0 }: Instance, time: number): number {
    if (this.#rate <= 0) return 0;
    const hasBegun = end - periodMsOf(window.period) - slides <= time;
    if (window.isShort) return hasBegun || window.limit < 2 ? 0 : 1;
    const expected = this.#rate * Math.max(0, Math.min(end - time, this.#seen.lastsMs));
    return Math.floor(reservedFor(expected, window.limit, DEVIATIONS));
  }
}
