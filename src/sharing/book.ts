import { covers, isOver, type Slot } from './slots.ts';
import type { Answer, ShareAsk, SlotAsk, WindowAsk, Wish } from './store.ts';
import type { TimeRange } from './timeline.ts';
import { type Instance, ttlOf } from './windows.ts';

/** Debts of slots that ended this long ago are added up, in milliseconds. */
const RECENT_MS = 5_000;

/** A request that took from a slot is given up this long after its end, in milliseconds: its owner forgot it. */
const FORGOTTEN_MS = 600_000;

/** What a process claims of a slot. */
export interface Entry {
  readonly slot: Slot;
  /** Units that were granted and not given back. */
  claimed: number;
  /** Units that were sent, whether they had been granted or not. */
  spent: number;
  /** Requests under way that took from it: what they cost may change yet. */
  open: number;
  /** Units that the store has booked; undefined: an ask was not answered, so it may have booked that or this. */
  booked: number | undefined;
}

/** What an ask would like of which slots. */
export interface Wishes {
  readonly want: number;
  readonly need: number;
  /** The slots wished for, earliest first. */
  readonly slots: readonly Slot[];
  /** Of the first slot, any room is wished for and not only a part. */
  readonly isLate: boolean;
  /** Units to leave to others in an instance; `isFirst`: for the first slot wished for. */
  readonly kept: (instance: Instance, isFirst: boolean) => number;
  /** Units that are held and that no call waits for. */
  readonly surplus: number;
}

/** What an ask says of slots and windows. */
export type Told = Pick<ShareAsk, 'slots' | 'windows' | 'held'>;

/**
 * What this process may spend, slot by slot. Claims are told as totals, and every slot in which the store may have booked
 * something else is told again until an answer counts, so a trip may be lost, late or repeated. Nothing that was given up
 * is spent: it is given up before the message leaves.
 */
export class Book {
  readonly #entries = new Map<string, Entry>();
  /** What the last ask told: the totals that the store books. */
  #asked: readonly { readonly entry: Entry; readonly total: number }[] = [];
  #debts = 0;

  /** Units that may be spent on a request that arrives in this range. */
  left(arrival: TimeRange): number {
    return this.#usable(arrival)?.left ?? 0;
  }

