import { periodMsOf } from '../../quota/time/periods.ts';
import { covers, isOver, type Slot } from '../slots/slots.ts';
import type { TimeRange } from '../slots/timeline.ts';
import { countsUntil, type Instance, type StatedUsage, slidByOf, ttlOf } from '../slots/window.ts';
import {
  type Answer,
  type ShareAsk,
  type SlotAsk,
  WISH_NOTHING,
  WISH_PART,
  type WindowAsk,
  type Wish,
} from '../store/store.ts';

/** Units spent without a grant are merged into one debt this long after their slot, in milliseconds. */
const RECENT_MS = 5_000;

/** An entry with an unsettled request is dropped this long after the end of its slot, in milliseconds. */
const FORGOTTEN_MS = 600_000;

const UNSENT: Sent = { first: 0, last: 0, answered: 0, isGuess: false };

/** What slides out so much before its slot does is moved, in milliseconds. */
export const SOONER_MS = 300;

/** When requests were sent and answered, by the local clock. */
export interface Sent {
  readonly first: number;
  readonly last: number;
  /** When the last answer of them came; Infinity: not each was answered. */
  readonly answered: number;
  /** Whether the slot of any was a guess. */
  readonly isGuess: boolean;
}

/** The claim of a process on a slot. */
export interface Entry {
  slot: Slot;
  /** Units that were granted and not returned. */
  claimed: number;
  /** Units of requests that were sent, with or without a grant. */
  spent: number;
  /** Requests in flight that were charged to it: their cost may still change. */
  open: number;
  sent: Sent;
  /** Whether what is open is charged to a later slot, too. */
  isLate?: boolean;
  /** Units that the store has booked; undefined: unknown, because the last ask is unanswered. */
  booked: number | undefined;
}

/** Input of {@link Book.compose}: units to ask for, and of which slots. */
export interface Wishes {
  readonly want: number;
  readonly need: number;
  /** The slots to ask for, earliest first. */
  readonly slots: readonly Slot[];
  /** What is wished of the first slot; of each other a part. */
  readonly wish: Wish;
  /** Units of an instance that this ask must leave free. */
  readonly kept: (instance: Instance) => number;
  /** Instances that are named whether or not a slot counts in them, and before all others. */
  readonly also: readonly Instance[];
  /** Held units beyond the demand of all waiting calls. */
  readonly surplus: number;
  /** Whether nothing is told if there is no news. */
  readonly isSilent: boolean;
}

/** The part of an ask that describes slots and windows. */
export interface Told extends Pick<ShareAsk, 'slots' | 'windows' | 'held'> {
  /** The age of the oldest reading that bounds usage from above, in milliseconds. */
  readonly oldestMs: number;
}

/**
 * The claims of this process, slot by slot. Each ask states them as totals, and repeats every slot until an answer confirms
 * what the store has booked, so a trip may be lost, late or repeated. Units are returned before the ask that says so is sent,
 * so they cannot be spent any more.
 */
export class Book {
  readonly #entries = new Map<string, Entry>();
  /** The totals that the last ask stated. */
  #asked: readonly { readonly entry: Entry; readonly total: number }[] = [];
  #named = 0;

