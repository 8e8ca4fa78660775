import { describe, expect, it } from 'vitest';
import { aligned } from '../../../src/quota/models/aligned.ts';
import { slidingLog } from '../../../src/quota/models/sliding-log.ts';
import { Book, type Entry } from '../../../src/sharing/ledger/book.ts';
import { type Slot, Slots } from '../../../src/sharing/slots/slots.ts';
import { SharedWindows } from '../../../src/sharing/slots/windows.ts';
import { compose, during, holding, NOW, named, slotAt, slots, spend, wishing } from '../support/books.ts';
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
    minute.open('second', 20, { alive: [aligned], epoch: 0 });
    minute.open('minute', 20, { alive: [shape], epoch: 0 });
    const slot = new Slots(minute).at(exactly(BEGIN));
    expect(namesOf(sentTo(slot, { ...slot, to: BEGIN + endsMs }).book)).toEqual([name]);
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
    book.settle(spend(book, 0), 0);
    book.refine(() => slotAt(5), true);
    expect(namesOf(book)).toEqual([named(0)]);
    book.refine(() => slotAt(5), false);
    const { slots, windows } = compose(book, 0, wishing([]));
    expect(slots.map(({ name, total }) => [name, total])).toEqual([
      [named(0), 0],
      ['own:0', 3],
    ]);
    expect(slots[1]?.windows.map((index) => windows[index]?.name)).toEqual(slotAt(5).instances.map(({ name }) => name));
  });

  it('moves them to any step of a window that drains', () => {
    const narrow = slotAt(5);
    const instances = narrow.instances.map((instance) => ({ ...instance, name: `${instance.name}-step`, drain: 0 }));
    expect(namesOf(sentTo(wide, { ...narrow, instances }).book)).toContain('own:0');
  });
});

describe('a book of requests that are held up past the end of their slot', () => {
  const heldUp = (book: Book, second: number, since = NOW): number =>
    book.heldUp(during(second), since, () => slotAt(second));
  const chargeLate = (book: Book, entry: Entry, second: number): void =>
    book.chargeLate(entry, 3, during(second), () => slotAt(second));

  it('counts those that are under way and were sent not too long ago, once their slot is over', () => {
    const book = new Book();
    spend(book, 0, 5);
    spend(book, 0, 5);
    expect([0, 1].map((second) => heldUp(book, second))).toEqual([0, 2]);
    expect(heldUp(book, 1, NOW + 1)).toBe(0);
    book.settle(spend(book, 1), 0);
    spend(book, 1);
    expect(heldUp(book, 2)).toBe(3);
  });

  it('charges each of them to the present slot, too, in the windows that began since, as soon as one is served', () => {
    const book = new Book();
    const entry = spend(book, 0);
    spend(book, 0);
    chargeLate(book, entry, 0);
    expect(book.owed).toBe(2);
    chargeLate(book, entry, 1);
    const { slots: told, windows } = compose(book, 1, wishing([]));
    expect(told.map(({ name, total }) => [name, total])).toEqual([
      [named(0), 2],
      ['own:0', 6],
    ]);
    expect(told[1]?.windows.map((index) => windows[index]?.name)).toEqual([slotAt(1).instances[0]?.name]);
    // Only once.
    chargeLate(book, entry, 2);
    expect([book.owed, heldUp(book, 2)]).toEqual([8, 0]);
  });

  it('takes what is held of the present slot for them', () => {
    const book = holding([1, 4]);
    chargeLate(book, spend(book, 0), 1);
    expect([book.left(during(1)), book.owed]).toEqual([1, 0]);
  });

  it('charges them to a second that slides once their slot has been over for a second', () => {
    const windows = new SharedWindows({ isDated: true });
    for (const period of ['second', 'minute'] as const) windows.open(period, 20, { alive: [slidingLog], epoch: 0 });
    const tenths = new Slots(windows);
    const slot = (time: number) => (): Slot => tenths.at(exactly(BEGIN + time));
    const book = new Book();
    book.spend(1, exactly(BEGIN), slot(0), NOW);
    expect([1_099, 1_100].map((time) => book.heldUp(exactly(BEGIN + time), NOW, slot(time)))).toEqual([0, 1]);
  });
});
