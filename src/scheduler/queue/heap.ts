/** Items that are gone are dropped all together, when they are more than the others; a heap of no more items than this keeps them. */
const SMALL = 64;

/**
 * A priority queue with lazy removal: an item is removed by making `isGone` true for it. Items that are pushed in order, as most are, are kept
 * in a list, at O(1); the others in a binary heap, where `push` and `first` cost O(log n), amortised.
 */
export class Heap<T> {
  readonly #isBefore: (one: T, other: T) => boolean;
  readonly #isGone: (item: T) => boolean;
  /** The list, whose items before `#head` are gone. */
  #inOrder: T[] = [];
  #head = 0;
  /** The binary heap. */
  #items: T[] = [];

  /**
   * @param isBefore - whether one goes before another.
   * @param isGone - whether an item is no longer in the heap.
   */
  constructor(isBefore: (one: T, other: T) => boolean, isGone: (item: T) => boolean) {
    this.#isBefore = isBefore;
    this.#isGone = isGone;
  }

  /** The first item that is not gone. */
  get first(): T | undefined {
    const inOrder = this.#firstInOrder();
    const other = this.#firstOfOthers();
    if (inOrder === undefined || other === undefined) return inOrder ?? other;
    return this.#isBefore(other, inOrder) ? other : inOrder;
  }

  push(item: T): void {
    const last = this.#inOrder.at(-1);
    if (last !== undefined && this.#isBefore(item, last)) this.#pushOther(item);
    else this.#inOrder.push(item);
  }

  /** Drops the items that are gone, if they are more than half of all. @param left - how many are not gone, at most. */
  tidy(left: number): void {
    const size = this.#inOrder.length - this.#head + this.#items.length;
    if (size <= SMALL || size <= 2 * left) return;
    this.#inOrder = this.#inOrder.filter((item) => !this.#isGone(item));
    this.#head = 0;
    this.#items = this.#items.filter((item) => !this.#isGone(item));
    for (let at = (this.#items.length >> 1) - 1; at >= 0; at--) this.#sink(this.#items[at] as T, at);
  }

  #firstInOrder(): T | undefined {
    const inOrder = this.#inOrder;
    while (this.#head < inOrder.length && this.#isGone(inOrder[this.#head] as T)) this.#head++;
    if (this.#head > SMALL && this.#head * 2 > inOrder.length) {
      this.#inOrder = inOrder.slice(this.#head);
      this.#head = 0;
    }
    return this.#inOrder[this.#head];
  }

  #firstOfOthers(): T | undefined {
    const items = this.#items;
    while (items[0] !== undefined && this.#isGone(items[0])) {
      const last = items.pop() as T;
      if (items.length > 0) this.#sink(last, 0);
    }
    return items[0];
  }

  #pushOther(item: T): void {
    const items = this.#items;
    let at = items.push(item) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = items[parent] as T;
      if (!this.#isBefore(item, above)) break;
      items[at] = above;
      at = parent;
    }
    items[at] = item;
  }

  /** Puts an item in the place of another, or of one of those below it that go before it. */
  #sink(item: T, from: number): void {
    const items = this.#items;
    let at = from;
    for (let child = 2 * at + 1; child < items.length; child = 2 * at + 1) {
      if (child + 1 < items.length && this.#isBefore(items[child + 1] as T, items[child] as T)) child++;
      const below = items[child] as T;
      if (!this.#isBefore(below, item)) break;
      items[at] = below;
      at = child;
    }
    items[at] = item;
  }
}
