import { Book, type Wishes } from '../../../src/sharing/ledger/book.ts';
import { type Slot, Slots } from '../../../src/sharing/slots/slots.ts';
import type { TimeRange } from '../../../src/sharing/slots/timeline.ts';
import { answering, BEGIN, calendar, exactly } from './small.ts';

export const slots: Slots = new Slots(calendar({ second: 10, minute: 100 }));
export const slotAt = (second: number): Slot => slots.at(exactly(BEGIN + second * 1_000));
/** The middle of a second. */
export const during = (second: number): TimeRange => exactly(BEGIN + second * 1_000 + 500);
export const named = (second: number): string => slotAt(second).name;

/** The local clock. */
export const NOW = 7;

export function wishing(seconds: readonly number[], rest: Partial<Wishes> = {}): Wishes {
  return {
    ...{ want: seconds.length > 0 ? 5 : 0, need: 1, slots: seconds.map(slotAt), wish: 1 },
    ...{ kept: () => 0, also: [], surplus: 0, isSilent: true },
    ...rest,
  };
}

export function compose(book: Book, at: number, wishes: Wishes): ReturnType<Book['compose']> {
  const arrival = during(at);
  return book.compose(wishes, arrival, arrival.least, 0);
}

/** A book that holds so many units of each second. */
export function holding(units: readonly number[]): Book {
  const book = new Book();
  compose(book, 0, wishing(units.map((_, second) => second)));
  book.grant(answering({ granted: units }), during(0));
  return book;
}

export function spend(book: Book, second: number, units = 1): ReturnType<Book['spend']> {
  return book.spend(units, during(second), () => slotAt(second), NOW);
}

/** What an ask tells of each slot, by its name. */
export const totals = ({ slots: told }: ReturnType<Book['compose']>): readonly (readonly [string, number])[] =>
  told.map(({ name, total }) => [name, total]);
