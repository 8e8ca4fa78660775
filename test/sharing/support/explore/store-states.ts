import type { Told } from '../../../../src/sharing/book.ts';
import { memoryStore } from '../../../../src/sharing/memory-store.ts';
import type { Answer, ShareAsk } from '../../../../src/sharing/store.ts';
import { BEGIN } from '../small.ts';
import { Interned } from './interned.ts';
import { EVERYTHING, type Small } from './rules.ts';

const CLOCK = BEGIN + 500;

/** What can be seen of a store: what is used of each window, what it has booked for each process, and which lack units. */
interface StoreState {
  readonly takes: readonly ShareAsk[];
  readonly used: readonly number[];
  readonly booked: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly next: Map<number, { readonly store: number; readonly answer: Answer | 'stale' }>;
}

/** The states of real stores. A store cannot be copied, so a state is the asks that it took. */
export class StoreStates {
  readonly #small: Small;
  readonly #limits: ReadonlyMap<string, number>;
  readonly #states = new Interned<StoreState>();
  readonly #asks = new Interned<ShareAsk>();

  constructor(small: Small, limits: ReadonlyMap<string, number>) {
    this.#small = small;
    this.#limits = limits;
  }

  at(id: number): StoreState {
    return this.#states.at(id);
  }

  /** The state of a store that was asked nothing. */
  async empty(): Promise<number> {
    return this.#after([], new Map());
  }

  /** The ask of a process that tells this of its book. */
  askOf(member: string, sequence: number, want: number, told: Told): ShareAsk {
    const { limit } = this.#small;
    return { member, sequence, version: 0, want, need: 1, size: limit, chunk: 1, stayMs: 1_500, urgent: 0, ...told };
  }

  /** What follows from an ask, and how it is answered. */
  async take(store: number, ask: ShareAsk): Promise<{ readonly store: number; readonly answer: Answer | 'stale' }> {
    const { takes, booked, next } = this.#states.at(store);
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
        known = { store: await this.#after(all, new Map([...booked, [ask.member, totals]])), answer };
      }
      next.set(id, known);
    }
    return known;
  }

  async #after(takes: readonly ShareAsk[], booked: StoreState['booked']): Promise<number> {
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
      const answer = await store.take(this.askOf(member, EVERYTHING, 0, told));
      if (answer === 'stale') continue;
      used = answer.used;
      lacking.push(answer.others);
    }
    const sequences = new Map(takes.map(({ member, sequence }) => [member, sequence]));
    const accounts = members.map(
      (member) => `${member} ${sequences.get(member)} ${[...(booked.get(member) ?? [])].join(' ')}`,
    );
    return this.#states.of(`${used} ${lacking} ${accounts.join()}`, () => ({ takes, used, booked, next: new Map() }));
  }
}

/** What the last of these asks is answered by a store that took all of them. */
async function last(takes: readonly ShareAsk[]): Promise<Answer | 'stale'> {
  const store = memoryStore(() => CLOCK);
  let answer: Answer | 'stale' = 'stale';
  for (const ask of takes) answer = await store.take(ask);
  return answer;
}
