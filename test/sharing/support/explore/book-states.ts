import { Book, type Told } from '../../../../src/sharing/book.ts';
import type { Slot } from '../../../../src/sharing/slots.ts';
import type { Answer, Wish } from '../../../../src/sharing/store.ts';
import type { TimeRange } from '../../../../src/sharing/timeline.ts';
import { exactly } from '../small.ts';
import { arrivalIn } from './calendar.ts';
import { Interned } from './interned.ts';

/** What can be seen of a book: units that were granted and sent, by second, and whether the store may know otherwise. */
interface BookState {
  readonly moves: readonly BookMove[];
  readonly left: readonly number[];
  readonly claimed: readonly number[];
  readonly next: Map<string, { readonly book: number; readonly told: Told }>;
}

type BookMove =
  | {
      readonly kind: 'ask';
      readonly second: number;
      readonly want: number;
      readonly surplus: number;
      readonly wish: Wish;
    }
  | { readonly kind: 'hear'; readonly second: number; readonly granted: readonly number[] }
  | { readonly kind: 'send'; readonly second: number };

/** The states of real books. A book cannot be copied, so a state is the moves that led to it. */
export class BookStates {
  readonly #slots: readonly Slot[];
  readonly #seconds: number;
  readonly #states = new Interned<BookState>();
  /** The state of a new book. */
  readonly empty: number;

  constructor(slots: readonly Slot[], seconds: number) {
    this.#slots = slots;
    this.#seconds = seconds;
    this.empty = this.#after([]);
  }

  at(id: number): BookState {
    return this.#states.at(id);
  }

  /** What follows from a move, and what an ask tells the store. */
  write(book: number, move: BookMove): { readonly book: number; readonly told: Told } {
    const { moves, next } = this.#states.at(book);
    const key = `${move.kind} ${move.second} ${move.kind === 'ask' ? `${move.want} ${move.surplus} ${move.wish}` : ''}${move.kind === 'hear' ? move.granted.join() : ''}`;
    let known = next.get(key);
    if (!known) {
      const all = [...moves, move];
      known = { book: this.#after(all), told: this.#replay(all).told };
      next.set(key, known);
    }
    return known;
  }

  #replay(moves: readonly BookMove[]): { readonly book: Book; readonly told: Told } {
    const book = new Book();
    let told: Told = { slots: [], windows: [], held: 0 };
    for (const move of moves) {
      const slot = this.#slots[move.second] as Slot;
      const arrival = arrivalIn(slot);
      if (move.kind === 'send')
        book.settle(
          book.spend(1, arrival, () => slot, 0),
          0,
        );
      else if (move.kind === 'hear') book.grant({ granted: move.granted } as Answer, arrival);
      else told = this.#compose(book, move, arrival);
    }
    return { book, told };
  }

  #compose(book: Book, { want, surplus, wish, second }: BookMove & { kind: 'ask' }, arrival: TimeRange): Told {
    const slots = this.#slots.slice(second, Math.min(second + 2, this.#seconds));
    const held = Math.min(surplus, book.held(arrival));
    return book.compose(
      { want, need: 1, slots, wish, kept: () => 0, also: [], surplus: held, isSilent: true },
      arrival,
      arrival.least,
      0,
    );
  }

  /** The state of a book after moves, found out by looking at books that made the same. */
  #after(moves: readonly BookMove[]): number {
    const { book } = this.#replay(moves);
    const left = this.#slots.map((slot) => book.left(arrivalIn(slot)));
    const before = exactly(this.#slots[0]?.from ?? 0);
    const isTold = book.compose(wishing(0), before, before.least, 0).slots.length === 0;
    const { slots } = this.#replay(moves).book.compose(wishing(1), before, before.least, 0);
    const claimed = this.#slots.map(({ name }) => slots.find((slot) => slot.name === name)?.total ?? -1);
    return this.#states.of(`${left} ${claimed} ${isTold}`, () => ({ moves, left, claimed, next: new Map() }));
  }
}

function wishing(want: number): Parameters<Book['compose']>[0] {
  return { want, need: 1, slots: [], wish: 1, kept: () => 0, also: [], surplus: 0, isSilent: true };
}
