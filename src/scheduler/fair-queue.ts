import { Heap } from './heap.ts';

/** When so many were called before one who had waited longer, that one is next. So at most one turn in 32 is not by rank. */
const PASSES = 31;

/** Empty entries are cleared away when they are more than the others, and more than this. */
const LITTER = 64;

/** Where someone stands. */
export interface Entry<T> {
  readonly priority: number;
  /** By the order in which all first came; kept over all returns. */
  readonly place: number;
  /** Nobody, once it has left. */
  item: T | undefined;
}

/** Whose turn it is. */
export interface Called<T> {
  readonly item: T;
  /** Whether it is because of the time it waited, and not of its rank. */
  readonly isAged: boolean;
}

/**
 * Goes by priority, then by place; but every so often whoever has waited longest is called, so that nobody waits for
 * ever. Joining, leaving and being called cost O(log n).
 */
export class RankedQueue<T> {
  readonly #byRank = new Heap<Entry<T>>(
    (a, b) => a.priority > b.priority || (a.priority === b.priority && a.place < b.place),
  );
  readonly #byPlace = new Heap<Entry<T>>((a, b) => a.place < b.place);
  /** Those whose time has come already, elsewhere. */
  readonly #aged = new Heap<Entry<T>>((a, b) => a.place < b.place);
  #size = 0;
  #passes = 0;

  get size(): number {
    return this.#size;
  }

  /** The highest priority that waits; -Infinity if nobody does. */
  get highest(): number {
    return firstOf(this.#byRank)?.priority ?? Number.NEGATIVE_INFINITY;
  }

  /**
   * @param place - no two have the same.
   * @param isAged - whether it goes before all others, having waited long enough elsewhere.
   */
  join(item: T, priority: number, place: number, isAged = false): Entry<T> {
    const entry = { priority, place, item };
    if (isAged) this.#aged.push(entry);
    else {
      this.#byRank.push(entry);
      this.#byPlace.push(entry);
    }
    this.#size++;
    return entry;
  }

  /** Without having been called. */
  leave(entry: Entry<T>): void {
    if (entry.item === undefined) return;
    this.#empty(entry);
  }

  /** Calls one, who thereby leaves. */
  call(): Called<T> | undefined {
    const aged = firstOf(this.#aged);
    const eldest = firstOf(this.#byPlace);
    const first = firstOf(this.#byRank);
    const isDue = this.#passes >= PASSES;
    const entry = aged ?? (isDue ? eldest : first);
    if (entry?.item === undefined) return undefined;
    if (!aged) this.#passes = isDue ? 0 : this.#passes + Number(first !== eldest);
    const called = { item: entry.item, isAged: entry === aged || isDue };
    this.#empty(entry);
    return called;
  }

  #empty(entry: Entry<T>): void {
    entry.item = undefined;
    this.#size--;
    for (const heap of [this.#byRank, this.#byPlace, this.#aged]) {
      if (heap.size > LITTER && heap.size > 2 * this.#size) heap.keep(({ item }) => item !== undefined);
    }
  }
}

/** The first who has not left. */
function firstOf<T>(heap: Heap<Entry<T>>): Entry<T> | undefined {
  while (heap.first && heap.first.item === undefined) heap.shift();
  return heap.first;
}
