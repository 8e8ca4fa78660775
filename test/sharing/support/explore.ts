import { aligned } from '../../../src/quota/models/aligned.ts';
import { Book, type Told } from '../../../src/sharing/book.ts';
import { memoryStore } from '../../../src/sharing/memory-store.ts';
import { type Slot, Slots } from '../../../src/sharing/slots.ts';
import type { Answer, ShareAsk } from '../../../src/sharing/store.ts';
import type { TimeRange } from '../../../src/sharing/timeline.ts';
import { SharedWindows } from '../../../src/sharing/windows.ts';
import { seeded } from '../../../src/testing/index.ts';

/** A world so small that everything that can happen in it can be tried. */
export interface Small {
  readonly processes: number;
  /** Units of each second. */
  readonly limit: number;
  /** Units of the minute. */
  readonly long: number;
  readonly seconds: number;
  /** Asks that a process may make. */
  readonly asks: number;
  /** Messages that may be under way at once, asks and answers. */
  readonly underWay: number;
  /** How many processes may die; each is followed by one of another name. */
  readonly deaths?: number;
  /** The minute ends with this second, and another begins. */
  readonly lastOfMinute?: number;
  /** Units that a process may wish for at once. */
  readonly wants?: readonly number[];
  readonly bug?: 'the store ignores the sequence' | 'processes count old answers';
}

/** What came of it. */
export interface Found {
  readonly states: number;
  /** States with nothing under way, in each of which the books were held against what was sent. */
  readonly atRest: number;
  /** Whether every state that can be reached was seen. */
  readonly isAll: boolean;
  readonly violation?: { readonly what: string; readonly moves: readonly string[] };
}

/** A minute begins. */
const BEGIN = Date.UTC(2026, 2, 10, 12);
const CLOCK = BEGIN + 500;
const EVERYTHING = 1_000;

interface Process {
  /** Counts the processes that have had this place. */
  readonly life: number;
  /** State of the book; -1: it is dead. */
  readonly book: number;
  readonly sequence: number;
}

interface State {
  readonly second: number;
  readonly store: number;
  readonly processes: readonly Process[];
  readonly messages: readonly number[];
  readonly sent: readonly number[];
  readonly deaths: number;
}

interface Message {
  readonly place: number;
  readonly life: number;
  readonly sequence: number;
  readonly ask?: ShareAsk;
  readonly answer?: Answer | 'stale';
}

/** What can be seen of a book: units that were granted and sent, by second, and whether the store may know otherwise. */
interface BookState {
  readonly moves: readonly BookMove[];
  readonly left: readonly number[];
  readonly claimed: readonly number[];
  readonly next: Map<string, { readonly book: number; readonly told: Told }>;
}

type BookMove =
  | {
      readonly kind: 'ask';
      readonly second: number;
      readonly want: number;
      readonly surplus: number;
      readonly isLate: boolean;
    }
  | { readonly kind: 'hear'; readonly second: number; readonly granted: readonly number[] }
  | { readonly kind: 'send'; readonly second: number };

/** What can be seen of a store: what is used of each window, what it has booked for each process, and which lack units. */
interface StoreState {
  readonly takes: readonly ShareAsk[];
  readonly used: readonly number[];
  readonly booked: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly next: Map<number, { readonly store: number; readonly answer: Answer | 'stale' }>;
}

interface Step {
  readonly state: State;
  readonly move: string;
  readonly before: Step | undefined;
}

/** A state from which another follows, by a move. */
type Move = readonly [name: string, state: () => State | Promise<State>];

/**
 * A small world of real books and a real store. Neither can be copied, so a state of one is the list of moves that led to
 * it, and what follows from a move is worked out once: states that cannot be told apart are one.
 */
export class SmallWorld {
  readonly #small: Small;
  readonly #slots: readonly Slot[];
  /** The windows by name, with their limits; the windows of a slot are among them. */
  readonly #limits = new Map<string, number>();
  readonly #books = new Interned<BookState>();
  readonly #stores = new Interned<StoreState>();
  readonly #messages = new Interned<Message>();
  readonly #asks = new Interned<ShareAsk>();
  readonly #rested = new Set<string>();
  #atRest = 0;

