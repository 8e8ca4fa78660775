import type { QuotaSnapshot } from '../quota/headers/snapshot.ts';
import type { NewItem } from './cursor.ts';

/** The position of a walk through pages. */
interface LoopPosition<Item> {
  /** Whether all items have been yielded. */
  isOver: boolean;
  /** Records that an item was yielded. */
  advance(item: NewItem<Item>): void;
}

/** A page of which some items may be new. */
export interface NewPage<Item> {
  readonly found: readonly NewItem<Item>[];
  /** Total number of items by this page, if it says so. */
  readonly total: number | undefined;
  readonly quota: QuotaSnapshot;
  readonly isLast: boolean;
}

/** The new items of one page. */
export interface YieldedPage<Item> {
  readonly items: readonly Item[];
  readonly total: number | undefined;
  readonly quota: QuotaSnapshot;
}

/** Yields the new items of pages, and requests a page when its first item is needed. It has one position, whatever loops there are. */
export class PageLoop<Item> {
  readonly #position: LoopPosition<Item>;
  readonly #request: () => Promise<NewPage<Item> | undefined>;
  readonly #signal: AbortSignal | undefined;

  /** @param request - requests the page at the position; resolves to undefined if another must be requested first. */
  constructor(
    position: LoopPosition<Item>,
    request: () => Promise<NewPage<Item> | undefined>,
    signal: AbortSignal | undefined,
  ) {
    this.#position = position;
    this.#request = request;
    this.#signal = signal;
  }

  /** Item by item. */
  async *items(): AsyncGenerator<Item, void, void> {
    for (let page = await this.#next(); page; page = await this.#next()) {
      for (const [index, one] of page.found.entries()) {
        this.#signal?.throwIfAborted();
        this.#position.advance(one);
        this.#position.isOver = page.isLast && index === page.found.length - 1;
        yield one.item;
      }
    }
  }

  /** Page by page. */
  async *pages(): AsyncGenerator<YieldedPage<Item>, void, void> {
    for (let page = await this.#next(); page; page = await this.#next()) {
      const { found, total, quota, isLast } = page;
      for (const one of found) this.#position.advance(one);
      this.#position.isOver = isLast;
      yield { items: found.map(({ item }) => item), total, quota };
    }
  }

  /** The next page with new items; undefined at the end. */
  async #next(): Promise<NewPage<Item> | undefined> {
    while (!this.#position.isOver) {
      const page = await this.#request();
      if (!page) continue;
      if (page.found.length > 0) return page;
      this.#position.isOver = page.isLast;
    }
    return undefined;
  }
}
