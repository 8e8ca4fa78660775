import { ConfigError, isClosed, isConfigError, isQuotaExhausted, quote } from '../errors.ts';
import { ItemSource } from './item-source.ts';
import { type BulkCheckpoint, type BulkOptions, type BulkSettings, readBulkOptions } from './options.ts';
import { type BulkDependencies, type BulkProgress, ProgressTracker } from './progress.ts';

/** Outcome of an item: its value, or the reason of its failure, as in `Promise.allSettled`. */
export type BulkOutcome<Item, Value> =
  | { readonly status: 'fulfilled'; readonly item: Item; readonly index: number; readonly value: Value }
  | { readonly status: 'rejected'; readonly item: Item; readonly index: number; readonly reason: unknown };

/** Context of the call for an item. */
export interface BulkTurn {
  /** The item's place in the input, counted from 0. */
  readonly index: number;
  /** Aborts when the loop is left or the bulk is aborted. Pass it to the calls, so that they use no more quota. */
  readonly signal: AbortSignal;
}

/** The function called for each item. */
export type BulkCall<Item, Value> = (item: Item, turn: BulkTurn) => Value | Promise<Value>;

/**
 * Runs a call for many items in constant memory: `for await (const outcome of bulk)`. It begins with the loop; leaving the loop
 * aborts the calls in flight and closes the input.
 *
 * A failed item yields a rejected outcome. A fatal error (quota exhausted, 401 or 403, closed client, too many failures in a row) stops
 * the run: no more items are taken, and the loop yields the finished outcomes and throws that error. The items that failed by it yield
 * no outcome; the checkpoint has them, as undone.
 */
export interface Bulk<Item, Value> extends AsyncIterable<BulkOutcome<Item, Value>> {
  /** Starts the run. Throws ConfigError the second time. */
  [Symbol.asyncIterator](): AsyncGenerator<BulkOutcome<Item, Value>, void, void>;
  /** The present progress. */
  readonly progress: BulkProgress;
  /** The position after the last yielded outcome, to continue from. Read it once that outcome is processed. */
  readonly checkpoint: BulkCheckpoint;
  /** Items taken from the input and not yielded, at most `concurrency`: they are lost if the input cannot be read again. */
  readonly undone: readonly { readonly index: number; readonly item: Item }[];
}

/**
 * Creates a bulk. Nothing is taken from the input yet.
 *
 * @throws ConfigError if an argument is invalid.
 */
export function bulk<Item, Value>(
  items: Iterable<Item> | AsyncIterable<Item>,
  call: BulkCall<Item, Value>,
  options: BulkOptions,
  dependencies: BulkDependencies,
): Bulk<Item, Value> {
  const settings = readBulkOptions(items, options, dependencies.concurrency);
  if (typeof call !== 'function') throw new ConfigError('call', `must be a function of an item, not ${quote(call)}`);
  return new BulkRun(items, call, settings, dependencies);
}

class BulkRun<Item, Value> implements Bulk<Item, Value> {
  readonly #items: Iterable<Item> | AsyncIterable<Item>;
  readonly #call: BulkCall<Item, Value>;
  readonly #settings: BulkSettings;
  readonly #progress: ProgressTracker;
  readonly #stop = new AbortController();
  #source: ItemSource<Item> | undefined;
  /** Number of items taken from the input, including those of earlier runs. */
  #next = 0;
  /** Places of items that an earlier run left undone and that this run has not reached yet. */
  readonly #left: Set<number>;
  /** Items in progress, or finished and not yielded yet, by their places, in the order of the input. */
  readonly #held = new Map<number, Item>();
  /** Places of items left undone because of the fatal error. */
  readonly #undone = new Map<number, Item>();
  /** Outcomes that are not yielded yet, by the places of their items. */
  readonly #ready = new Map<number, BulkOutcome<Item, Value>>();
  #failedInARow = 0;
  /** The error that ends the run. */
  #end: { readonly error: unknown } | undefined;
  #isFilling = false;
  #isOver = false;
  #wake = (): void => {};

  constructor(
    items: Iterable<Item> | AsyncIterable<Item>,
    call: BulkCall<Item, Value>,
    settings: BulkSettings,
    dependencies: BulkDependencies,
  ) {
    this.#items = items;
    this.#call = call;
    this.#settings = settings;
    const { next, undone } = settings.from;
    this.#left = new Set(undone);
    this.#progress = new ProgressTracker(dependencies, settings.total, next - this.#left.size);
  }

  get progress(): BulkProgress {
    return this.#progress.progress(this.#underWay);
  }

