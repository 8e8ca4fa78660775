import { ConfigError } from '../errors.ts';
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

/** Loops over the new items of pages, which request a page when its first item is needed. */
export interface PageLoop<Item> {
  /** Item by item. */
  items(): AsyncGenerator<Item, void, void>;
  /** Page by page. */
  pages(): AsyncGenerator<YieldedPage<Item>, void, void>;
}

/**
 * Creates the loops over pages. They have one position, which only the loop moves that began last.
 *
 * @param request - requests the page at the position. Before it moves the position it calls `check`, which throws once another loop has begun
 *   or the signal has aborted. Resolves to undefined if another page must be requested first.
 */
export function pageLoop<Item>(
  position: LoopPosition<Item>,
  request: (check: () => void) => Promise<NewPage<Item> | undefined>,
  signal: AbortSignal | undefined,
): PageLoop<Item> {
  let loops = 0;

  /** The pages with new items, from the position on, each with the `check` of this loop. */
  async function* newPages(): AsyncGenerator<NewPage<Item> & { readonly check: () => void }, void, void> {
    const own = ++loops;
    const check = (): void => {
      signal?.throwIfAborted();
      if (own !== loops) throw new ConfigError('loop', 'can run only once at a time');
    };
    while (!position.isOver) {
      check();
      const page = await request(check);
      if (page?.found.length) yield { ...page, check };
      else if (page) position.isOver = page.isLast;
    }
  }

  return {
    async *items() {
      for await (const { found, isLast, check } of newPages()) {
        for (const one of found) {
          check();
          position.advance(one);
          position.isOver = isLast && one === found.at(-1);
          yield one.item;
        }
      }
    },
    async *pages() {
      for await (const { found, total, quota, isLast } of newPages()) {
        for (const one of found) position.advance(one);
        position.isOver = isLast;
        yield { items: found.map(({ item }) => item), total, quota };
      }
    },
  };
}
