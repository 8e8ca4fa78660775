import { describe, expect, it } from 'vitest';
import { Book, type Wishes } from '../../src/sharing/book.ts';
import { type Slot, Slots } from '../../src/sharing/slots.ts';
import type { Wish } from '../../src/sharing/store.ts';
import { answering, BEGIN, calendar, exactly } from './support/small.ts';

const slots = new Slots(calendar({ second: 10, minute: 100 }));
const slotAt = (second: number): Slot => slots.at(exactly(BEGIN + second * 1_000));
const during = (second: number) => exactly(BEGIN + second * 1_000 + 500);

/** The local clock. */
const NOW = 7;

function wishing(seconds: readonly number[], rest: Partial<Wishes> = {}): Wishes {
  return {
    ...{ want: seconds.length > 0 ? 5 : 0, need: 1, slots: seconds.map(slotAt), wish: 1 },
    ...{ kept: () => 0, also: [], surplus: 0, isSilent: true },
    ...rest,
  };
}

function compose(book: Book, at: number, wishes: Wishes): ReturnType<Book['compose']> {
  const arrival = during(at);
  return book.compose(wishes, arrival, arrival.least, 0);
}

/** A book that holds so many units of each second. */
function holding(units: readonly number[]): Book {
  const book = new Book();
  compose(book, 0, wishing(units.map((_, second) => second)));
  book.grant(answering({ granted: units }), during(0));
  return book;
}

function spend(book: Book, second: number, units = 1): ReturnType<Book['spend']> {
  return book.spend(units, during(second), () => slotAt(second), NOW);
}

const totals = ({ slots: told }: ReturnType<Book['compose']>) => told.map(({ name, total }) => [name, total]);
const named = (second: number): string => slotAt(second).name;

