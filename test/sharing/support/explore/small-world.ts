import { seeded } from '../../../../src/testing/index.ts';
import { BookStates } from './book-states.ts';
import { Calendar } from './calendar.ts';
import { Moves } from './moves.ts';
import type { Small } from './rules.ts';
import { Soundness } from './soundness.ts';
import { keyOf, type State } from './state.ts';
import { StoreStates } from './store-states.ts';

/** What came of it. */
export interface Found {
  readonly states: number;
  /** States with nothing under way, in each of which the books were held against what was sent. */
  readonly atRest: number;
  /** Whether every state that can be reached was seen. */
  readonly isAll: boolean;
  readonly violation?: { readonly what: string; readonly moves: readonly string[] };
}

interface Step {
  readonly state: State;
  readonly move: string;
  readonly before: Step | undefined;
}

/** A small world of real books and a real store. States that cannot be told apart are one, and what follows from one is worked out once. */
export class SmallWorld {
  readonly #small: Small;
  readonly #books: BookStates;
  readonly #stores: StoreStates;
  readonly #moves: Moves;
  readonly #soundness: Soundness;

  constructor(small: Small) {
    this.#small = small;
    const calendar = new Calendar(small);
    this.#books = new BookStates(calendar, small);
    this.#stores = new StoreStates(small, calendar);
    this.#moves = new Moves(small, this.#books, this.#stores);
    this.#soundness = new Soundness(small, calendar, this.#books, this.#stores);
  }

  /** Tries all moves in all orders, until so many states were seen. */
  async explore(most: number): Promise<Found> {
    const seen = new Set<string>();
    let level: Step[] = [{ state: await this.#start(), move: '', before: undefined }];
    while (level.length > 0) {
      const next: Step[] = [];
      for (const step of level) {
        const complaint = await this.#soundness.complaintOf(step.state);
        if (complaint) return this.#found(seen.size, false, { what: complaint, moves: pathOf(step) });
        for (const [move, follow] of this.#moves.of(step.state)) {
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
        const all = this.#moves.of(step.state);
        // Else everybody is dead, everything lost and time over before anything has happened.
        const moves = all.filter(([name]) => !/dies|lost|over/.test(name) || random() < 0.15);
        const [move, follow] = moves[Math.floor(random() * moves.length)] ?? [];
        if (move === undefined || !follow) continue;
        step = { state: await follow(), move, before: step };
        seen.add(keyOf(step.state));
        const complaint = await this.#soundness.complaintOf(step.state);
        if (complaint) return this.#found(seen.size, false, { what: complaint, moves: pathOf(step) });
      }
    }
    return this.#found(seen.size, false);
  }

  #found(states: number, isAll: boolean, violation?: NonNullable<Found['violation']>): Found {
    return { states, atRest: this.#soundness.atRest, isAll, ...(violation ? { violation } : {}) };
  }

  async #start(): Promise<State> {
    const book = this.#books.empty;
    const store = await this.#stores.empty();
    const { processes, seconds } = this.#small;
    return {
      ...{ second: 0, store, messages: [], sent: new Array<number>(seconds).fill(0), deaths: 0 },
      processes: Array.from({ length: processes }, () => ({ life: 0, book, sequence: 0 })),
    };
  }
}

function pathOf(step: Step): string[] {
  const moves: string[] = [];
  for (let at: Step | undefined = step; at?.before; at = at.before) moves.unshift(at.move);
  return moves;
}