  /** Units that a request which arrives within this range may take: all of one claim. */
  left(arrival: TimeRange): number {
    let left = 0;
    for (const { slot, claimed, spent } of this.#entries.values())
      if (claimed - spent > left && covers(slot, arrival)) left = claimed - spent;
    return left;
  }

  /** Whether one claim has so many units for a request that arrives within this range or later. */
  holds(units: number, arrival: TimeRange): boolean {
    for (const { slot, claimed, spent } of this.#entries.values())
      if (claimed - spent >= units && !isOver(slot, arrival)) return true;
    return false;
  }

  /** Units held for requests that arrive within this range or later. */
  held(arrival: TimeRange): number {
    let units = 0;
    for (const { slot, claimed, spent } of this.#entries.values())
      if (!isOver(slot, arrival)) units += Math.max(0, claimed - spent);
    return units;
  }

  /** When the last slot ends of which units are available for a request that arrives within this range. */
  usableUntil(arrival: TimeRange): number | undefined {
    let until: number | undefined;
    for (const { slot, claimed, spent } of this.#entries.values())
      if (claimed > spent && covers(slot, arrival)) until = Math.max(until ?? slot.to, slot.to);
    return until;
  }

  /** When the next slot with held units begins, by the timeline; Infinity: there is none. */
  nextHeld({ least }: TimeRange): number {
    let begin = Infinity;
    for (const { slot, claimed, spent } of this.#entries.values())
      if (claimed > spent && slot.from > least) begin = Math.min(begin, slot.from);
    return begin;
  }

  /**
   * The end, past or future, of the first slot whose claim differs from its spent units, by the timeline; Infinity: there is
   * none. An idle process needs a timer for it, because no call will start the trip that returns the units.
   */
  unspentSince(arrival: TimeRange): number {
    let since = Infinity;
    for (const { slot, claimed, spent } of this.#entries.values()) {
      if (claimed === spent) continue;
      // After the clock was set back the slot may end far in the future.
      since = Math.min(since, isOver(slot, arrival) ? Math.min(slot.to, arrival.most) : slot.to);
    }
    return since;
  }

  /** Units spent without a grant. */
  get owed(): number {
    let units = 0;
    for (const { claimed, spent } of this.#entries.values()) units += Math.max(0, spent - claimed);
    return units;
  }

  /** Charges a request that arrives within this range: to held units, or without a grant to the given slot. */
  spend(units: number, arrival: TimeRange, slot: () => Slot, now: number, isGuess = false): Entry {
    const entry = this.#usable(arrival, units) ?? this.#at(slot());
    const { first, answered, ...sent } = entry.spent === 0 ? { first: now, answered: now, isGuess } : entry.sent;
    entry.sent = { first, last: now, answered, isGuess: sent.isGuess || isGuess };
    entry.spent += units;
    entry.open++;
    return entry;
  }

  /** Ends a request. `units`: its actual cost minus the units charged for it; `answered`: when it was answered, by the local clock. */
  settle(entry: Entry, units: number, answered: number = Infinity): void {
    entry.open--;
    entry.sent = { ...entry.sent, answered: Math.max(entry.sent.answered, answered) };
    entry.spent = Math.max(0, entry.spent + units);
  }

  /**
   * Called before a request ends that is served. If it was held up, it may have been counted in a window that began after its slot: it is charged to
   * the present slot, too, and so is each other of its slot that is under way.
   */
  chargeLate(entry: Entry, units: number, time: TimeRange, slot: () => Slot): void {
    const instances = lateIn(slot, entry, time);
    if (instances.length === 0) return;
    entry.isLate = true;
    const owed = { ...slot(), name: this.#ownName(), instances };
    for (let count = 0; count < entry.open; count++) (this.#usable(time, units) ?? this.#at(owed)).spent += units;
  }

  /**
   * Requests that are held up: under way although their slot is over, and sent at the local instant `since` or later. They may be counted in the present
   * slot instead, and none of them is charged to it yet.
   */
  heldUp(time: TimeRange, since: number, slot: () => Slot): number {
    let requests = 0;
    for (const entry of this.#entries.values())
      if (entry.open > 0 && entry.sent.last >= since && lateIn(slot, entry, time).length > 0) requests += entry.open;
    return requests;
  }

  /**
   * Moves what was sent to narrower slots, where the clock or a shape is better known than it was then: there it counts in fewer
   * windows, or slides out sooner. What was sent by a guess of the time is moved in any case, once that is known. `slotOf`: the slot in which
   * requests arrived.
   */
  refine(slotOf: (sent: Sent) => Slot, isGuess = false): void {
    for (const entry of [...this.#entries.values()]) {
      const { slot, claimed, spent, open, sent } = entry;
      if (spent === 0 || open > 0) continue;
      const narrow = slotOf(sent);
      const names = new Set(slot.instances.map(({ name }) => name));
      // In an earlier step of a window that drains, units leave no less room in any later one.
      const isWithin = narrow.instances.every(({ name, drain }) => drain !== undefined || names.has(name));
      const isKnown = sent.isGuess && !isGuess;
      const isSooner = slot.to - narrow.to >= SOONER_MS && narrow.instances.some((each) => slidByOf(each, slot.to));
      if (!isKnown && (!isWithin || (narrow.instances.length >= names.size && !isSooner))) continue;
      const granted = Math.min(claimed, spent);
      const moved = this.#at({ ...narrow, name: this.#ownName() });
      Object.assign(moved, { claimed: granted, spent, sent: { ...sent, isGuess } });
      Object.assign(entry, { claimed: claimed - granted, spent: 0 });
    }
  }

  /** Composes an ask. Returns the unspent units of slots that are over, and the surplus. */
  compose(wishes: Wishes, arrival: TimeRange, time: number, now: number): Told {
    this.#giveUp(arrival, wishes.surplus);
    this.#condense(time);
    for (const slot of wishes.want > 0 ? wishes.slots : []) this.#at(slot);
    const windows: WindowAsk[] = [];
    let oldestMs = 0;
    const indices = new Map<string, number>();
    const indexOf = (instance: Instance): number => {
      let index = indices.get(instance.name);
      if (index === undefined) {
        const stated = instance.window.reading(instance, now);
        if (stated && stated.bounds !== 'below') oldestMs = Math.max(oldestMs, stated.ageMs);
        index = windows.push(windowAsk(instance, stated, wishes.kept(instance), time)) - 1;
        indices.set(instance.name, index);
      }
      return index;
    };
    const wished = new Set(wishes.want > 0 ? wishes.slots.map(({ name }) => name) : []);
    const [first] = wishes.slots;
    const entries = [...this.#entries.values()].sort((a, b) => a.slot.from - b.slot.from || a.slot.to - b.slot.to);
    const isNews = entries.some(({ claimed, spent, booked }) => booked !== Math.max(claimed, spent));
    if (wishes.want <= 0 && !isNews && wishes.isSilent)
      return { slots: [], windows: [], held: this.held(arrival), oldestMs };
    wishes.also.forEach(indexOf);
    const wishOf = (name: string): Wish => {
      if (!wished.has(name)) return WISH_NOTHING;
      return name === first?.name ? wishes.wish : WISH_PART;
    };
    this.#asked = entries.map((entry) => ({ entry, total: Math.max(entry.claimed, entry.spent) }));
    const slots = this.#asked.map(({ entry, total }): SlotAsk => {
      const { name, to, instances } = entry.slot;
      entry.booked = undefined;
      // No request can arrive any more in an instance that is over, so what it holds does not matter.
      const open = instances.filter((instance) => countsUntil(instance) > time);
      return { name, total, wish: wishOf(name), to, windows: open.map(indexOf) };
    });
    return { slots, windows, held: this.held(arrival), oldestMs };
  }

  /** Records grants, in the order of the last ask. `usable`: how many units of a slot's are used; the next ask returns the others. */
  grant(
    { granted }: Pick<Answer, 'granted'>,
    arrival: TimeRange,
    usable: (slot: Slot, units: number) => number = (_, units) => units,
  ): void {
    this.#asked.forEach(({ entry, total }, index) => {
      const units = granted[index] ?? 0;
      entry.booked = total + units;
      entry.claimed = total + usable(entry.slot, units);
    });
    this.#forget(arrival);
  }

  /**
   * Called when the store may have dropped the account, because the last trip was long ago. What it booked stays booked in the
   * windows; only units spent without a grant are still to be booked, under new names.
   */
  forgetAccount(): void {
    const entries = [...this.#entries.values()];
    this.#entries.clear();
    this.#asked = [];
    for (const { slot, claimed, spent } of entries) {
      if (spent > claimed) this.#at({ ...slot, name: this.#ownName() }).spent = spent - claimed;
    }
  }

  /** The claim with so many units left for a request that arrives within this range. Of several that of the slot that ends first. */
  #usable(arrival: TimeRange, units: number): Entry | undefined {
    let first: Entry | undefined;
    for (const entry of this.#entries.values())
      if (entry.claimed - entry.spent >= Math.max(units, 1) && covers(entry.slot, arrival))
        if (!first || entry.slot.to < first.slot.to) first = entry;
    return first;
  }

  #at(slot: Slot): Entry {
    let entry = this.#entries.get(slot.name);
    if (!entry) {
      entry = { slot, claimed: 0, spent: 0, open: 0, booked: 0, sent: UNSENT };
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

  /** Merges units spent without a grant on past slots into one debt per set of open instances: an outage leaves few entries. */
  #condense(time: number): void {
    const debts = new Map<string, Entry>();
    for (const [name, { slot, claimed, spent, open, booked }] of [...this.#entries]) {
      if (claimed > 0 || open > 0 || booked !== 0 || slot.to > time - RECENT_MS) continue;
      this.#entries.delete(name);
      const instances = slot.instances.filter(({ end }) => end > time);
      const names = instances.map((instance) => instance.name).join();
      if (names === '') continue;
      const debt = debts.get(names) ?? this.#at({ ...slot, name: this.#ownName(), instances });
      debts.set(names, debt);
      debt.slot = { ...debt.slot, to: Math.max(debt.slot.to, slot.to) };
      debt.spent += spent;
    }
  }

  /** A name of this process's own: the slot's may be asked for, or have been forgotten as over. */
  #ownName(): string {
    return `own:${this.#named++}`;
  }

  /**
   * Drops slots that are over and whose final totals the store has booked, and those of which neither this process nor the store knows of any unit: if
   * such a slot is asked for again, limits and shapes may have changed.
   */
  #forget(arrival: TimeRange): void {
    for (const [name, { slot, claimed, spent, open, booked }] of this.#entries) {
      const isUsed = open > 0 && arrival.most < slot.to + FORGOTTEN_MS;
      const isNeedless = isOver(slot, arrival) || claimed + spent === 0;
      if (isNeedless && !isUsed && booked === spent) this.#entries.delete(name);
    }
  }
}

/**
 * Instances of the present slot in which requests of a claim count, too, if they arrive in it, and are not charged yet: of the calendar those that began
 * after their slot, of another short window all when their slot has been over for as long as the window is. None while their slot lasts.
 */
function lateIn(present: () => Slot, { slot, isLate }: Entry, time: TimeRange): readonly Instance[] {
  if (isLate || !isOver(slot, time)) return [];
  const overMs = time.least - slot.to;
  return present().instances.filter(({ name, window: { isCalendar, isShort, period } }) =>
    isCalendar ? !slot.instances.some((instance) => instance.name === name) : isShort && overMs >= periodMsOf(period),
  );
}

function windowAsk(instance: Instance, stated: StatedUsage | undefined, kept: number, time: number): WindowAsk {
  const { name, limit, drain } = instance;
  const slidBy = slidByOf(instance, time);
  return {
    ...{ name, limit, kept, ttlMs: ttlOf(instance, time), reading: stated?.used ?? -1 },
    bounds: stated?.bounds ?? 'below',
    ...(drain === undefined ? {} : { drain }),
    ...(slidBy === undefined ? {} : { slidBy }),
  };
}
