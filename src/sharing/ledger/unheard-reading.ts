import type { WindowNews } from '../../quota/share-limit.ts';
import type { Period } from '../../quota/time/periods.ts';

/** A reading is told this long after its request was answered, if no ask has told it, in milliseconds. */
const TELL_MS = 2_000;

/** A reading is told for itself only where more than this part of the window is used: else no process lacks units of it. */
const TOLD_FROM = 0.5;

/**
 * A reading by which less of a window is used than the store counts, and which no ask has told. A process whose job is done asks for nothing more, and
 * when the next one does, the reading is too old to bound what is used.
 */
export class UnheardReading {
  /** Units of a window that the store counts, by the last answer. */
  readonly #counted = new Map<Period, number>();
  #at = Number.POSITIVE_INFINITY;

  /** When it is to be told; Infinity: there is none. */
  get tellsAt(): number {
    return this.#at;
  }

  /** The store counts so many units of a window. */
  count(period: Period, units: number): void {
    this.#counted.set(period, Math.max(this.#counted.get(period) ?? 0, units));
  }

  /** A reading was heard, while this process holds so many units. */
  read({ period, used, limit, receivedAt }: WindowNews, held: number): void {
    const counted = this.#counted.get(period) ?? 0;
    if (counted > limit * TOLD_FROM && counted - held > used) this.#at = receivedAt + TELL_MS;
  }

  /** All readings are told with an ask, to which the answer says what is counted. */
  tell(): void {
    this.#counted.clear();
    this.#at = Number.POSITIVE_INFINITY;
  }
}