  /** Units that are held for a request that arrives in this range, or later. */
  held(arrival: TimeRange): number {
    let units = 0;
    for (const { slot, claimed, spent } of this.#entries.values())
      if (!isOver(slot, arrival)) units += Math.max(0, claimed - spent);
    return units;
  }

  /** When the next slot in which units are held begins, by the timeline; Infinity: none is held. */
  nextHeld({ least }: TimeRange): number {
    let begin = Number.POSITIVE_INFINITY;
    for (const { slot, claimed, spent } of this.#entries.values())
      if (claimed > spent && slot.from > least) begin = Math.min(begin, slot.from);
    return begin;
  }

  /**
   * From when on something is to be told without being asked for, by the timeline: the end of the first slot with units that
   * are not spent, which may be yet to come, because nothing else reminds a process that has gone idle of it.
   */
  unspentSince(arrival: TimeRange): number {
    let since = Number.POSITIVE_INFINITY;
    for (const { slot, claimed, spent } of this.#entries.values()) {
      if (claimed === spent) continue;
      // Where the clock was set back the end may be far off.
      since = Math.min(since, isOver(slot, arrival) ? Math.min(slot.to, arrival.most) : slot.to);
    }
    return since;
  }

  /** Units that were spent without having been granted. */
  get owed(): number {
    let units = 0;
    for (const { claimed, spent } of this.#entries.values()) units += Math.max(0, spent - claimed);
    return units;
  }

  /** Spends units on a request that arrives in this range: of what is held, or without leave on the slot given. */
  spend(units: number, arrival: TimeRange, slot: () => Slot): Entry {
    const usable = this.#usable(arrival);
    const entry = usable && usable.left >= units ? usable.entry : this.#at(slot());
    entry.spent += units;
    entry.open++;
    return entry;
  }

  /** The request took `units` more than were spent on it, or less. */
  settle(entry: Entry, units: number): void {
    entry.open--;
    entry.spent = Math.max(0, entry.spent + units);
  }

  /** Composes what is told and wished for, and gives up what is over or what no call waits for. */
  compose(wishes: Wishes, arrival: TimeRange, time: number, now: number): Told {
    for (const slot of wishes.want > 0 ? wishes.slots : []) this.#at(slot);
    this.#giveUp(arrival, wishes.surplus);
    this.#condense(time);
    const windows: WindowAsk[] = [];
    const indices = new Map<string, number>();
    const wished = new Set(wishes.want > 0 ? wishes.slots.map(({ name }) => name) : []);
    const [first] = wishes.slots;
    const entries = [...this.#entries.values()].sort((a, b) => a.slot.from - b.slot.from || a.slot.to - b.slot.to);
    const isNews = entries.some(({ claimed, spent, booked }) => booked !== Math.max(claimed, spent));
    if (wishes.want <= 0 && !isNews) return { slots: [], windows: [], held: this.held(arrival) };
    const slots = entries.map((entry): SlotAsk => {
      const { slot, claimed, spent } = entry;
      const isFirst = slot.name === first?.name;
      const wish: Wish = !wished.has(slot.name) ? 0 : isFirst && wishes.isLate ? 2 : 1;
      entry.booked = undefined;
      const places = slot.instances.map((instance) => {
        let index = indices.get(instance.name);
        if (index === undefined) {
          const isPresent = first?.instances.some(({ name }) => name === instance.name) ?? true;
          index = windows.push(windowAsk(instance, wishes.kept(instance, isPresent), time, now)) - 1;
          indices.set(instance.name, index);
        }
        return index;
      });
      return { name: slot.name, total: Math.max(claimed, spent), wish, windows: places };
    });
    this.#asked = entries.map((entry, index) => ({ entry, total: slots[index]?.total ?? 0 }));
    return { slots, windows, held: this.held(arrival) };
  }

  /** Takes in what was granted, in the order of the last ask; what was granted of slots that begin before `from` is given back. */
  grant({ granted }: Pick<Answer, 'granted'>, arrival: TimeRange, from: number = Number.NEGATIVE_INFINITY): void {
    this.#asked.forEach(({ entry, total }, index) => {
      const units = granted[index] ?? 0;
      entry.booked = total + units;
      entry.claimed = entry.slot.from < from ? total : total + units;
    });
    this.#forget(arrival);
  }

  /**
   * The store has not been heard for so long that it may have forgotten the account. What it booked stays booked in the
   * windows; only what was spent beyond that is told yet, under other names.
   */
  forgetAccount(): void {
    const entries = [...this.#entries.values()];
    this.#entries.clear();
    this.#asked = [];
    for (const { slot, claimed, spent } of entries) {
      if (spent > claimed) this.#at({ ...slot, name: this.#debtName() }).spent = spent - claimed;
    }
  }

  /** Forgets all: another share is joined. */
  clear(): void {
    this.#entries.clear();
    this.#asked = [];
  }

  #usable(arrival: TimeRange): { entry: Entry; left: number } | undefined {
    let best: { entry: Entry; left: number } | undefined;
    for (const entry of this.#entries.values()) {
      const left = entry.claimed - entry.spent;
      if (left <= 0 || !covers(entry.slot, arrival)) continue;
      // What is over first is spent first.
      if (!best || entry.slot.to < best.entry.slot.to) best = { entry, left };
    }
    return best;
  }

  #at(slot: Slot): Entry {
    let entry = this.#entries.get(slot.name);
    if (!entry) {
      entry = { slot, claimed: 0, spent: 0, open: 0, booked: 0 };
      this.#entries.set(slot.name, entry);
    }
    return entry;
  }

  #giveUp(arrival: TimeRange, surplus: number): void {
    let left = surplus;
    for (const entry of [...this.#entries.values()].sort((a, b) => b.slot.from - a.slot.from)) {
      const unspent = entry.claimed - entry.spent;
      if (unspent <= 0) continue;
      const isPast = isOver(entry.slot, arrival);
      const given = isPast ? unspent : Math.min(left, unspent);
      entry.claimed -= given;
      if (!isPast) left -= given;
    }
    this.#forget(arrival);
  }

  /** Adds up what was spent without leave on slots that are long over, by the instances that are still open: an outage leaves one debt. */
  #condense(time: number): void {
    const debts = new Map<string, Entry>();
    for (const [name, { slot, claimed, spent, open, booked }] of [...this.#entries]) {
      if (claimed > 0 || spent === 0 || open > 0 || booked !== 0 || slot.to > time - RECENT_MS) continue;
      this.#entries.delete(name);
      const instances = slot.instances.filter(({ end }) => end > time);
      const names = instances.map((instance) => instance.name).join();
      if (names === '') continue;
      const debt = debts.get(names) ?? this.#at({ ...slot, name: this.#debtName(), instances });
      debts.set(names, debt);
      debt.spent += spent;
    }
  }

  #debtName(): string {
    return `debt:${this.#debts++}`;
  }

  /** Forgets slots that are over and of which the store knows all there is to know: its account of them may be gone by now. */
  #forget(arrival: TimeRange): void {
    for (const [name, { slot, claimed, spent, open, booked }] of this.#entries) {
      const isUsed = open > 0 && arrival.most < slot.to + FORGOTTEN_MS;
      if (isOver(slot, arrival) && !isUsed && claimed === spent && booked === spent) this.#entries.delete(name);
    }
  }
}

function windowAsk(instance: Instance, kept: number, time: number, now: number): WindowAsk {
  const { name, window, limit } = instance;
  const reading = window.reading(instance, now);
  return {
    ...{ name, limit, kept, ttlMs: ttlOf(instance, time), reading: reading?.used ?? -1 },
    stretches: !window.isLong ? 'no' : reading?.isRecent ? 'bounds' : 'yes',
  };
}
