import { type ItemKeyOf, type NewItem, type Position, WalkCursor } from './cursor.ts';
import type { NewPage } from './page-loop.ts';

/** The part of a query that says which page is requested. */
export interface PageQuery {
  readonly offset?: number;
  readonly cursor?: string;
}

/** A page as read: its items, and its place among the pages as far as it says so. */
export interface ReadPage<Item> {
  readonly items: readonly Item[];
  /** Maximum number of items. */
  readonly limit: number | undefined;
  readonly total: number | undefined;
  /** The cursor of the next page; null: this is the last; undefined: pages go by offset. */
  readonly next: string | null | undefined;
  /** The cursor of this page. */
  readonly current: string | undefined;
}

/** The new items of a page. */
type NewItems<Item> = Omit<NewPage<Item>, 'quota'>;

/** Where a {@link PagePosition} begins. */
interface Beginning extends Position {
  readonly cursor?: string | null;
}

/** The position of a pagination. It goes by offset until a page names a cursor. */
export class PagePosition<Item> {
  readonly #offsets: WalkCursor<Item>;
  /** The cursor of the present page: undefined while pages go by offset, null for the first page. */
  #cursor: string | null | undefined;
  #next: string | null = null;
  /** Number of items of the present page. */
  #size = 0;
  /** Number of items of the present page that were yielded. */
  #yielded: number;
  /** Number of pages that were passed. */
  #passed = 0;
  /** The cursor of a page that was passed: of the first, second, fourth, eighth, …, so that any cycle comes by it again. */
  #mark: string | null | undefined;

  constructor(from: Beginning, keyOf: ItemKeyOf<Item> = () => undefined) {
    this.#cursor = from.cursor;
    this.#yielded = from.cursor === undefined ? 0 : from.offset;
    this.#offsets = new WalkCursor(from, keyOf);
  }

  get isOver(): boolean {
    return this.#offsets.isOver;
  }

  set isOver(isOver: boolean) {
    this.#offsets.isOver = isOver;
  }

  /** The query of the page to request. The first page has none, because some endpoints know no `offset`. */
  get query(): PageQuery {
    if (this.#cursor !== undefined) return this.#cursor === null ? {} : { cursor: this.#cursor };
    const offset = this.#offsets.nextOffset;
    return offset === 0 ? {} : { offset };
  }

  /** The position as plain JSON. */
  get checkpoint(): Beginning {
    const { offset, ...rest } = this.#offsets.checkpoint;
    return this.#cursor === undefined ? { offset, ...rest } : { ...rest, cursor: this.#cursor, offset: this.#yielded };
  }

  /**
   * Records the page that {@link query} asks for.
   *
   * @param limit - items per page that the caller asked for.
   * @returns undefined if the position is not on this page, so that another must be requested.
   */
  accept(page: ReadPage<Item>, limit: number | undefined): NewItems<Item> | undefined {
    const isByOffset = page.next === undefined && this.#cursor === undefined;
    // Behind pages that go by cursor, one that names no next is the last.
    return isByOffset ? this.#acceptByOffset(page, limit) : this.#acceptByCursor(page, page.next ?? null);
  }

  /** Records that an item was yielded. */
  advance(one: NewItem<Item>): void {
    if (this.#cursor === undefined) this.#offsets.advance(one);
    else this.#goTo(one.offset + 1);
  }

  /** Whether this cursor is known to be that of a page that was passed. */
  hasPassed(cursor: string | null | undefined): boolean {
    return !!cursor && cursor === this.#mark;
  }

  #acceptByOffset(
    { items, total, limit: most = items.length }: ReadPage<Item>,
    limit = most,
  ): NewItems<Item> | undefined {
    const offset = this.#offsets.nextOffset;
    // The service may return smaller pages than requested.
    const size = Math.max(1, Math.min(limit, most));
    const found = this.#offsets.accept({ offset, limit: size, total: total ?? 0, results: items });
    if (!found) return undefined;
    const isEnd = total ? offset + items.length >= total : items.length < size;
    // Some services return fewer items than their pages are said to hold: then the total decides.
    return { found, total, isLast: isEnd || (found.length === 0 && items.length < size) };
  }

  #acceptByCursor({ items, total, current }: ReadPage<Item>, next: string | null): NewItems<Item> | undefined {
    this.#cursor ??= current ?? null;
    // A page that names itself as the next would be requested for ever.
    this.#next = next === '' || next === this.#cursor ? null : next;
    this.#size = items.length;
    const isLast = this.#next === null;
    const first = this.#yielded;
    const found = items.slice(first).map((item, index) => ({ item, offset: first + index }));
    if (found.length === 0) this.#goTo(items.length);
    return { found, total, isLast };
  }

  /** Goes to an item of the present page, or to the next page if it has no more. */
  #goTo(index: number): void {
    const isEnd = index >= this.#size && this.#next !== null;
    this.#yielded = isEnd ? 0 : index;
    if (!isEnd) return;
    if ((++this.#passed & (this.#passed - 1)) === 0) this.#mark = this.#cursor;
    this.#cursor = this.#next;
  }
}