  get checkpoint(): BulkCheckpoint {
    const places = [...this.#left, ...this.undone.map(({ index }) => index)];
    const undone = places.sort((one, other) => one - other);
    return { next: Math.max(this.#next, this.#settings.from.next), undone };
  }

  get undone(): readonly { readonly index: number; readonly item: Item }[] {
    return Array.from([...this.#undone, ...this.#held], ([index, item]) => ({ index, item }));
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<BulkOutcome<Item, Value>, void, void> {
    if (this.#source) throw new ConfigError('bulk', 'can run only once: create another with { from: checkpoint }');
    const { signal } = this.#settings;
    const source = new ItemSource(this.#items);
    this.#source = source;
    const abort = (): void => this.#leave(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    let isThrowing = true;
    try {
      for (;;) {
        signal?.throwIfAborted();
        void this.#fill(source);
        const outcome = this.#take();
        if (outcome) {
          // A caller that leaves the loop here has no error yet: it gets the one of closing the input, if there is one.
          isThrowing = false;
          yield outcome;
          isThrowing = true;
        } else if (this.#underWay === 0 && (this.#end || (source.isExhausted && !this.#isFilling))) {
          // An input that throws at once is exhausted a turn before its error is known.
          if (this.#end) throw this.#end.error;
          return;
        } else await this.#change();
      }
    } finally {
      signal?.removeEventListener('abort', abort);
      this.#leave(new DOMException('The bulk has ended.', 'AbortError'));
      await (isThrowing ? source.closeQuietly() : source.close());
    }
  }

  /** Number of items whose call is in progress. */
  get #underWay(): number {
    return this.#held.size - this.#ready.size;
  }

  /** Resolves when a call or a read of the input has ended, or the run is over. */
  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** Takes items from the input, one after the other, while fewer than `concurrency` are held. */
  async #fill(source: ItemSource<Item>): Promise<void> {
    if (this.#isFilling) return;
    this.#isFilling = true;
    try {
      while (!this.#end && !source.isExhausted && this.#held.size < this.#settings.concurrency) {
        const taken = await source.next();
        if (this.#isOver) return;
        if (taken) this.#begin(taken.item);
      }
    } catch (error) {
      this.#end ??= { error };
    } finally {
      this.#isFilling = false;
      this.#wake();
    }
  }

  #begin(item: Item): void {
    const index = this.#next++;
    if (index < this.#settings.from.next && !this.#left.delete(index)) return;
    this.#held.set(index, item);
    void this.#make(item, index);
  }

  async #make(item: Item, index: number): Promise<void> {
    const call = async (): Promise<Value> => this.#call(item, { index, signal: this.#stop.signal });
    const [result] = await Promise.allSettled([call()]);
    if (this.#isOver) return;
    if (result.status === 'rejected' && this.#onFailure(result.reason)) {
      this.#held.delete(index);
      this.#undone.set(index, item);
    } else {
      this.#ready.set(index, { ...result, item, index });
      this.#progress.count(result.status === 'rejected');
      // Errors of the listener are ignored, whether it throws or, being asynchronous, rejects.
      const told = (async () => this.#settings.onProgress?.(this.progress))();
      told.catch(() => {});
    }
    if (result.status === 'fulfilled') this.#failedInARow = 0;
    this.#wake();
  }

  /** A call failed, which may end the run. @returns whether its item is left undone. */
  #onFailure(reason: unknown): boolean {
    const { isFatal, maxFailuresInARow } = this.#settings;
    // After the end a failure may only be an abort.
    if (this.#stop.signal.aborted) return true;
    try {
      if (isFatal(reason)) throw reason;
    } catch (error) {
      this.#end ??= { error };
      // If the quota is exhausted or the client closed, calls in flight may still succeed; waiting calls are refused unsent.
      if (!isQuotaExhausted(error) && !isClosed(error)) this.#stop.abort(error);
      return true;
    }
    if (!isConfigError(reason) && ++this.#failedInARow >= maxFailuresInARow) {
      this.#end ??= { error: reason };
      this.#stop.abort(reason);
    }
    return false;
  }

  /** Aborts everything; later outcomes are ignored. */
  #leave(reason: unknown): void {
    this.#isOver = true;
    if (this.#underWay > 0) this.#stop.abort(reason);
    this.#wake();
  }

  /** The next outcome to yield, if it is finished. */
  #take(): BulkOutcome<Item, Value> | undefined {
    const order = this.#settings.ordered ? this.#held.keys() : this.#ready.keys();
    const [index] = order;
    const outcome = index === undefined ? undefined : this.#ready.get(index);
    if (!outcome) return undefined;
    this.#ready.delete(outcome.index);
    this.#held.delete(outcome.index);
    return outcome;
  }
}
