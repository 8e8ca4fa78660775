import type { Answer, ShareAsk } from '../../../../src/sharing/store/store.ts';

export interface Process {
  /** Counts the processes that have had this place. */
  readonly life: number;
  /** State of the book; -1: it is dead. */
  readonly book: number;
  readonly sequence: number;
}

export interface State {
  readonly second: number;
  /** State of the store. */
  readonly store: number;
  readonly processes: readonly Process[];
  /** Numbers of the messages that are under way, in their order. */
  readonly messages: readonly number[];
  /** Units that were sent in each second. */
  readonly sent: readonly number[];
  readonly deaths: number;
}

export interface Message {
  readonly place: number;
  readonly life: number;
  readonly sequence: number;
  readonly ask?: ShareAsk;
  readonly answer?: Answer | 'stale';
}

export function nameOf(place: number, life: number): string {
  return `p${place}-${life}`;
}

export function withProcess(state: State, place: number, change: Partial<Process>): State {
  return {
    ...state,
    processes: state.processes.map((process, index) => (index === place ? { ...process, ...change } : process)),
  };
}

/** Messages arrive in any order, so in whichever they left is no matter. */
export function sorted(ids: readonly number[]): number[] {
  return [...ids].sort((a, b) => a - b);
}

/** Equal for states that cannot be told apart. */
export function keyOf({ second, store, processes, messages, sent, deaths }: State): string {
  const all = processes.map(({ life, book, sequence }) => `${life} ${book} ${sequence}`);
  return `${second} ${store} ${deaths}|${all}|${messages}|${sent}`;
}
