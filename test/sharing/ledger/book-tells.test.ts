import { describe, expect, it } from 'vitest';
import type { WindowNews } from '../../../src/quota/share-limit.ts';
import type { Period } from '../../../src/quota/time/periods.ts';
import { DRIFT } from '../../../src/quota/time/server-clock.ts';
import { Book } from '../../../src/sharing/ledger/book.ts';
import { Slots } from '../../../src/sharing/slots/slots.ts';
import type { Instance } from '../../../src/sharing/slots/window.ts';
import type { WindowAsk, Wish } from '../../../src/sharing/store/store.ts';
import { compose, during, holding, named, slotAt, spend, totals, wishing } from '../support/books.ts';
import { answering, BEGIN, calendar, exactly, reading } from '../support/small.ts';

describe('a book of what a process may spend', () => {
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

  it('asks for a slot anew in the windows of today, unless it has claims there: a shape may have become known', () => {
    const fewer = new Slots(calendar({ second: 10 }));
    const book = holding([0, 3]);
    const wishes = wishing([0, 1], { slots: [0, 1].map((second) => fewer.at(exactly(BEGIN + second * 1_000))) });
    const { slots: told } = compose(book, 0, wishes);
    expect(told.map(({ windows }) => windows.length)).toEqual([1, 2]);
  });

  it('forgets a slot when it is over and settled, because the account of it is gone after a minute', () => {
    const book = holding([1, 4]);
    book.settle(spend(book, 0), 0);
    compose(book, 0, wishing([1]));
    book.grant(answering({ granted: [0, 0] }), during(1));
    expect(totals(compose(book, 1, wishing([1])))).toEqual([[named(1), 4]]);
  });

  it('keeps a slot that is spent to the last unit until it is over, because units of it may be asked for again', () => {
    const book = holding([2]);
    book.settle(spend(book, 0, 2), 0);
    expect(totals(compose(book, 0, wishing([0])))).toEqual([[named(0), 2]]);
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
    expect(totals(compose(book, 1, wishing([])))).toEqual([[named(0), 4]]);
  });

  it('forgets a slot at once of which neither it nor the store has a unit', () => {
    const book = holding([0, 2]);
    expect(totals(compose(book, 0, wishing([0], { isSilent: false })))).toEqual([
      [named(0), 0],
      [named(1), 2],
    ]);
    book.grant(answering({ granted: [0, 0] }), during(0));
    expect(totals(compose(book, 0, wishing([], { isSilent: false })))).toEqual([[named(1), 2]]);
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
    expect(told.map(({ windows: indices }) => indices.includes(minute))).toEqual([true, true]);
  });
});

describe('what a book tells', () => {
  it('is nothing but what is held where there is no news', () => {
    expect(compose(holding([3]), 0, wishing([]))).toEqual({ slots: [], windows: [], held: 3, oldestMs: 0 });
  });

  it('wishes for no slot where nothing is wanted, and tells the news of others', () => {
    const book = holding([0, 2]);
    spend(book, 1, 3);
    const { slots: told } = compose(book, 0, wishing([0, 1, 2], { want: 0, wish: 2 }));
    expect(told.map(({ name, total, wish }) => [name, total, wish])).toEqual([[named(1), 3, 0]]);
  });

  it('names no window in which no request can arrive any more', () => {
    const book = holding([2]);
    const { slots: told, windows } = compose(book, 1, wishing([1]));
    const [second = '', minute = ''] = slotAt(1).instances.map(({ name }) => name);
    expect(windows.map(({ name }) => name)).toEqual([minute, second]);
    expect(told.map((slot) => slot.windows)).toEqual([[0], [1, 0]]);
  });

  it('names some windows before those of its slots', () => {
    const also = slotAt(70).instances;
    const { windows } = compose(new Book(), 0, wishing([0], { also }));
    expect(windows.slice(0, also.length).map(({ name }) => name)).toEqual(also.map(({ name }) => name));
    expect(windows).toHaveLength(2 * also.length);
  });

  it('is what was spent by the time of its slot once a request has ended there, until the store has booked that', () => {
    const book = holding([3]);
    book.settle(spend(book, 0, 2), 0);
    expect(totals(compose(book, 1, wishing([])))).toEqual([[named(0), 2]]);
    expect(totals(compose(book, 1, wishing([])))).toEqual([[named(0), 2]]);
    book.grant(answering({ granted: [0] }), during(1));
    expect(compose(book, 1, wishing([], { isSilent: false })).slots).toEqual([]);
  });

  it('is of an unended request for ten minutes, and not for longer', () => {
    for (const [at, owed] of [
      [590, 2],
      [700, 0],
    ] as const) {
      const book = holding([1]);
      const entry = spend(book, 0);
      compose(book, at, wishing([]));
      book.settle(entry, 2);
      expect(book.owed).toBe(owed);
    }
  });

  const later = new Slots(calendar({ second: 10 }));

  /** Asks for the first second anew, in fewer windows. */
  const again = (book: Book) =>
    compose(book, 0, wishing([], { want: 5, slots: [later.at(exactly(BEGIN))] })).slots.map((slot) => [
      slot.total,
      slot.windows.length,
    ]);

  it('keeps to the windows of a slot in which something was spent, or may have been granted', () => {
    const spent = new Book();
    spend(spent, 0, 3);
    expect(again(spent)).toEqual([[3, 2]]);
    const asked = new Book();
    compose(asked, 0, wishing([0]));
    expect(again(asked)).toEqual([[0, 2]]);
    expect(again(new Book())).toEqual([[0, 1]]);
  });

  it('keeps a slot of which a request is under way that is reckoned to cost nothing', () => {
    const book = new Book();
    const entry = spend(book, 0, 0);
    again(book);
    book.settle(entry, 3);
    expect(again(book)).toEqual([[3, 2]]);
  });
});