  constructor(small: Small) {
    this.#small = small;
    const windows = new SharedWindows();
    windows.open('second', small.limit, { alive: [aligned], epoch: 0 });
    windows.open('minute', small.long, { alive: [aligned], epoch: 0 });
    const slots = new Slots(windows);
    const first = small.lastOfMinute === undefined ? BEGIN : BEGIN - (small.lastOfMinute + 1) * 1_000;
    this.#slots = Array.from({ length: small.seconds + 2 }, (_, second) =>
      slots.at(arrivalAt(first + second * 1_000 + 500)),
    );
    for (const { instances } of this.#slots) for (const { name, limit } of instances) this.#limits.set(name, limit);
  }

  /** Tries all moves in all orders, until so many states were seen. */
  async explore(most: number): Promise<Found> {
    const seen = new Set<string>();
    let level: Step[] = [{ state: await this.#start(), move: '', before: undefined }];
    while (level.length > 0) {
      const next: Step[] = [];
      for (const step of level) {
        const complaint = await this.#complaintOf(step.state);
        if (complaint) return this.#found(seen.size, false, { what: complaint, moves: pathOf(step) });
        for (const [move, follow] of this.#moves(step.state)) {
          const state = await follow();
          const key = keyOf(state);
          if (seen.has(key)) continue;
          if (seen.size >= most) return this.#found(seen.size, false);
          seen.add(key);
          next.push({ state, move, before: step });
        }
      }
      level = next;
    }
    return this.#found(seen.size, true);
  }

  /** Makes moves by chance: so many walks of so many moves. */
  async wander(walks: number, length: number, seed: number): Promise<Found> {
    const random = seeded(seed);
    const seen = new Set<string>();
    for (let walk = 0; walk < walks; walk++) {
      let step: Step = { state: await this.#start(), move: '', before: undefined };
      for (let count = 0; count < length; count++) {
        const all = this.#moves(step.state);
        // Else everybody is dead, everything lost and time over before anything has happened.
        const moves = all.filter(([name]) => !/dies|lost|over/.test(name) || random() < 0.15);
        const [move, follow] = moves[Math.floor(random() * moves.length)] ?? [];
        if (move === undefined || !follow) continue;
        step = { state: await follow(), move, before: step };
        seen.add(keyOf(step.state));
        const complaint = await this.#complaintOf(step.state);
        if (complaint) return this.#found(seen.size, false, { what: complaint, moves: pathOf(step) });
      }
    }
    return this.#found(seen.size, false);
  }

  #found(states: number, isAll: boolean, violation?: NonNullable<Found['violation']>): Found {
    return { states, atRest: this.#atRest, isAll, ...(violation ? { violation } : {}) };
  }

  async #start(): Promise<State> {
    const book = this.#bookAfter([]);
    const store = await this.#storeAfter([], new Map());
    const { processes, seconds } = this.#small;
    return {
      ...{ second: 0, store, messages: [], sent: new Array<number>(seconds).fill(0), deaths: 0 },
      processes: Array.from({ length: processes }, () => ({ life: 0, book, sequence: 0 })),
    };
  }

  #moves(state: State): Move[] {
    const { asks, underWay, deaths = 0, seconds, wants = [1] } = this.#small;
    const { second } = state;
    const moves: Move[] = [];
    state.processes.forEach(({ book, sequence, life }, place) => {
      const name = `process ${place}`;
      if (book < 0) {
        moves.push([`${name} starts anew`, () => withProcess(state, place, { life: life + 1, book: 0, sequence: 0 })]);
        return;
      }
      const ask = (what: string, want: number, surplus: number, isLate = false): void => {
        const next = this.#write(book, { kind: 'ask', second, want, surplus, isLate });
        if (next.told.slots.length > 0) moves.push([`${name} ${what}`, () => this.#withAsk(state, place, want, next)]);
      };
      if (sequence < asks && state.messages.length < underWay) {
        if (second < seconds) for (const want of wants) ask(`asks for ${want}`, want, 0);
        if (second < seconds && this.#small.processes > 2) ask('asks for whatever has room', 1, 0, true);
        ask('tells', 0, 0);
        ask('gives back', 0, EVERYTHING);
      }
      if (second < seconds && (this.#books.at(book).left[second] ?? 0) > 0)
        moves.push([
          `${name} sends`,
          () => {
            const sent = state.sent.map((count, index) => count + (index === second ? 1 : 0));
            return { ...withProcess(state, place, { book: this.#write(book, { kind: 'send', second }).book }), sent };
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
    const ask = this.#askOf(nameOf(place, life), sequence + 1, want, told);
    const message = { place, life, sequence: sequence + 1, ask };
    const id = this.#messages.of(
      `${place} ${life} ask ${this.#asks.of(JSON.stringify(ask), () => ask)}`,
      () => message,
    );
    return {
      ...withProcess(state, place, { book, sequence: sequence + 1 }),
      messages: sorted([...state.messages, id]),
    };
  }

  #askOf(member: string, sequence: number, want: number, told: Told): ShareAsk {
    const { limit } = this.#small;
    return { member, sequence, version: 0, want, need: 1, size: limit, chunk: 1, stayMs: 1_500, urgent: 0, ...told };
  }

  #withDeath(state: State, place: number): State {
    // Its asks are under way still, and nobody hears the answers.
    const messages = state.messages.filter((id) => this.#messages.at(id).place !== place || this.#messages.at(id).ask);
    return { ...withProcess(state, place, { book: -1 }), messages, deaths: state.deaths + 1 };
  }

  async #withTaken(state: State, rest: readonly number[], id: number): Promise<State> {
    const { place, life, sequence, ask } = this.#messages.at(id);
    if (!ask) return state;
    const { store, answer } = await this.#take(state.store, ask);
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
    const { book } = this.#write(process.book, { kind: 'hear', second: state.second, granted: answer.granted });
    return { ...withProcess(state, place, { book }), messages: rest };
  }

  /** What is wrong with a state; undefined: nothing. */
  async #complaintOf(state: State): Promise<string | undefined> {
    const { used, booked } = this.#stores.at(state.store);
    const spent = this.#spentOf(state.sent);
    for (const [index, [name, limit]] of [...this.#limits].entries()) {
      if ((spent.get(name) ?? 0) > limit) return `${spent.get(name)} of ${limit} units of ${name} are sent`;
      if ((used[index] ?? 0) > limit) return `${used[index]} of ${limit} units of ${name} are booked`;
    }
    for (const [place, { life, book }] of state.processes.entries()) {
      if (book < 0) continue;
      const { left, claimed } = this.#books.at(book);
      const account = booked.get(nameOf(place, life));
      for (let second = state.second; second < this.#small.seconds; second++)
        if ((left[second] ?? 0) > 0 && (claimed[second] ?? 0) > (account?.get(this.#slots[second]?.name ?? '') ?? 0))
          return `process ${place} holds more of second ${second} than the store has booked for it`;
    }
    if (state.messages.length > 0 || state.deaths > 0) return undefined;
    const key = keyOf(state);
    if (this.#rested.has(key)) return undefined;
    this.#rested.add(key);
    this.#atRest++;
    return this.#complaintAtRest(state, spent);
  }

  /** Lets each process make one trip that is heard, and then one of them ask. */
  async #complaintAtRest(state: State, spent: ReadonlyMap<string, number>): Promise<string | undefined> {
    const { seconds } = this.#small;
    const { second } = state;
    let { store } = state;
    const books: number[] = [];
    for (const [place, { book, sequence, life }] of state.processes.entries()) {
      const { book: asked, told } = this.#write(book, {
        kind: 'ask',
        second,
        want: 0,
        surplus: EVERYTHING,
        isLate: false,
      });
      books.push(asked);
      if (told.slots.length === 0) continue;
      const taken = await this.#take(store, this.#askOf(nameOf(place, life), sequence + 1, 0, told));
      store = taken.store;
      if (taken.answer === 'stale') return 'the newest ask of all is stale';
      books[place] = this.#write(asked, { kind: 'hear', second, granted: taken.answer.granted }).book;
    }
    for (const [index, [name]] of [...this.#limits].entries()) {
      const count = this.#stores.at(store).used[index];
      if (count !== (spent.get(name) ?? 0))
        return `${count} units of ${name} are booked at rest, and ${spent.get(name) ?? 0} were sent`;
    }
    const { name = '', instances = [] } = this.#slots[second] ?? {};
    if (second >= seconds) return undefined;
    // Where others lack units a part of the second is left to them, until its second half.
    const room = Math.min(1, ...instances.map((window) => window.limit - (spent.get(window.name) ?? 0)));
    const member = nameOf(0, state.processes[0]?.life ?? 0);
    const sequence = (state.processes[0]?.sequence ?? 0) + 2;
    for (const isLate of [false, true]) {
      const { told } = this.#write(books[0] ?? 0, { kind: 'ask', second, want: 1, surplus: 0, isLate });
      const { answer } = await this.#take(store, this.#askOf(member, sequence, 1, told));
      if (answer === 'stale') return 'the newest ask of all is stale';
      const granted = answer.granted[told.slots.findIndex((slot) => slot.name === name)] ?? 0;
      const isLeft = !isLate && answer.others > 0;
      if (granted !== room && !isLeft)
        return `a process asks for one of ${room} units that nobody holds, and gets ${granted}`;
    }
    return undefined;
  }

  #spentOf(sent: readonly number[]): Map<string, number> {
    const spent = new Map<string, number>();
    sent.forEach((count, second) => {
      for (const { name } of this.#slots[second]?.instances ?? []) spent.set(name, (spent.get(name) ?? 0) + count);
    });
    return spent;
  }

  #write(book: number, move: BookMove): { readonly book: number; readonly told: Told } {
    const { moves, next } = this.#books.at(book);
    const key = `${move.kind} ${move.second} ${move.kind === 'ask' ? `${move.want} ${move.surplus} ${move.isLate}` : ''}${move.kind === 'hear' ? move.granted.join() : ''}`;
    let known = next.get(key);
    if (!known) {
      const all = [...moves, move];
      known = { book: this.#bookAfter(all), told: this.#replay(all).told };
      next.set(key, known);
    }
    return known;
  }

  #replay(moves: readonly BookMove[]): { readonly book: Book; readonly told: Told } {
    const book = new Book();
    let told: Told = { slots: [], windows: [], held: 0 };
    for (const move of moves) {
      const slot = this.#slots[move.second] as Slot;
      const arrival = arrivalAt(slot.from + 500);
      if (move.kind === 'send')
        book.settle(
          book.spend(1, arrival, () => slot),
          0,
        );
      else if (move.kind === 'hear') book.grant({ granted: move.granted } as Answer, arrival);
      else told = this.#compose(book, move, arrival);
    }
    return { book, told };
  }

  #compose(book: Book, { want, surplus, isLate, second }: BookMove & { kind: 'ask' }, arrival: TimeRange): Told {
    const slots = this.#slots.slice(second, Math.min(second + 2, this.#small.seconds));
    const held = Math.min(surplus, book.held(arrival));
    return book.compose({ want, need: 1, slots, isLate, kept: () => 0, surplus: held }, arrival, arrival.least, 0);
  }

  /** The state of a book after moves, found out by looking at books that made the same. */
  #bookAfter(moves: readonly BookMove[]): number {
    const { book } = this.#replay(moves);
    const left = this.#slots.map(({ from }) => book.left(arrivalAt(from + 500)));
    const before = arrivalAt(this.#slots[0]?.from ?? 0);
    const isTold = book.compose(wishing(0), before, before.least, 0).slots.length === 0;
    const { slots } = this.#replay(moves).book.compose(wishing(1), before, before.least, 0);
    const claimed = this.#slots.map(({ name }) => slots.find((slot) => slot.name === name)?.total ?? -1);
    return this.#books.of(`${left} ${claimed} ${isTold}`, () => ({ moves, left, claimed, next: new Map() }));
  }

  async #take(store: number, ask: ShareAsk): Promise<{ readonly store: number; readonly answer: Answer | 'stale' }> {
    const { takes, booked, next } = this.#stores.at(store);
    const id = this.#asks.of(JSON.stringify(ask), () => ask);
    let known = next.get(id);
    if (!known) {
      // A store that ignores sequences is one to which each ask is the newest.
      const isBlind = this.#small.bug === 'the store ignores the sequence';
      const taken = isBlind ? { ...ask, sequence: takes.length + 1 } : ask;
      const all = [...takes, taken];
      const answer = await last(all);
      if (answer === 'stale') known = { store, answer };
      else {
        const totals = new Map(ask.slots.map(({ name, total }, index) => [name, total + (answer.granted[index] ?? 0)]));
        known = { store: await this.#storeAfter(all, new Map([...booked, [ask.member, totals]])), answer };
      }
      next.set(id, known);
    }
    return known;
  }

  async #storeAfter(takes: readonly ShareAsk[], booked: StoreState['booked']): Promise<number> {
    const windows = [...this.#limits].map(([name, limit]) => ({
      ...{ name, limit, kept: 0, ttlMs: EVERYTHING, reading: -1, stretches: 'no' as const },
    }));
    const told = { slots: [], windows, held: 0 };
    const members = [...new Set(takes.map(({ member }) => member))].sort();
    const store = memoryStore(() => CLOCK);
    for (const ask of takes) await store.take(ask);
    const lacking: number[] = [];
    let used: readonly number[] = [];
    for (const member of ['nobody', ...members]) {
      const answer = await store.take(this.#askOf(member, EVERYTHING, 0, told));
      if (answer === 'stale') continue;
      used = answer.used;
      lacking.push(answer.others);
    }
    const sequences = new Map(takes.map(({ member, sequence }) => [member, sequence]));
    const accounts = members.map(
      (member) => `${member} ${sequences.get(member)} ${[...(booked.get(member) ?? [])].join(' ')}`,
    );
    return this.#stores.of(`${used} ${lacking} ${accounts.join()}`, () => ({ takes, used, booked, next: new Map() }));
  }
}

/** Numbers for things that are the same. */
class Interned<T> {
  readonly #ids = new Map<string, number>();
  readonly #all: T[] = [];

  of(key: string, make: () => T): number {
    let id = this.#ids.get(key);
    if (id === undefined) {
      id = this.#all.push(make()) - 1;
      this.#ids.set(key, id);
    }
    return id;
  }

  at(id: number): T {
    return this.#all[id] as T;
  }
}

/** What the last of these asks is answered by a store that took all of them. */
async function last(takes: readonly ShareAsk[]): Promise<Answer | 'stale'> {
  const store = memoryStore(() => CLOCK);
  let answer: Answer | 'stale' = 'stale';
  for (const ask of takes) answer = await store.take(ask);
  return answer;
}

function wishing(want: number): Parameters<Book['compose']>[0] {
  return { want, need: 1, slots: [], isLate: false, kept: () => 0, surplus: 0 };
}

function arrivalAt(time: number): TimeRange {
  return { least: time, most: time };
}

function nameOf(place: number, life: number): string {
  return `p${place}-${life}`;
}

function withProcess(state: State, place: number, change: Partial<Process>): State {
  return {
    ...state,
    processes: state.processes.map((process, index) => (index === place ? { ...process, ...change } : process)),
  };
}

function sorted(ids: readonly number[]): number[] {
  return [...ids].sort((a, b) => a - b);
}

function keyOf({ second, store, processes, messages, sent, deaths }: State): string {
  const all = processes.map(({ life, book, sequence }) => `${life} ${book} ${sequence}`);
  return `${second} ${store} ${deaths}|${all}|${messages}|${sent}`;
}

function pathOf(step: Step): string[] {
  const moves: string[] = [];
  for (let at: Step | undefined = step; at?.before; at = at.before) moves.unshift(at.move);
  return moves;
}
