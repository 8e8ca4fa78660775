import type { WindowNews } from '../../quota/share-limit.ts';
import type { Period } from '../../quota/time/periods.ts';

/** A reading is told this long after its request was answered, if no ask has told it, in milliseconds. */
const TELL_MS = 2_000;

/** A reading is told for itself only where more than this part of the window is used: else no process lacks units of it. */
const TOLD_FROM = 0.5;

/** Where a window may slide, a reading is told by which the store counts no more, too, if more than this part is used: with it goes when each unit slides out. */
const NEARLY_FULL = 0.9;

/**
 * The last reading, where no ask has told it. A process whose job is done asks for nothing more; when its next job does, the reading is too old to bound
 * what is used, and what was answered before the end of its slot would have been free sooner.
 */
export class UnheardReading {
  /** Units of a window that the store counts, by the last answer. */
  readonly #counted = new Map<Period, number>();
  #at = Infinity;

  /** When it is to be told; Infinity: there is none. */
  get tellsAt(): number {
    return this.#at;
  }

  /** The store counts so many units of a window. */
  count(period: Period, units: number): void {
    this.#counted.set(period, Math.max(this.#counted.get(period) ?? 0, units));
  }

  /** A reading was heard, while this process holds so many units. `slides`: whether the window may slide. */
  read({ period, used, limit, receivedAt }: WindowNews, held: number, slides: boolean): void {
    const counted = this.#counted.get(period) ?? 0;
    const isNews = counted > limit * TOLD_FROM && counted - held > used;
    if (isNews || (slides && counted > limit * NEARLY_FULL)) this.#at = receivedAt + TELL_MS;
  }

  /** All readings are told with an ask, to which the answer says what is counted. */
  tell(): void {
    this.#counted.clear();
    this.#at = Infinity;
  }
}
