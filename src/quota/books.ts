import type { Admission, Ask, Lease, RequestOutcome } from './admission.ts';
import type { QuotaSnapshot } from './headers/snapshot.ts';
import type { Pacer } from './pacer.ts';
import type { Flight } from './usage/in-flight.ts';

/** The books of so many keys are kept: a key that returns after others finds its own again. */
const MOST_KEYS = 4;

/** The books of one key. */
interface KeyBooks {
  readonly pacer: Pacer;
  /** The number of the key; undefined until the source of keys has been asked. */
  key: number | undefined;
}

/** Options of {@link Books}. */
export interface BooksOptions {
  /** Makes a pacer for another key, whose number it is given by a function. */
  readonly open: (key: () => number | undefined) => Pacer;
  /** Called when the books of a key are no longer kept. */
  readonly close: (pacer: Pacer) => void;
}

/**
 * The books of the keys that one source gives, one after the other: windows, pauses and costs of one key do not bind another. Requests are
 * admitted by the books of the present key, and settled in those that admitted them.
 */
export class Books {
  readonly #options: BooksOptions;
  /** The books that are kept, those of the present key last. */
  readonly #kept: KeyBooks[];
  #present: KeyBooks;

  constructor(options: BooksOptions) {
    this.#options = options;
    this.#present = this.#open(undefined);
    this.#kept = [this.#present];
  }

  /** The pacer of the present key. */
  get present(): Pacer {
    return this.#present.pacer;
  }

  /** The number of the present key. */
  get key(): number | undefined {
    return this.#present.key;
  }

  /** What the headers of the last answer to the present key said. */
  get lastQuota(): QuotaSnapshot | undefined {
    return this.present.lastQuota;
  }

  /** See {@link Pacer.revision}. */
  get revision(): number {
    return this.present.revision;
  }

  /** The number of the key by whose books a request was admitted. */
  keyOf(lease: Lease): number | undefined {
    return ownerOf(lease).key;
  }

  /**
   * Turns to the books of a key, which are new unless it was the present one lately.
   *
   * @returns whether another key was the present one.
   */
  turnTo(key: number): boolean {
    if (this.#present.key === key) return false;
    if (this.#present.key === undefined) {
      this.#present.key = key;
      return false;
    }
    const known = this.#kept.findIndex((books) => books.key === key);
    this.#present = this.#kept.splice(known, known < 0 ? 0 : 1)[0] ?? this.#open(key);
    this.#kept.push(this.#present);
    const dropped = this.#kept.length > MOST_KEYS ? this.#kept.shift() : undefined;
    if (dropped) this.#options.close(dropped.pacer);
    return true;
  }

  /** See {@link Pacer.admit}. */
  admit(ask: Ask, now: number, waitedMs?: number): Admission {
    const admission = this.present.admit(ask, now, waitedMs);
    if (admission.kind === 'granted') (admission.lease as Flight).owner = this.#present;
    return admission;
  }

  /** See {@link Pacer.settle}. */
  settle(lease: Lease, outcome: RequestOutcome, now: number): void {
    ownerOf(lease).pacer.settle(lease, outcome, now);
  }

  /** See {@link Pacer.drift}. */
  drift(lease: Lease, quota: QuotaSnapshot, now: number): Readonly<Record<string, number>> {
    return ownerOf(lease).pacer.drift(lease, quota, now);
  }

  #open(key: number | undefined): KeyBooks {
    const books: KeyBooks = { key, pacer: this.#options.open(() => books.key) };
    return books;
  }
}

/** The books by which a request was admitted. */
function ownerOf(lease: Lease): KeyBooks {
  return (lease as Flight).owner as KeyBooks;
}
