/** Reads items from an iterable or async iterable, one at a time. */
export class ItemSource<Item> {
  readonly #source: Iterator<Item> | AsyncIterator<Item>;
  /** Whether a read is pending. */
  isBusy = false;
  /** Whether all items have been read. */
  isExhausted = false;

  constructor(items: Iterable<Item> | AsyncIterable<Item>) {
    this.#source = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  }

  /** The next item; undefined if there are no more. */
  async next(): Promise<{ readonly item: Item } | undefined> {
    this.isBusy = true;
    try {
      const step = await this.#source.next();
      if (!step.done) return { item: step.value };
      this.isExhausted = true;
      return undefined;
    } catch (error) {
      this.isExhausted = true;
      throw error;
    } finally {
      this.isBusy = false;
    }
  }

  /** Closes the input, if it has not ended. Does not wait for a pending read. */
  async close(): Promise<void> {
    if (this.isExhausted || !this.#source.return) return;
    const { isBusy } = this;
    const closing = (async () => this.#source.return?.())();
    if (isBusy) closing.catch(() => {});
    else await closing;
  }

  /** Closes the input, and ignores an error of it: another one is thrown already. */
  async closeQuietly(): Promise<void> {
    await this.close().catch(() => {});
  }
}
