import { describe, expect, it } from 'vitest';
import { aligned } from '../../../src/quota/models/aligned.ts';
import { slidingLog } from '../../../src/quota/models/sliding-log.ts';
import type { WindowNews } from '../../../src/quota/share-limit.ts';
import type { Period } from '../../../src/quota/time/periods.ts';
import { Book, type Wishes } from '../../../src/sharing/ledger/book.ts';
import { type Slot, Slots } from '../../../src/sharing/slots/slots.ts';
import type { Instance } from '../../../src/sharing/slots/window.ts';
import { SharedWindows } from '../../../src/sharing/slots/windows.ts';
import type { WindowAsk, Wish } from '../../../src/sharing/store/store.ts';
import { answering, BEGIN, calendar, exactly, reading } from '../support/small.ts';

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
    expect(book.unspentSince(during(0))).toBe(Infinity);
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
    expect(told.map(({ windows: indices }) => indices.includes(minute))).toEqual([true, true]);
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
    const windows = calendar({ minute: 100 });
    windows.of('minute')?.read(reading({ period: 'minute', sentAt: -2_000 }), exactly(BEGIN), exactly(BEGIN), 0);
    const wishes = wishing([], { want: 1, slots: [new Slots(windows).at(exactly(BEGIN))] });
    expect(compose(new Book(), 0, wishes).oldestMs).toBe(2_000);
    windows.of('minute')?.read(reading({ period: 'minute', sentAt: -20_000 }), exactly(BEGIN), exactly(BEGIN), 0);
    expect(compose(new Book(), 20_000, wishes).oldestMs).toBe(0);
  });

  it('says by how much it drains, where it does', () => {
    expect(told('minute')).not.toHaveProperty('drain');
    expect(told('minute', { drain: 3 })).toMatchObject({ drain: 3 });
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
