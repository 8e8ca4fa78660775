import type { Clock } from '../clock.ts';
import { Failure, KEY_CHANGED } from '../http/failure.ts';
import type { KeyRing } from '../http/key-ring.ts';
import type { Lease } from '../quota/admission.ts';
import type { Books } from '../quota/books.ts';
import { Backoff } from '../quota/recovery/backoff.ts';

/** While calls wait, the key is asked for after this time, in milliseconds; it doubles until another key is given or a request is sent. */
const FIRST_GAP_MS = 1_000;
const LONGEST_GAP_MS = 60_000;

/** No call is held for longer by a source that does not answer, in milliseconds. */
const PATIENCE_MS = 1_000;

/** Options of {@link KeyTurns}. */
export interface KeyTurnsOptions {
  readonly ring: KeyRing;
  readonly books: Books;
  readonly clock: Clock;
  /** Called when another key was given, and its books are the present ones. */
  readonly onTurn: () => void;
}

/** Asks for the key, and turns to the books of the one that is given: before each request, before a call is refused, and while calls wait. */
export class KeyTurns {
  readonly #options: KeyTurnsOptions;
  readonly #gap = new Backoff(FIRST_GAP_MS, LONGEST_GAP_MS);
  /** How often the source was asked, and which of these times gave the present key: an older promise may resolve later. */
  #asked = 0;
  #answered = 0;
  /** Whether the source may give another key: it is a function, which gives a promise. */
  #mayChange = false;
  /** When to ask next while calls wait, in monotonic milliseconds. */
  #dueAt = -Infinity;

  constructor(options: KeyTurnsOptions) {
    this.#options = options;
  }

  /** Whether the source may give another key. */
  get mayChange(): boolean {
    return this.#mayChange;
  }

  /** When to ask next while calls wait, in monotonic milliseconds; Infinity: the key is always the same. */
  get dueAt(): number {
    return this.#mayChange ? this.#dueAt : Infinity;
  }

  /** The number of the key to send a request with: see {@link HttpExchangeOptions.keyFor}. */
  readonly keyFor = (lease: Lease, isAsked: boolean): number | Promise<number> => {
    const key = this.#options.books.keyOf(lease);
    if (isAsked && key !== undefined) return key;
    this.#gap.reset();
    const given = this.ask();
    return given instanceof Promise
      ? given.then((number) => this.#checked(number, lease))
      : this.#checked(given, lease);
  };

  /** Asks for the key. @returns its number. */
  ask(): number | Promise<number> {
    const turn = ++this.#asked;
    const given = this.#options.ring.ask();
    if (!(given instanceof Promise)) return this.#turnTo(given, turn);
    this.#mayChange = true;
    this.#dueAt = this.#options.clock.now() + this.#gap.next();
    return given.then((number) => this.#turnTo(number, turn));
  }

  /** Asks while calls wait. */
  askWhileWaiting(): void {
    // An error of the source is reported by the next request, to its caller.
    this.#attempt().catch(() => {});
  }

  /** Whether the key has changed since `before` was the number of the present one: asks the source, if it may give another. */
  async hasTurned(before: number | undefined): Promise<boolean> {
    const { books, clock } = this.#options;
    if (this.#mayChange) {
      const { promise, resolve } = Promise.withResolvers<unknown>();
      const cancel = clock.timer(PATIENCE_MS, () => resolve(undefined));
      this.#attempt().then(resolve, resolve);
      await promise;
      cancel();
    }
    return books.key !== before;
  }

  async #attempt(): Promise<number> {
    return this.ask();
  }

  #turnTo(number: number, turn: number): number {
    if (turn < this.#answered) return number;
    this.#answered = turn;
    if (!this.#options.books.turnTo(number)) return number;
    this.#gap.reset();
    this.#options.onTurn();
    return number;
  }

  #checked(number: number, lease: Lease): number {
    if (this.#options.books.keyOf(lease) === number) return number;
    throw new Failure(KEY_CHANGED);
  }
}
