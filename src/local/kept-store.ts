import { type MemoryStore, memoryStore } from '../sharing/store/memory-store.ts';
import { type Operation, perform } from '../sharing/store/operations.ts';
import { readState, writeState } from '../sharing/store/stored-state.ts';
import { BooksFile } from './books-file.ts';
import type { HostRequest } from './messages.ts';
import type { StoreClock } from './store-clock.ts';

/**
 * The store of an API key in memory, and the file from which the next host makes the same store: it performs the operations again,
 * each at the time at which it was performed first.
 */
export class KeptStore {
  readonly #clock: StoreClock;
  readonly #file: BooksFile;
  readonly #store: MemoryStore;
  /** The time of the present operation. */
  #at = 0;

  /** @param path - see {@link BooksFile}. */
  constructor(path: string, clock: StoreClock) {
    this.#clock = clock;
    this.#file = new BooksFile(path);
    const [text, ...entries] = this.#file.stored;
    this.#store = memoryStore(() => this.#at, readState(text));
    for (const entry of entries) {
      const { at, line } = JSON.parse(entry) as { at: number; line: HostRequest };
      void this.#perform(line.operation, at).catch(() => {});
    }
  }

  /**
   * Performs an operation. It is in the file before the result is known, so that the next host knows all that was ever granted.
   *
   * @param line - the message that asks for it.
   */
  perform(operation: Operation, line: string): Promise<unknown> {
    const at = this.#clock();
    const result = this.#perform(operation, at);
    this.#file.add(`{"at":${at},"line":${line}}`, () => writeState(this.#store.state));
    return result;
  }

  /** Takes effect at once. */
  #perform(operation: Operation, at: number): Promise<unknown> {
    this.#at = at;
    return perform(this.#store, operation);
  }
}
