import { describe, expect, it } from 'vitest';
import { Book } from '../../../src/sharing/ledger/book.ts';
import { compose, during, holding, named, slotAt, slots, spend, totals, wishing } from '../support/books.ts';
import { answering, BEGIN } from '../support/small.ts';

describe('a book of what a process may spend', () => {
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
    expect(told[0]).toMatchObject({ total: 50, to: BEGIN + 50_000 });
    // The seconds are over, and the minute is not.
    expect(told[0]?.windows).toHaveLength(1);
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
});

describe('debts of a book', () => {
  it('are of their slots for some seconds', () => {
    const book = new Book();
    for (let second = 0; second < 50; second++) book.settle(spend(book, second), 0);
    const { slots: told } = compose(book, 52, wishing([]));
    // Those of the first 47 seconds are one.
    expect(told.map(({ total, windows }) => [total, windows.length])).toEqual([
      [47, 1],
      [1, 1],
      [1, 1],
      [1, 1],
    ]);
  });

  it('are of their slot while a request is under way, where some of it was granted, and while the store may have booked it', () => {
    const open = new Book();
    spend(open, 0);
    expect(totals(compose(open, 58, wishing([])))).toEqual([[named(0), 1]]);
    const granted = holding([1]);
    granted.settle(spend(granted, 0), 2);
    expect(totals(compose(granted, 58, wishing([])))).toEqual([[named(0), 3]]);
    const told = new Book();
    told.settle(spend(told, 0), 0);
    compose(told, 0, wishing([]));
    expect(totals(compose(told, 58, wishing([])))).toEqual([[named(0), 1]]);
  });

  it('are none of what was granted, though it is moved to a narrower slot while the store is away', () => {
    const wide = slots.at({ least: BEGIN, most: BEGIN + 1_100 });
    const book = new Book();
    compose(book, 0, wishing([], { want: 2, slots: [wide] }));
    book.grant(answering({ granted: [2] }), during(0));
    book.settle(spend(book, 0, 2), 0);
    book.refine(() => slotAt(0));
    compose(book, 58, wishing([]));
    expect(book.owed).toBe(0);
  });

  it('have names of their own where the account may be forgotten, and nothing else is left of it', () => {
    const book = holding([2, 2, 5]);
    for (const [second, units] of [
      [0, 3],
      [1, 4],
      [2, 1],
    ] as const)
      spend(book, second, units);
    compose(book, 0, wishing([]));
    book.forgetAccount();
    // An answer that comes late is to an ask of before.
    book.grant(answering({ granted: [0, 0, 7] }), during(0));
    expect([book.left(during(2)), book.owed]).toEqual([0, 3]);
    const { slots: told } = compose(book, 0, wishing([]));
    expect(new Set(told.map(({ name }) => name)).size).toBe(2);
    expect(told.map(({ total }) => total)).toEqual([1, 2]);
  });
});
