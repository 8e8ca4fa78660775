/** Number of recent events kept in a checkpoint: enough to find the position again if the last of them are gone. */
const MOST_RECENT_KEYS = 20;

/** Budget of one search for the position; then the walk continues at the expected offset. */
const SEARCH_BUDGET = 48;

/** Search budget of one step back; jumping to the offset implied by a changed `total` costs 1. */
const STEP_BACK_COST = 8;

/** After more failed searches than this a walk only goes forward, so that it ends whatever the service answers. */
const MOST_RESYNC_FAILURES = 3;

/** Position of a walk, as plain JSON to store in a file or a database. */
export interface WalkCheckpoint {
  /** The account or contract. */
  readonly address: string;
  /** Number of events before the position when it was last known. */
  readonly offset: number;
  /** Total number of events at that time. */
  readonly total: number;
  /** The last events yielded, the latest last. The position is found again by them after offsets have shifted. */
  readonly recentKeys: readonly string[];
  /** Whether all events have been yielded. */
  readonly isOver: boolean;
}

/** The position that checkpoints of walks and of paginations have in common. */
export type Position = Omit<WalkCheckpoint, 'address'>;

/** A page as received. */
export interface RawPage<Item> {
  /** The requested offset. */
  readonly offset: number;
  /** Maximum number of events of a page: one with fewer is the last. */
  readonly limit: number;
  readonly total: number;
  readonly results: readonly Item[];
}

/** An item that was not yielded before, and the number of items before it. */
export interface NewItem<Item> {
  readonly item: Item;
  readonly offset: number;
}

/** Identifies an item on every page; undefined if items cannot be told apart, so that a walk goes by offsets alone. */
export type ItemKeyOf<Item> = (item: Item) => string | undefined;

/**
 * The position of a walk in a history whose offsets shift meanwhile: new events push the others back, a reorganisation of the
 * chain removes some. Each page is requested from one event before the position, and only events behind a known one are new. If a page
 * has no known event, the search continues at the offset implied by the change of `total`.
 */
export class WalkCursor<Item> {
  readonly #keyOf: ItemKeyOf<Item>;
  #offset: number;
  #total: number;
  #recentKeys: string[];
  #searchBudget = SEARCH_BUDGET;
  #backtracks = 0;
  #expected: number | undefined;
  #resyncFailures = 0;
  /** The next offset to request during a search. */
  #search: number | undefined;
  /** Whether the next page is accepted without a known event. */
  #isLost = false;
  isOver: boolean;

  constructor({ offset, total, recentKeys, isOver }: Position, keyOf: ItemKeyOf<Item>) {
    this.#keyOf = keyOf;
    this.#offset = offset;
    this.#total = total;
    this.#recentKeys = recentKeys.slice(-MOST_RECENT_KEYS);
    this.isOver = isOver;
  }

  /** The offset of the next page to request. */
  get nextOffset(): number {
    return this.#search ?? Math.max(0, this.#offset - (this.#recentKeys.length > 0 ? 1 : 0));
  }

  /** The position as plain JSON. */
  get checkpoint(): Position {
    return { offset: this.#offset, total: this.#total, recentKeys: [...this.#recentKeys], isOver: this.isOver };
  }

  /**
   * Records a page.
   *
   * @returns its events behind the position; undefined if the position is not on this page, so that another must be requested.
   */
  accept(page: RawPage<Item>): readonly NewItem<Item>[] | undefined {
    const keys = page.results.map(this.#keyOf);
    const isStart = this.#recentKeys.length === 0 || this.#isLost;
    const first = isStart ? 0 : keys.findIndex((key) => this.#isKnown(key));
    if (first < 0) {
      this.#lookElsewhere(page);
      return undefined;
    }
    this.#endSearch();
    this.#total = page.total;
    // Behind the last known event, even if there is none.
    this.#offset = page.offset + 1 + keys.findLastIndex((key) => this.#isKnown(key));
    const seen = new Set(this.#recentKeys);
    const found = page.results.flatMap((item, index) => {
      const key = keys[index];
      if (index < first || (key !== undefined && seen.has(key))) return [];
      if (key !== undefined) seen.add(key);
      return [{ item, offset: page.offset + index }];
    });
    const isFull = keys.length >= page.limit;
    if (found.length === 0 && isFull && this.nextOffset <= page.offset) this.#goTo(page.offset + keys.length);
    return found;
  }

  /** Records that an item was yielded. */
  advance({ item, offset }: NewItem<Item>): void {
    this.#offset = offset + 1;
    const key = this.#keyOf(item);
    if (key === undefined) return;
    this.#recentKeys.push(key);
    if (this.#recentKeys.length > MOST_RECENT_KEYS) this.#recentKeys.shift();
  }

  #isKnown(key: string | undefined): boolean {
    return key !== undefined && this.#recentKeys.includes(key);
  }

  #lookElsewhere({ offset, limit, total, results }: RawPage<Item>): void {
    const step = Math.max(1, limit - 1);
    if (results.length === 0 && offset > 0) {
      // A page past the end has no total: step back by growing steps until there are events.
      this.#search = Math.max(0, offset - step * 2 ** this.#backtracks++);
      // The history has shrunk, so the position may be at the offset expected before the search.
      this.#expected = undefined;
      return;
    }
    const expected = Math.max(0, this.#offset - 1 + total - this.#total);
    const isNews = expected !== this.#expected && expected !== offset;
    this.#expected = expected;
    this.#searchBudget -= isNews ? 1 : STEP_BACK_COST;
    if (this.#searchBudget < 0 || (offset === 0 && !isNews)) this.#giveUpSearch(expected);
    else this.#search = isNews ? expected : Math.max(0, offset - step);
  }

  #giveUpSearch(expected: number): void {
    this.#goTo(++this.#resyncFailures > MOST_RESYNC_FAILURES ? Math.max(expected, this.#offset) : expected);
  }

  #endSearch(): void {
    this.#searchBudget = this.#resyncFailures > MOST_RESYNC_FAILURES ? 0 : SEARCH_BUDGET;
    this.#backtracks = 0;
    this.#expected = undefined;
    this.#search = undefined;
    this.#isLost = false;
  }

  /** Ends the search: the next page is accepted without a known event. */
  #goTo(offset: number): void {
    this.#search = offset;
    this.#isLost = true;
  }
}
