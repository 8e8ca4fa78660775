import type { Told } from '../../../../src/sharing/ledger/book.ts';
import type { Wish } from '../../../../src/sharing/store/store.ts';
import type { BookStates } from './book-states.ts';
import { Interned } from './interned.ts';
import { EVERYTHING, type Small } from './rules.ts';
import { type Message, nameOf, type State, sorted, withProcess } from './state.ts';
import type { StoreStates } from './store-states.ts';

/** A move by its name, and the state to which it leads. */
export type Move = readonly [name: string, follow: () => State | Promise<State>];

/** What can happen next in a small world: processes ask, send and die, messages arrive or are lost, and seconds end. */
export class Moves {
  readonly #small: Small;
  readonly #books: BookStates;
  readonly #stores: StoreStates;
  readonly #messages = new Interned<Message>();

  constructor(small: Small, books: BookStates, stores: StoreStates) {
    this.#small = small;
    this.#books = books;
    this.#stores = stores;
  }

  /** The moves that a state allows. */
  of(state: State): Move[] {
    const { asks, underWay, deaths = 0, seconds, wants = [1] } = this.#small;
    const { second } = state;
    const moves: Move[] = [];
    state.processes.forEach(({ book, sequence, life }, place) => {
      const name = `process ${place}`;
      if (book < 0) {
        moves.push([
          `${name} starts anew`,
          () => withProcess(state, place, { life: life + 1, book: this.#books.empty, sequence: 0 }),
        ]);
        return;
      }
      const ask = (what: string, want: number, surplus: number, wish: Wish = 1): void => {
        const next = this.#books.write(book, { kind: 'ask', second, want, surplus, wish });
        if (next.told.slots.length > 0) moves.push([`${name} ${what}`, () => this.#withAsk(state, place, want, next)]);
      };
      if (sequence < asks && state.messages.length < underWay) {
        if (second < seconds) for (const want of wants) ask(`asks for ${want}`, want, 0);
        if (second < seconds && this.#small.processes > 2) ask('asks for whatever has room', 1, 0, 2);
        if (second < seconds && this.#small.expects) ask('asks for what will follow, too,', 2, 0, 3);
        ask('tells', 0, 0);
        ask('gives back', 0, EVERYTHING);
      }
      if (second < seconds && (this.#books.at(book).left[second] ?? 0) > 0)
        moves.push([
          `${name} sends`,
          () => {
            const sent = state.sent.map((count, index) => count + (index === second ? 1 : 0));
            return {
              ...withProcess(state, place, { book: this.#books.write(book, { kind: 'send', second }).book }),
              sent,
            };
          },
        ]);
      if (state.deaths < deaths) moves.push([`${name} dies`, () => this.#withDeath(state, place)]);
    });
    state.messages.forEach((id, index) => {
      // Equal messages are one.
      if (state.messages.indexOf(id) < index) return;
      const { place, sequence, ask, answer } = this.#messages.at(id);
      const rest = state.messages.filter((_, other) => other !== index);
      const what = `${ask ? 'ask' : 'answer'} ${sequence} of process ${place}`;
      moves.push([`${what} is lost`, () => ({ ...state, messages: rest })]);
      if (ask) moves.push([`the store takes ${what}`, () => this.#withTaken(state, rest, id)]);
      if (answer) moves.push([`process ${place} hears ${what}`, () => this.#withHeard(state, rest, id)]);
    });
    if (second < seconds) moves.push([`second ${second} is over`, () => ({ ...state, second: second + 1 })]);
    return moves;
  }

  #withAsk(state: State, place: number, want: number, { book, told }: { book: number; told: Told }): State {
    const { life = 0, sequence = 0 } = state.processes[place] ?? {};
    const ask = this.#stores.askOf(nameOf(place, life), sequence + 1, want, told);
    const message = { place, life, sequence: sequence + 1, ask };
    const id = this.#messages.of(`${place} ${life} ask ${JSON.stringify(ask)}`, () => message);
    return {
      ...withProcess(state, place, { book, sequence: sequence + 1 }),
      messages: sorted([...state.messages, id]),
    };
  }

  #withDeath(state: State, place: number): State {
    // Its asks are under way still, and their answers are not heard.
    const messages = state.messages.filter((id) => this.#messages.at(id).place !== place || this.#messages.at(id).ask);
    return { ...withProcess(state, place, { book: -1 }), messages, deaths: state.deaths + 1 };
  }

  async #withTaken(state: State, rest: readonly number[], id: number): Promise<State> {
    const { place, life, sequence, ask } = this.#messages.at(id);
    if (!ask) return state;
    const { store, answer } = await this.#stores.take(state.store, ask);
    const isHeard = state.processes[place]?.life === life && (state.processes[place]?.book ?? -1) >= 0;
    if (!isHeard) return { ...state, store, messages: rest };
    const granted = answer === 'stale' ? 'stale' : answer.granted.join();
    const answered = this.#messages.of(`${place} ${life} answer ${sequence} ${granted}`, () => ({
      place,
      life,
      sequence,
      answer,
    }));
    return { ...state, store, messages: sorted([...rest, answered]) };
  }

  #withHeard(state: State, rest: readonly number[], id: number): State {
    const { place, sequence, answer } = this.#messages.at(id);
    const process = state.processes[place];
    const isOld = process?.sequence !== sequence && this.#small.bug !== 'processes count old answers';
    if (!process || process.book < 0 || isOld || !answer || answer === 'stale') return { ...state, messages: rest };
    const { book } = this.#books.write(process.book, { kind: 'hear', second: state.second, granted: answer.granted });
    return { ...withProcess(state, place, { book }), messages: rest };
  }
}
