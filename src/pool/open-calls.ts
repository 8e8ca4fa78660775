import { ClosedError } from '../errors.ts';

/** The calls of a pool that are not finished. */
export class OpenCalls {
  #count = 0;
  #isClosed = false;
  #onNone: (() => void)[] = [];

  /** Counts a call. */
  async run<T>(call: () => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new ClosedError();
    this.#count++;
    try {
      return await call();
    } finally {
      this.#count--;
      if (this.#count === 0) for (const tell of this.#onNone.splice(0)) tell();
    }
  }

  /** Accepts no more calls. */
  close(): void {
    this.#isClosed = true;
  }

  /** Resolves when no call is left. */
  none(): Promise<void> {
    return this.#count === 0 ? Promise.resolve() : new Promise((resolve) => this.#onNone.push(resolve));
  }
}
