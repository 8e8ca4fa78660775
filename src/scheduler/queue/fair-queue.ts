import { Heap } from './heap.ts';

/** After this many entries have overtaken an older one, the oldest is next: at most one turn in 32 is not by priority. */
const PASSES = 31;

/** One entry of the queue. */
export interface QueueEntry<T> {
  readonly priority: number;
  /** The order of arrival; kept over all returns. */
  readonly ticket: number;
  /** `undefined` once it was removed. */
  item: T | undefined;
}

/** The entry that was taken out. */
export interface Dequeued<T> {
  readonly item: T;
  readonly priority: number;
  /** Whether it was chosen for the time it waited, and not for its priority. */
  readonly byAge: boolean;
}

/**
 * A queue by priority, then by ticket; but every so often the oldest entry is taken, so that none waits for ever. All
 * operations cost O(log n).
 */
export class FairQueue<T> {
  readonly #byRank = new Heap<QueueEntry<T>>(isHigher, isRemoved);
  readonly #byTicket = new Heap<QueueEntry<T>>(isOlder, isRemoved);
  /** Entries already chosen by age in a parked group: they are served first. */
  readonly #aged = new Heap<QueueEntry<T>>(isOlder, isRemoved);
  #size = 0;
  #passes = 0;

  get size(): number {
    return this.#size;
  }

  /** The highest priority in the queue; -Infinity if it is empty. */
  get highest(): number {
    return this.#byRank.first?.priority ?? -Infinity;
  }

  /**
   * @param ticket - no two have the same.
   * @param byAge - whether it was chosen by age elsewhere: it is served before all others.
   */
  enqueue(item: T, priority: number, ticket: number, byAge: boolean = false): QueueEntry<T> {
    const entry = { priority, ticket, item };
    if (byAge) this.#aged.push(entry);
    else {
      this.#byRank.push(entry);
      this.#byTicket.push(entry);
    }
    this.#size++;
    return entry;
  }

  /** Removes an entry before its turn. */
  remove(entry: QueueEntry<T>): void {
    if (entry.item === undefined) return;
    entry.item = undefined;
    this.#size--;
    for (const heap of [this.#byRank, this.#byTicket, this.#aged]) heap.tidy(this.#size);
  }

  /** Takes out the entry whose turn it is. */
  dequeue(): Dequeued<T> | undefined {
    const { first: aged } = this.#aged;
    const { first: oldest } = this.#byTicket;
    const { first } = this.#byRank;
    const isDue = this.#passes >= PASSES;
    const entry = aged ?? (isDue ? oldest : first);
    if (entry?.item === undefined) return undefined;
    if (!aged) this.#passes = isDue ? 0 : this.#passes + Number(first !== oldest);
    const dequeued = { item: entry.item, priority: entry.priority, byAge: entry === aged || isDue };
    this.remove(entry);
    return dequeued;
  }
}

function isHigher(one: QueueEntry<unknown>, other: QueueEntry<unknown>): boolean {
  return one.priority > other.priority || (one.priority === other.priority && isOlder(one, other));
}

function isOlder(one: QueueEntry<unknown>, other: QueueEntry<unknown>): boolean {
  return one.ticket < other.ticket;
}

function isRemoved({ item }: QueueEntry<unknown>): boolean {
  return item === undefined;
}
