import { describe, expect, it } from 'vitest';
import { aligned } from '../../../src/quota/models/aligned.ts';
import { slidingLog } from '../../../src/quota/models/sliding-log.ts';
import { Book } from '../../../src/sharing/ledger/book.ts';
import { type Slot, Slots } from '../../../src/sharing/slots/slots.ts';
import { SharedWindows } from '../../../src/sharing/slots/windows.ts';
import { compose, during, NOW, named, slotAt, slots, spend, wishing } from '../support/books.ts';
import { answering, BEGIN, exactly } from '../support/small.ts';

describe('a book of what a process may spend', () => {
  it('moves what was sent to a narrower slot, under a name of its own, and holds what is left where it was', () => {
    const wide = slots.at({ least: BEGIN, most: BEGIN + 1_100 });
    const book = new Book();
    compose(book, 0, wishing([], { want: 5, slots: [wide] }));
    book.grant(answering({ granted: [5] }), during(0));
    const entry = spend(book, 0, 2);
    const asked: number[][] = [];
    const refine = (): void =>
      book.refine(({ first, last }) => {
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
    // It is as narrow as it can be, and is remembered by when it was sent.
    refine();
    expect(asked).toEqual([
      [NOW, NOW],
      [NOW, NOW],
    ]);
    expect(compose(book, 0, wishing([])).slots.map(({ name }) => name)).toEqual(told.map(({ name }) => name));
  });
});

describe('a book that learns where requests arrived', () => {
  const wide = slots.at({ least: BEGIN, most: BEGIN + 1_100 });

  const sentTo = (slot: Slot, narrow: Slot): { readonly book: Book; readonly asked: number[][] } => {
    const book = new Book();
    for (const now of [NOW, NOW + 2])
      book.settle(
        book.spend(1, during(0), () => slot, now),
        0,
      );
    const asked: number[][] = [];
    book.refine(({ first, last }) => {
      asked.push([first, last]);
      return narrow;
    });
    return { book, asked };
  };

  const namesOf = (book: Book): string[] => compose(book, 0, wishing([])).slots.map(({ name }) => name);

  it('asks for the first and the last instant at which they were sent', () => {
    expect(sentTo(wide, slotAt(0)).asked).toEqual([[NOW, NOW + 2]]);
  });

  it('leaves them where they are counted in windows that the slot did not have', () => {
    expect(namesOf(sentTo(wide, slotAt(5)).book)).toEqual([wide.name]);
  });

  it.each([
    ['moves them where they slide out by three tenths of a second sooner', slidingLog, 700, 'own:0'],
    ['leaves them where they slide out hardly sooner', slidingLog, 701, named(0)],
    ['leaves them where no window slides, however soon they were answered', aligned, 100, named(0)],
  ] as const)('%s', (_, shape, endsMs, name) => {
    const minute = new SharedWindows({ isDated: true });
    minute.open('minute', 20, { alive: [shape], epoch: 0 });
    const slot = new Slots(minute).at(exactly(BEGIN));
    expect(namesOf(sentTo(slot, { ...slot, to: BEGIN + endsMs }).book)).toContain(name);
  });

  it('tells when the last of them was answered, if each was', () => {
    const book = new Book();
    const [one, other] = [NOW, NOW + 2].map((now) => book.spend(1, during(0), () => slotAt(0), now));
    const told = (): number[] => {
      const asked: number[] = [];
      book.refine(({ answered }) => {
        asked.push(answered);
        return slotAt(0);
      });
      return asked;
    };
    if (one && other)
      for (const [entry, at] of [
        [other, NOW + 90],
        [one, NOW + 60],
      ] as const)
        book.settle(entry, 0, at);
    expect(told()).toEqual([NOW + 90]);
    book.settle(
      book.spend(1, during(0), () => slotAt(0), NOW + 3),
      0,
    );
    expect(told()).toEqual([Infinity]);
  });

  it('moves them there once the time is known, where it was a guess when they were sent', () => {
    const book = new Book();
    book.settle(
      book.spend(2, during(0), () => slotAt(0), NOW, true),
      0,
    );
    book.refine(() => slotAt(5), true);
    expect(namesOf(book)).toEqual([named(0)]);
    book.refine(() => slotAt(5), false);
    const { slots, windows } = compose(book, 0, wishing([]));
    expect(slots.map(({ name, total }) => [name, total])).toEqual([
      [named(0), 0],
      ['own:0', 2],
    ]);
    expect(slots[1]?.windows.map((index) => windows[index]?.name)).toEqual(slotAt(5).instances.map(({ name }) => name));
  });

  it('moves them to any step of a window that drains', () => {
    const narrow = slotAt(5);
    const instances = narrow.instances.map((instance) => ({ ...instance, name: `${instance.name}-step`, drain: 0 }));
    expect(namesOf(sentTo(wide, { ...narrow, instances }).book)).toContain('own:0');
  });
});
