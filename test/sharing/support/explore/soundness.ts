import { countsUntil } from '../../../../src/sharing/slots/window.ts';
import { oracleOf } from '../../../quota/support/oracles.ts';
import type { BookStates } from './book-states.ts';
import { arrivalIn, BUCKET, type Calendar } from './calendar.ts';
import { EVERYTHING, type Small } from './rules.ts';
import { keyOf, nameOf, type State } from './state.ts';
import type { StoreStates } from './store-states.ts';

/** Holds the states of a small world against what was sent: no unit is used twice, and none is lost. */
export class Soundness {
  readonly #small: Small;
  readonly #calendar: Calendar;
  readonly #books: BookStates;
  readonly #stores: StoreStates;
  readonly #rested = new Set<string>();
  readonly #overflowing = new Map<string, boolean>();

  constructor(small: Small, calendar: Calendar, books: BookStates, stores: StoreStates) {
    this.#small = small;
    this.#calendar = calendar;
    this.#books = books;
    this.#stores = stores;
  }

  /** How many of the states were at rest: nothing was under way. */
  get atRest(): number {
    return this.#rested.size;
  }

  /** What is wrong with a state; undefined: nothing. */
  async complaintOf(state: State): Promise<string | undefined> {
    const { used, booked } = this.#stores.at(state.store);
    const spent = this.#calendar.spentOf(state.sent);
    const { isBucket } = this.#small;
    for (const [index, { name, limit }] of [...this.#calendar.instances.values()].entries()) {
      // What a bucket allows beyond the limit of its steps is for the service to say.
      if ((spent.get(name) ?? 0) > limit && !isBucket)
        return `${spent.get(name)} of ${limit} units of ${name} are sent`;
      if ((used[index] ?? 0) > limit) return `${used[index]} of ${limit} units of ${name} are booked`;
    }
    if (this.#isRefused(state.sent)) return 'the service refuses a request';
    for (const [place, { life, book }] of state.processes.entries()) {
      if (book < 0) continue;
      const { left, claimed } = this.#books.at(book);
      const account = booked.get(nameOf(place, life));
      for (let second = state.second; second < this.#small.seconds; second++) {
        const { slots, wide } = this.#calendar;
        const names = [slots[second], wide[second], wide[second - 1]].map((slot) => slot?.name ?? '');
        if ((left[second] ?? 0) > 0 && names.some((name) => (claimed.get(name) ?? 0) > (account?.get(name) ?? 0)))
          return `process ${place} holds more of second ${second} than the store has booked for it`;
      }
    }
    if (state.messages.length > 0 || state.deaths > 0) return undefined;
    const key = keyOf(state);
    if (this.#rested.has(key)) return undefined;
    this.#rested.add(key);
    return this.#complaintAtRest(state, spent);
  }

  /** Lets each process make one trip that is heard, and then one of them ask. */
  async #complaintAtRest(state: State, spent: ReadonlyMap<string, number>): Promise<string | undefined> {
    const { seconds } = this.#small;
    const { second } = state;
    let { store } = state;
    const books: number[] = [];
    for (const [place, { book, sequence, life }] of state.processes.entries()) {
      const { book: asked, told } = this.#books.write(book, {
        kind: 'ask',
        second,
        want: 0,
        surplus: EVERYTHING,
        wish: 1,
      });
      books.push(asked);
      if (told.slots.length === 0) continue;
      const taken = await this.#stores.take(store, this.#stores.askOf(nameOf(place, life), sequence + 1, 0, told));
      store = taken.store;
      if (taken.answer === 'stale') return 'the newest ask of all is stale';
      books[place] = this.#books.write(asked, { kind: 'hear', second, granted: taken.answer.granted }).book;
    }
    const free = new Map<string, number>();
    const wide = this.#bookedWide(store);
    const slot = this.#calendar.slots[second];
    const { name: present } = slot?.instances[0] ?? {};
    let isAhead = !this.#small.isBucket;
    const now = slot ? arrivalIn(slot).least : Infinity;
    for (const [index, instance] of [...this.#calendar.instances.values()].entries()) {
      const { name, limit } = instance;
      const count = this.#stores.at(store).used[index] ?? 0;
      const sent = spent.get(name) ?? 0;
      // Of an instance that is over nothing is told. What was sent in both seconds of a slot counts in both; in steps, in the second one alone.
      const isOver = countsUntil(instance) <= now;
      if (!isOver && ((isAhead && count < sent) || count > sent + (wide.get(name) ?? 0)))
        return `${count} units of ${name} are booked at rest, and ${sent} were sent`;
      isAhead ||= name === present;
      free.set(name, limit - count);
      // What a step is granted counts in those after it, too.
      if (this.#small.isBucket) for (const [step, units] of free) free.set(step, Math.min(units, limit - count));
    }
    if (second >= seconds) return undefined;
    const member = nameOf(0, state.processes[0]?.life ?? 0);
    const sequence = (state.processes[0]?.sequence ?? 0) + 2;
    for (const wish of this.#small.expects ? ([1, 2, 3] as const) : ([1, 2] as const)) {
      const { name = '', instances = [] } = (wish === 3 ? this.#calendar.wide : this.#calendar.slots)[second] ?? {};
      const want = wish === 3 ? 2 : 1;
      const { told } = this.#books.write(books[0] ?? 0, { kind: 'ask', second, want, surplus: 0, wish });
      const { answer } = await this.#stores.take(store, this.#stores.askOf(member, sequence, want, told));
      if (answer === 'stale') return 'the newest ask of all is stale';
      const granted = answer.granted[told.slots.findIndex((slot) => slot.name === name)] ?? 0;
      const room = Math.min(want, ...instances.map((window) => free.get(window.name) ?? 0));
      const plenty = instances.map((window) => (free.get(window.name) ?? 0) - Math.ceil(window.limit / 2));
      const most = wish === 3 ? Math.min(room, Math.max(1, ...[Math.min(...plenty)])) : room;
      // Where others lack units a part of the second is left to them, until its second half.
      const least = answer.others > 0 ? Math.min(most, wish - 1, 1) : most;
      if (granted < least || granted > most)
        return `a process asks for ${want} of ${room} units that nobody holds, and gets ${granted}`;
    }
    return undefined;
  }

  /** Units of each window that are booked for slots of two seconds. */
  #bookedWide(store: number): ReadonlyMap<string, number> {
    const units = new Map<string, number>();
    for (const totals of this.#stores.at(store).booked.values())
      for (const slot of this.#calendar.wide)
        for (const { name } of slot.instances) units.set(name, (units.get(name) ?? 0) + (totals.get(slot.name) ?? 0));
    return units;
  }

  /** Whether a bucket overflows, where all of a slot arrives as early as can be, or as late. */
  #overflows(sent: readonly number[]): boolean {
    const key = sent.join();
    const known = this.#overflowing.get(key);
    if (known !== undefined) return known;
    const orders = Array.from({ length: 2 ** sent.length }, (_, order) => {
      const service = oracleOf('leaky', 'minute', BUCKET);
      sent.forEach((units, second) => {
        const { from = 0, to = 0 } = this.#calendar.slots[second] ?? {};
        const all = units + (second === 0 ? this.#calendar.usedBefore : 0);
        if (all > 0) service.add(all, (order >> second) % 2 === 0 ? from : to - 1);
      });
      return service.peak() > BUCKET;
    });
    this.#overflowing.set(key, orders.includes(true));
    return orders.includes(true);
  }

  /** Whether a service that estimates usage refuses one of these, where each arrives as early in its slot as can be. */
  #isRefused(sent: readonly number[]): boolean {
    const { estimated, limit, isBucket } = this.#small;
    if (isBucket) return this.#overflows(sent);
    if (!estimated) return false;
    const service = oracleOf('sliding-counter', 'second', limit);
    sent.forEach((units, second) => {
      if (units > 0) service.add(units, this.#calendar.slots[second]?.from ?? 0);
    });
    return service.peak() > limit;
  }
}