describe('a book of what a process may spend', () => {
  it('lends units only to requests that surely arrive in their slot', () => {
    const book = holding([3, 4]);
    expect(book.left(during(0))).toBe(3);
    expect(book.left(during(1))).toBe(4);
    // It may be counted in the one second or in the other, so it may take from neither.
    expect(book.left({ least: BEGIN + 990, most: BEGIN + 1_010 })).toBe(0);
    expect(book.held(during(0))).toBe(7);
    expect(book.held(during(1))).toBe(4);
    expect(book.nextHeld(during(0))).toBe(BEGIN + 1_000);
  });

  it('tells totals and no differences, so that a lost answer changes nothing of the next ask', () => {
    const book = holding([3]);
    spend(book, 0);
    const first = compose(book, 0, wishing([0]));
    const again = compose(book, 0, wishing([0]));
    expect(totals(first)).toEqual([[named(0), 3]]);
    expect(again).toEqual(first);
  });

  it('tells every slot again until an answer counts, and then not a word more', () => {
    const book = holding([3, 4]);
    compose(book, 0, wishing([2]));
    const again = compose(book, 0, wishing([]));
    // The store may have booked something of the third second.
    expect(totals(again)).toEqual([
      [named(0), 3],
      [named(1), 4],
      [named(2), 0],
    ]);
    book.grant(answering({ granted: [0, 0, 0] }), during(0));
    expect(compose(book, 0, wishing([])).slots).toEqual([]);
  });

  it('gives up what is over before the message leaves, so that nothing that was given back is spent', () => {
    const book = holding([3, 4]);
    spend(book, 0);
    expect(book.unspentSince(during(1))).toBe(BEGIN + 1_000);
    expect(totals(compose(book, 1, wishing([])))).toEqual([
      [named(0), 1],
      [named(1), 4],
    ]);
    expect(book.left(during(0))).toBe(0);
    expect(book.unspentSince(during(1))).toBe(BEGIN + 2_000);
  });

  it('says when units are to be given back before their slot is over, because an idle process has nothing else to wake it', () => {
    const book = holding([1, 4]);
    spend(book, 0);
    expect(book.unspentSince(during(0))).toBe(BEGIN + 2_000);
    spend(book, 1, 4);
    expect(book.unspentSince(during(0))).toBe(Number.POSITIVE_INFINITY);
  });

  it('says at once that units are to be given back where the clock was set back', () => {
    const book = holding([3]);
    expect(book.unspentSince(exactly(BEGIN - 3_600_000))).toBe(BEGIN - 3_600_000);
  });

  it('asks for a slot anew in the windows of today, unless it has claims there: a shape may have become known', () => {
    const fewer = new Slots(calendar({ second: 10 }));
    const book = holding([0, 3]);
    const wishes = wishing([0, 1], { slots: [0, 1].map((second) => fewer.at(exactly(BEGIN + second * 1_000))) });
    const { slots: told } = compose(book, 0, wishes);
    expect(told.map(({ windows }) => windows.length)).toEqual([1, 2]);
  });

  it('gives up what no call waits for, of the latest slot first', () => {
    const book = holding([3, 4]);
    expect(totals(compose(book, 0, wishing([], { surplus: 5 })))).toEqual([
      [named(0), 2],
      [named(1), 0],
    ]);
    expect(book.held(during(0))).toBe(2);
  });

  it('forgets a slot when it is over and settled, because the account of it is gone after a minute', () => {
    const book = holding([1, 4]);
    book.settle(spend(book, 0), 0);
    compose(book, 0, wishing([1]));
    book.grant(answering({ granted: [0, 0] }), during(1));
    expect(totals(compose(book, 1, wishing([1])))).toEqual([[named(1), 4]]);
  });

  it('keeps a slot while a request is under way that took from it, because what it costs is not known yet', () => {
    const book = holding([2]);
    const entry = spend(book, 0);
    spend(book, 0);
    compose(book, 1, wishing([1]));
    book.grant(answering({ granted: [0, 0] }), during(1));
    // It cost three units and not one.
    book.settle(entry, 2);
    expect(book.owed).toBe(2);
    expect(totals(compose(book, 1, wishing([])))).toEqual([
      [named(0), 4],
      [named(1), 0],
    ]);
  });

  it('spends on the slot of its arrival without leave where too little is held, and owes that', () => {
    const book = holding([1]);
    spend(book, 0, 5);
    expect(book.owed).toBe(4);
    expect(totals(compose(book, 0, wishing([])))).toEqual([[named(0), 5]]);
  });

  it('adds up what was spent without leave, so that an outage of an hour leaves few debts', () => {
    const book = new Book();
    for (let second = 0; second < 50; second++) book.settle(spend(book, second), 0);
    const { slots: told } = compose(book, 58, wishing([]));
    expect(told).toHaveLength(1);
    expect(told[0]).toMatchObject({ total: 50 });
    // The seconds are over, and the minute is not.
    expect(told[0]?.windows).toHaveLength(1);
  });

  it('moves what was sent to a narrower slot, under a name of its own, and holds what is left where it was', () => {
    const wide = slots.at({ least: BEGIN, most: BEGIN + 1_100 });
    const book = new Book();
    compose(book, 0, wishing([], { want: 5, slots: [wide] }));
    book.grant(answering({ granted: [5] }), during(0));
    const entry = spend(book, 0, 2);
    const asked: number[][] = [];
    const refine = (): void =>
      book.refine((first, last) => {
        asked.push([first, last]);
        return slotAt(0);
      });
    // Its cost is not known yet.
    refine();
    expect(asked).toEqual([]);
    book.settle(entry, 0);
    refine();
    expect(asked).toEqual([[NOW, NOW]]);
    const { slots: told, windows } = compose(book, 0, wishing([]));
    const instances = told.map(({ windows: indices }) => indices.map((index) => windows[index]?.name));
    expect(told.map(({ total }) => total).sort()).toEqual([2, 3]);
    expect(told.map(({ name }) => name)).not.toContain(named(0));
    expect(instances.map(({ length }) => length).sort()).toEqual([2, 3]);
    expect(book.held(during(0))).toBe(3);
    // It is as narrow as it can be.
    refine();
    expect(compose(book, 0, wishing([])).slots.map(({ name }) => name)).toEqual(told.map(({ name }) => name));
  });

  it('drops debts of windows that are over', () => {
    const book = new Book();
    book.settle(spend(book, 0), 0);
    expect(compose(book, 70, wishing([])).slots).toEqual([]);
  });

  it('tells only what was spent beyond grants when its account may be forgotten, lest the rest be booked twice', () => {
    const book = holding([2]);
    spend(book, 0, 2);
    spend(book, 0, 3);
    book.forgetAccount();
    const { slots: told } = compose(book, 0, wishing([]));
    expect(told).toHaveLength(1);
    expect(told[0]).toMatchObject({ total: 3, wish: 0 });
    expect(told[0]?.name).not.toBe(named(0));
  });

  it('wishes for any room only in the first slot', () => {
    const told = (wish: Wish) => compose(new Book(), 0, wishing([0, 1], { wish })).slots.map((slot) => slot.wish);
    expect(told(1)).toEqual([1, 1]);
    expect(told(2)).toEqual([2, 1]);
  });

  it('names each window once, however many slots lie in it', () => {
    const { slots: told, windows } = compose(new Book(), 0, wishing([0, 1]));
    expect(windows.map(({ limit }) => limit).sort()).toEqual([10, 10, 100]);
    const minute = windows.findIndex(({ limit }) => limit === 100);
    for (const { windows: indices } of told) expect(indices).toContain(minute);
  });

  it('spends first what is over first', () => {
    const wide = slots.after({ least: BEGIN - 1_000, most: BEGIN - 100 }, 1)[0] as Slot;
    const book = new Book();
    compose(book, 0, wishing([], { want: 4, slots: [slotAt(0), wide] }));
    book.grant(answering({ granted: [1, 1] }), during(0));
    const entry = spend(book, 0);
    expect(entry.slot.to).toBe(BEGIN + 1_000);
  });
});
