/** A heap with more items that are gone than of the others, and more than this, is cleared of them. */
const LITTER = 64;

/** A binary heap, whose items leave it by being gone: `push` and `first` cost O(log n), spread over all calls. */
export class Heap<T> {
  readonly #isBefore: (one: T, other: T) => boolean;
  readonly #isGone: (item: T) => boolean;
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
    const items = this.#items;
    while (items[0] !== undefined && this.#isGone(items[0])) {
      const last = items.pop() as T;
      if (items.length > 0) this.#sink(last, 0);
    }
    return items[0];
  }

  push(item: T): void {
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

  /** Forgets the items that are gone, if they are most of them: at most `left` are not. */
  tidy(left: number): void {
    if (this.#items.length <= LITTER || this.#items.length <= 2 * left) return;
    this.#items = this.#items.filter((item) => !this.#isGone(item));
    for (let at = (this.#items.length >> 1) - 1; at >= 0; at--) this.#sink(this.#items[at] as T, at);
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
