import { describe, expect, it } from 'vitest';
import { Book } from '../../../src/sharing/ledger/book.ts';
import type { Slot } from '../../../src/sharing/slots/slots.ts';
import { compose, during, holding, NOW, named, slotAt, slots, spend, totals, wishing } from '../support/books.ts';
import { answering, BEGIN, exactly } from '../support/small.ts';

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

  it('says when the last slot ends of which a request may still take units', () => {
    const book = holding([3, 4]);
    const until = (at: { least: number; most: number }): number | undefined => book.usableUntil(at);
    expect([until(during(0)), until(during(1)), until(during(2))]).toEqual([BEGIN + 1_000, BEGIN + 2_000, undefined]);
    spend(book, 0, 3);
    expect(until(during(0))).toBeUndefined();
    // Of two slots that overlap, the last counts.
    const other = new Book();
    const [long, short] = [{ ...slotAt(0), name: 'long', to: BEGIN + 1_500 }, slotAt(0)];
    compose(other, 0, { ...wishing([0]), slots: [long, short] });
    other.grant(answering({ granted: [1, 1] }), during(0));
    expect(other.usableUntil(during(0))).toBe(BEGIN + 1_500);
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
    expect(book.unspentSince(during(0))).toBe(Infinity);
  });

  it('says at once that units are to be given back where the clock was set back', () => {
    const book = holding([3]);
    expect(book.unspentSince(exactly(BEGIN - 3_600_000))).toBe(BEGIN - 3_600_000);
  });

  it('gives up what no call waits for, of the latest slot first', () => {
    const book = holding([3, 4]);
    expect(totals(compose(book, 0, wishing([], { surplus: 5 })))).toEqual([
      [named(0), 2],
      [named(1), 0],
    ]);
    expect(book.held(during(0))).toBe(2);
    // What is over is given up beside that.
    const wide = slots.after({ least: BEGIN - 1_000, most: BEGIN - 100 }, 1)[0] as Slot;
    const other = new Book();
    compose(other, 0, wishing([], { want: 5, slots: [slotAt(0), wide] }));
    other.grant(answering({ granted: [2, 3] }), during(0));
    expect(totals(compose(other, 1, wishing([], { surplus: 1 })))).toEqual([
      [named(0), 0],
      [wide.name, 2],
    ]);
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

describe('what a book holds', () => {
  it('begins next where something is left to spend, and not where it has begun', () => {
    const book = holding([3, 4]);
    expect(book.nextHeld(exactly(BEGIN + 1_000))).toBe(Infinity);
    spend(book, 1, 4);
    expect(book.nextHeld(during(0))).toBe(Infinity);
  });

  it('is spent to the last unit, and where it is too little none of it', () => {
    const book = holding([3]);
    const elsewhere = (units: number) => book.spend(units, during(0), () => slotAt(5), NOW).slot.name;
    expect([elsewhere(4), elsewhere(3), elsewhere(1)]).toEqual([named(5), named(0), named(5)]);
  });

  it('is found though a slot that ends sooner is spent, whichever of them was asked for first', () => {
    const wide = slots.after({ least: BEGIN - 1_000, most: BEGIN - 100 }, 1)[0] as Slot;
    for (const asked of [
      [slotAt(0), wide],
      [wide, slotAt(0)],
    ]) {
      const book = new Book();
      const { slots: told } = compose(book, 0, wishing([], { want: 4, slots: asked }));
      // The one that ends first is told first, too.
      expect(told.map(({ name }) => name)).toEqual([named(0), wide.name]);
      book.grant(answering({ granted: [1, 2] }), during(0));
      expect(spend(book, 0).slot.name).toBe(named(0));
      expect(book.left(during(0))).toBe(2);
      expect(spend(book, 0).slot.name).toBe(wide.name);
    }
  });

  it('is enough for a request only where one slot has as much, and that is spent though another ends sooner', () => {
    const wide = slots.after({ least: BEGIN - 1_000, most: BEGIN - 100 }, 1)[0] as Slot;
    const book = new Book();
    compose(book, 0, wishing([], { want: 4, slots: [slotAt(0), wide] }));
    book.grant(answering({ granted: [2, 3] }), during(0));
    expect(book.held(during(0))).toBe(5);
    expect(book.left(during(0))).toBe(3);
    expect([3, 4].map((units) => book.holds(units, during(0)))).toEqual([true, false]);
    expect(spend(book, 0, 3).slot.name).toBe(wide.name);
    expect(book.left(during(0))).toBe(2);
    expect(book.holds(3, during(0))).toBe(false);
  });

  it('is held for later requests, too, until its slot is over', () => {
    const book = holding([0, 4]);
    expect([during(0), during(1), exactly(BEGIN + 2_500)].map((at) => book.holds(4, at))).toEqual([true, true, false]);
  });

  it('is nothing of a slot that begins too soon for the grant, and is given back by the next ask', () => {
    const book = new Book();
    compose(book, 0, wishing([0, 1]));
    book.grant(answering({ granted: [3, 4] }), during(0), ({ from }, units) => (from < BEGIN + 1_000 ? 0 : units));
    expect([book.left(during(0)), book.left(during(1))]).toEqual([0, 4]);
    expect(totals(compose(book, 0, wishing([])))).toEqual([
      [named(0), 0],
      [named(1), 4],
    ]);
  });
});
