/** A binary heap: `first` costs O(1), `push` and `shift` O(log n). */
export class Heap<T> {
  readonly #isBefore: (one: T, other: T) => boolean;
  #items: T[] = [];

  /** @param isBefore - whether one goes before another. */
  constructor(isBefore: (one: T, other: T) => boolean) {
    this.#isBefore = isBefore;
  }

  get size(): number {
    return this.#items.length;
  }

  get first(): T | undefined {
    return this.#items[0];
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

  /** Takes the first out. */
  shift(): T | undefined {
    const [first] = this.#items;
    const last = this.#items.pop();
    if (last !== undefined && this.#items.length > 0) this.#sink(last, 0);
    return first;
  }

  /** Keeps only the items for which `stays` is true. O(n). */
  keep(stays: (item: T) => boolean): void {
    this.#items = this.#items.filter(stays);
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
