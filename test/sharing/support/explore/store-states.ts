import type { Told } from '../../../../src/sharing/ledger/book.ts';
import { memoryStore } from '../../../../src/sharing/store/memory-store.ts';
import type { Answer, ShareAsk } from '../../../../src/sharing/store/store.ts';
import { BEGIN } from '../small.ts';
import type { Calendar } from './calendar.ts';
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
  readonly #calendar: Calendar;
  readonly #states = new Interned<StoreState>();
  readonly #asks = new Interned<ShareAsk>();

  constructor(small: Small, calendar: Calendar) {
    this.#small = small;
    this.#calendar = calendar;
  }

  at(id: number): StoreState {
    return this.#states.at(id);
  }

  /** The state of a store that was told only what is used before the world begins. */
  async empty(): Promise<number> {
    const { usedBefore: total, steps, slots } = this.#calendar;
    if (total === 0) return this.#after([], new Map());
    const first = steps.findIndex(({ name }) => name === slots[0]?.instances[0]?.name);
    const told = {
      slots: [{ name: '0', total, wish: 0 as const, to: 0, windows: [first] }],
      windows: this.#windows,
      held: 0,
      oldestMs: 0,
    };
    return this.#after([this.askOf('earlier', 1, 0, told)], new Map());
  }

  /** The ask of a process that tells this of its book. */
  askOf(member: string, sequence: number, want: number, told: Told): ShareAsk {
    const { limit } = this.#small;
    const terms = { version: 0, need: 1, size: limit, chunk: 1, stayMs: 1_500, urgent: 0, usual: 0, recentSince: 0 };
    return { ...terms, member, sequence, want, ...told };
  }

  /** What follows from an ask, and how it is answered. */
  async take(store: number, ask: ShareAsk): Promise<{ readonly store: number; readonly answer: Answer | 'stale' }> {
    const { takes, booked, next } = this.#states.at(store);
    const id = this.#asks.of(JSON.stringify(ask), () => ask);
    let known = next.get(id);
    if (!known) {
      const all = [...takes, this.#mistaken(ask, takes.length)];
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

  /** The ask by which a store does the same as one with the planted mistake. */
  #mistaken(ask: ShareAsk, takes: number): ShareAsk {
    const { slots, windows } = ask;
    const isExpecting = slots.some(({ wish }) => wish === 3);
    const drainingBy = (drain: number): ShareAsk => ({
      ...ask,
      windows: windows.map((window) => (window.drain ? { ...window, drain } : window)),
    });
    switch (this.#small.bug) {
      case 'the store ignores the sequence':
        // Each ask is the newest to it.
        return { ...ask, sequence: takes + 1 };
      case 'calls that are expected get whatever is free':
        return { ...ask, slots: slots.map((slot) => (slot.wish === 3 ? { ...slot, wish: 2 } : slot)) };
      case 'a call leaves half of the windows free':
        if (!isExpecting) return ask;
        return { ...ask, windows: windows.map((window) => ({ ...window, kept: Math.ceil(window.limit / 2) })) };
      case 'steps hold their own units alone':
        return drainingBy(0);
      case 'what is used of a step drains too slowly':
        return drainingBy(1);
      default:
        return ask;
    }
  }

  get #windows(): ShareAsk['windows'] {
    return [...this.#calendar.instances.values()].map(({ name, limit, drain }) => ({
      ...{ name, limit, kept: 0, ttlMs: EVERYTHING, reading: -1, bounds: 'below' as const },
      ...(drain === undefined ? {} : { drain }),
    }));
  }

  async #after(takes: readonly ShareAsk[], booked: StoreState['booked']): Promise<number> {
    const told = { slots: [], windows: this.#windows, held: 0, oldestMs: 0 };
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