describe('a window that a book names', () => {
  /** How the first window of a slot of these is told. */
  function told(period: Period, rest: Partial<Instance> = {}, said?: Partial<WindowNews>): Partial<WindowAsk> {
    const windows = calendar({ [period]: 100 });
    const slot = new Slots(windows).at(exactly(BEGIN));
    if (said) windows.of(period)?.read(reading({ period, ...said }), exactly(BEGIN), exactly(BEGIN), 0);
    const instances = slot.instances.map((instance) => ({ ...instance, ...rest }));
    const wishes = wishing([], { want: 1, slots: [{ ...slot, instances }] });
    return compose(new Book(), 0, wishes).windows[0] ?? {};
  }

  it('is bound from above by a recent reading, unless it is a second or drains', () => {
    const bounds = (
      period: Period,
      rest: Partial<Instance> = {},
      said: Partial<WindowNews> | undefined = { sentAt: 0 },
    ) => told(period, rest, said).bounds;
    expect([bounds('second'), bounds('minute'), bounds('hour')]).toEqual(['below', 'both', 'both']);
    expect([told('minute').bounds, bounds('hour', { drain: 3 })]).toEqual(['below', 'below']);
  });

  it('says how old the oldest reading is that bounds it from above', () => {
    const windows = calendar({ second: 10, minute: 100 });
    windows.of('minute')?.read(reading({ period: 'minute', sentAt: -2_000 }), exactly(BEGIN), exactly(BEGIN), 0);
    windows.of('second')?.read(reading({ period: 'second', sentAt: -3_000 }), exactly(BEGIN), exactly(BEGIN), 0);
    const wishes = wishing([], { want: 1, slots: [new Slots(windows).at(exactly(BEGIN))] });
    expect(compose(new Book(), 0, wishes).oldestMs).toBe(2_000);
    windows.of('minute')?.read(reading({ period: 'minute', sentAt: -20_000 }), exactly(BEGIN), exactly(BEGIN), 0);
    expect(compose(new Book(), 20_000, wishes).oldestMs).toBe(0);
  });

  it('says by how much it drains, where it does', () => {
    expect(told('minute')).not.toHaveProperty('drain');
    expect(told('minute', { drain: 3 })).toMatchObject({ drain: 3 });
  });

  it('says by when units have slid out of it, where they do', () => {
    expect(told('minute')).not.toHaveProperty('slidBy');
    // A minute before this ask, and what clocks may differ in that.
    const slidBy = Math.floor(BEGIN + 500 - 60_000 * (1 + DRIFT));
    expect(told('minute', { slides: 2_000 })).toMatchObject({ slidBy });
  });

  it('is bounded from above by an answer that came just now, and else from below alone', () => {
    const recent = { used: 7, sentAt: 0 };
    expect(told('hour', {}, recent)).toMatchObject({ reading: 7, bounds: 'both' });
    expect(told('second', {}, recent)).toMatchObject({ reading: 7, bounds: 'below' });
    expect(told('hour', {}, { ...recent, sentAt: -3_600_000 })).toMatchObject({ reading: 7, bounds: 'below' });
  });

  it('has no reading where no answer named it', () => {
    expect(told('minute')).toMatchObject({ reading: -1, limit: 100, kept: 0 });
  });
});
