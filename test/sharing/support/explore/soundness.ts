import { oracleOf } from '../../../quota/support/oracles.ts';
import type { BookStates } from './book-states.ts';
import type { Calendar } from './calendar.ts';
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
    for (const [index, [name, limit]] of [...this.#calendar.limits].entries()) {
      if ((spent.get(name) ?? 0) > limit) return `${spent.get(name)} of ${limit} units of ${name} are sent`;
      if ((used[index] ?? 0) > limit) return `${used[index]} of ${limit} units of ${name} are booked`;
    }
    if (this.#isRefused(state.sent)) return 'the service refuses a request';
    for (const [place, { life, book }] of state.processes.entries()) {
      if (book < 0) continue;
      const { left, claimed } = this.#books.at(book);
      const account = booked.get(nameOf(place, life));
      for (let second = state.second; second < this.#small.seconds; second++)
        if (
          (left[second] ?? 0) > 0 &&
          (claimed[second] ?? 0) > (account?.get(this.#calendar.slots[second]?.name ?? '') ?? 0)
        )
          return `process ${place} holds more of second ${second} than the store has booked for it`;
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
    for (const [index, [name]] of [...this.#calendar.limits].entries()) {
      const count = this.#stores.at(store).used[index];
      if (count !== (spent.get(name) ?? 0))
        return `${count} units of ${name} are booked at rest, and ${spent.get(name) ?? 0} were sent`;
    }
    const { name = '', instances = [] } = this.#calendar.slots[second] ?? {};
    if (second >= seconds) return undefined;
    // Where others lack units a part of the second is left to them, until its second half.
    const room = Math.min(1, ...instances.map((window) => window.limit - (spent.get(window.name) ?? 0)));
    const member = nameOf(0, state.processes[0]?.life ?? 0);
    const sequence = (state.processes[0]?.sequence ?? 0) + 2;
    for (const wish of [1, 2] as const) {
      const { told } = this.#books.write(books[0] ?? 0, { kind: 'ask', second, want: 1, surplus: 0, wish });
      const { answer } = await this.#stores.take(store, this.#stores.askOf(member, sequence, 1, told));
      if (answer === 'stale') return 'the newest ask of all is stale';
      const granted = answer.granted[told.slots.findIndex((slot) => slot.name === name)] ?? 0;
      const isLeft = wish === 1 && answer.others > 0;
      if (granted !== room && !isLeft)
        return `a process asks for one of ${room} units that nobody holds, and gets ${granted}`;
    }
    return undefined;
  }

  /** Whether a service that estimates usage refuses one of these, where each arrives as early in its slot as can be. */
  #isRefused(sent: readonly number[]): boolean {
    const { estimated, limit } = this.#small;
    if (!estimated) return false;
    const service = oracleOf('sliding-counter', 'second', limit);
    sent.forEach((units, second) => {
      if (units > 0) service.add(units, this.#calendar.slots[second]?.from ?? 0);
    });
    return service.peak() > limit;
  }
}
