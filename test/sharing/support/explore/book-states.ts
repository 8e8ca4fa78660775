import { Book, type Told } from '../../../../src/sharing/ledger/book.ts';
import type { Slot } from '../../../../src/sharing/slots/slots.ts';
import type { TimeRange } from '../../../../src/sharing/slots/timeline.ts';
import type { Answer, Wish } from '../../../../src/sharing/store/store.ts';
import { exactly } from '../small.ts';
import { arrivalIn, type Calendar } from './calendar.ts';
import { Interned } from './interned.ts';
import type { Small } from './rules.ts';

/** What can be seen of a book: units that were granted and sent, by second, and whether the store may know otherwise. */
interface BookState {
  readonly moves: readonly BookMove[];
  readonly left: readonly number[];
  readonly claimed: ReadonlyMap<string, number>;
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
  readonly #calendar: Calendar;
  readonly #small: Small;
  readonly #states = new Interned<BookState>();
  /** The state of a new book. */
  readonly empty: number;

  constructor(calendar: Calendar, small: Small) {
    this.#calendar = calendar;
    this.#small = small;
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

  #replay(moves: readonly BookMove[]): { readonly book: Book; readonly told: Told; readonly known: string } {
    const book = new Book();
    let told: Told = { slots: [], windows: [], held: 0, oldestMs: 0 };
    let known = '';
    for (const move of moves) {
      const slot = this.#slotOf(move.second);
      const arrival = arrivalIn(slot);
      if (move.kind === 'send')
        book.settle(
          book.spend(1, arrival, () => slot, move.second),
          0,
        );
      else if (move.kind === 'hear') book.grant({ granted: move.granted } as Answer, arrival);
      else told = this.#compose(book, move, arrival);
      if (move.kind !== 'send') known = `${JSON.stringify(told.slots)} ${move.kind === 'hear' ? move.granted : ''}`;
    }
    return { book, told, known };
  }

  #compose(book: Book, { want, surplus, wish, second }: BookMove & { kind: 'ask' }, arrival: TimeRange): Told {
    this.#refine(book);
    const { slots: all, steps: also } = this.#calendar;
    const following = all.slice(second, Math.min(second + 2, this.#small.seconds));
    const slots = wish === 3 ? [this.#slotOf(second, second + 1)] : following;
    const held = Math.min(surplus, book.held(arrival));
    return book.compose(
      { want, need: 1, slots, wish, kept: () => 0, also, surplus: held, isSilent: true },
      arrival,
      arrival.least,
      0,
    );
  }

  /** The state of a book after moves, found out by looking at books that made the same. */
  #after(moves: readonly BookMove[]): number {
    const { book, known } = this.#replay(moves);
    const left = this.#calendar.slots.map((slot) => book.left(arrivalIn(slot)));
    const before = exactly(this.#slotOf(0).from);
    const isTold = book.compose(wishing(0), before, before.least, 0).slots.length === 0;
    const told = [false, true].map((isRefined) => {
      const { book: other } = this.#replay(moves);
      if (isRefined) this.#refine(other);
      const { slots, windows } = other.compose(wishing(1), before, before.least, 0);
      return slots.map(({ name, total, windows: at }) => [name, total, at.map((index) => windows[index]?.name)]);
    });
    const claimed = new Map(told[0]?.map(([name, total]) => [name as string, total as number]));
    // Where an entry is made of another one, what the store has booked is known of some of them alone.
    const held = this.#calendar.slots.map((slot) => book.held(arrivalIn(slot)));
    const key = `${left} ${held} ${JSON.stringify(told)} ${isTold} ${this.#small.expects ? known : ''}`;
    return this.#states.of(key, () => ({ moves, left, claimed, next: new Map() }));
  }

  /** Moves what was sent in a slot of two seconds to that of one, as a ledger does before each ask. */
  #refine(book: Book): void {
    const isBlind = this.#small.bug === 'a slot of two seconds shrinks to the first';
    book.refine(({ first, last }) => this.#slotOf(first, isBlind ? first : last));
  }

  /** The slot of a second, or of that and the next one. */
  #slotOf(first: number, last: number = first): Slot {
    return (last > first ? this.#calendar.wide : this.#calendar.slots)[first] as Slot;
  }
}

function wishing(want: number): Parameters<Book['compose']>[0] {
  return { want, need: 1, slots: [], wish: 1, kept: () => 0, also: [], surplus: 0, isSilent: true };
}
