import type { AssetEvent } from '../endpoints/schemas.ts';

/** So many of the last events are remembered, and go into a checkpoint: enough to find the cursor's place again if the last of them are gone. */
const MOST_RECENT_KEYS = 20;

/** Budget of one search for the cursor's place; then the walk goes on where the place should be. */
const SEARCH_BUDGET = 48;

/** Search budget of one step back; jumping to the offset implied by a changed `total` costs 1. */
const STEP_BACK_COST = 8;

/** After more failed searches than this a walk goes forward only, so that it ends whatever a service answers. */
const MOST_RESYNC_FAILURES = 3;

/** Where a walk is: plain JSON, to be kept in a file or a database. */
export interface WalkCheckpoint {
  /** Whose events are walked through. */
  readonly address: string;
  /** How many events lay before the place when it was last seen. */
  readonly offset: number;
  /** How many events there were then. */
  readonly total: number;
  /** The last events that were seen, the latest of them last: by them the place is found again, wherever it has moved. */
  readonly recentKeys: readonly string[];
  /** Whether there is nothing more to come. */
  readonly isOver: boolean;
}

/** A page as it came. */
export interface RawPage {
  /** What was asked for. */
  readonly offset: number;
  /** How many events it can have: with fewer, nothing lies behind it. */
  readonly limit: number;
  readonly total: number;
  readonly results: readonly AssetEvent[];
}

/** An event that was not seen before, and how many lie before it. */
export interface NewEvent {
  readonly event: AssetEvent;
  readonly offset: number;
}

/**
 * Where a walk is in a history whose offsets shift while it goes on: new events push the others back, a reorganisation of
 * the chain takes some away. So a page is asked for from one event back, and only what comes behind an event that was seen
 * before is taken for new. Where a page shows none of them, the place is looked for where the total says that it has moved to.
 */
export class WalkCursor {
  #offset: number;
  #total: number;
  #recentKeys: string[];
  #searchBudget = SEARCH_BUDGET;
  #backtracks = 0;
  #expected: number | undefined;
  #resyncFailures = 0;
  /** Where to ask next, while the place is looked for. */
  #search: number | undefined;
  /** Whether the next page is taken as it is. */
  #isLost = false;
  isOver: boolean;

  constructor({ offset, total, recentKeys, isOver }: Omit<WalkCheckpoint, 'address'>) {
    this.#offset = offset;
    this.#total = total;
    this.#recentKeys = recentKeys.slice(-MOST_RECENT_KEYS);
    this.isOver = isOver;
  }

  /** The offset of the page to ask for. */
  get nextOffset(): number {
    return this.#search ?? Math.max(0, this.#offset - (this.#recentKeys.length > 0 ? 1 : 0));
  }

  /** The place as it can be kept. */
  get checkpoint(): Omit<WalkCheckpoint, 'address'> {
    return { offset: this.#offset, total: this.#total, recentKeys: [...this.#recentKeys], isOver: this.isOver };
  }

  /**
   * Takes in a page.
   *
   * @returns the events in it that come behind the place; undefined if the place is elsewhere, so that another page is to be asked for.
   */
  accept(page: RawPage): readonly NewEvent[] | undefined {
    const keys = page.results.map(keyOf);
    const isStart = this.#recentKeys.length === 0 || this.#isLost;
    const first = isStart ? 0 : keys.findIndex((key) => this.#recentKeys.includes(key));
    if (first < 0) {
      this.#lookElsewhere(page);
      return undefined;
    }
    this.#endSearch();
    this.#total = page.total;
    // Behind the last that was seen, even if none behind it is new.
    this.#offset = page.offset + 1 + keys.findLastIndex((key) => this.#recentKeys.includes(key));
    const seen = new Set(this.#recentKeys);
    const found = page.results.flatMap((event, index) => {
      const key = keys[index] as string;
      if (index < first || seen.has(key)) return [];
      seen.add(key);
      return [{ event, offset: page.offset + index }];
    });
    const isFull = keys.length >= page.limit;
    if (found.length === 0 && isFull && this.nextOffset <= page.offset) this.#goTo(page.offset + keys.length);
    return found;
  }

  /** An event was handed on. */
  advance({ event, offset }: NewEvent): void {
    this.#offset = offset + 1;
    this.#recentKeys.push(keyOf(event));
    if (this.#recentKeys.length > MOST_RECENT_KEYS) this.#recentKeys.shift();
  }

  #lookElsewhere({ offset, limit, total, results }: RawPage): void {
    const step = Math.max(1, limit - 1);
    if (results.length === 0 && offset > 0) {
      // Past the end, where no total is known: back with longer and longer steps, until there are events again.
      this.#search = Math.max(0, offset - step * 2 ** this.#backtracks++);
      // The history has shrunk meanwhile, so the place may be where it was expected before, and was not looked for since.
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

  /** Takes the next page as it is. */
  #goTo(offset: number): void {
    this.#search = offset;
    this.#isLost = true;
  }
}

/** An event is known by its transaction and its index there. */
function keyOf({ tx_id, event_index }: AssetEvent): string {
  return `${tx_id}:${event_index}`;
}
