import { ClosedError } from '../errors.ts';
import { untilAborted } from '../http/transport.ts';

/** The calls of a pool that are not finished. */
export class OpenCalls {
  #count = 0;
  #awaiting = 0;
  /** Calls that waited for a first answer when the clients were closed. */
  #turnedAway = 0;
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

  /** Calls that wait for a first answer, by which a client can be chosen, and are known to no client yet. */
  get awaiting(): number {
    return this.#awaiting;
  }

  /** Waits for a first answer. */
  async untilAnswered(first: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
    this.#awaiting++;
    try {
      await (signal ? untilAborted(() => first, signal) : first);
    } finally {
      this.#awaiting--;
    }
  }

  /** Accepts no more calls. */
  close(): void {
    this.#isClosed = true;
  }

  /** The clients were closed while so many calls waited for a first answer. Returns how many calls that has rejected in all. */
  turnAway(awaiting: number): number {
    this.#turnedAway = Math.max(this.#turnedAway, awaiting);
    return this.#turnedAway;
  }

  /** Resolves when no call is left. */
  none(): Promise<void> {
    return this.#count === 0 ? Promise.resolve() : new Promise((resolve) => this.#onNone.push(resolve));
  }
}
