import type { Ask } from './quota/admission.ts';
import type { Plan } from './quota/estimate.ts';

/** Calls of one kind. */
interface Kind {
  readonly name: string;
  readonly plan: Omit<Plan, 'count'>;
  readonly priority: number;
  count: number;
}

/** The calls that were made and are not over, counted by kind: what is ahead of a call that comes now. */
export class Census {
  /** By all that makes a kind: a caller may have as many costs and priorities as calls. */
  readonly #kinds = new Map<string, Kind>();
  readonly #calls = new Set<Promise<unknown>>();

  /** Counts a call until it is over. */
  count<T>({ endpoint, cost, priority = 0 }: Ask, call: Promise<T>): Promise<T> {
    const name = `${priority} ${cost} ${endpoint}`;
    const kind = this.#kinds.get(name) ?? { name, plan: { endpoint, cost }, priority, count: 0 };
    if (++kind.count === 1) this.#kinds.set(name, kind);
    this.#calls.add(call);
    const leave = (): void => {
      this.#calls.delete(call);
      if (--kind.count === 0) this.#kinds.delete(kind.name);
    };
    call.then(leave, leave);
    return call;
  }

  /** Resolves when the calls that were made so far are over, well or not. */
  async over(): Promise<void> {
    await Promise.allSettled(this.#calls);
  }

  /**
   * The calls that wait and go before one of this priority.
   *
   * @param inFlight - how many are under way and so need no more quota; of which kinds is not known, so the commonest.
   */
  ahead(priority: number, inFlight: number): readonly Plan[] {
    const kinds = [...this.#kinds.values()].sort((one, other) => other.count - one.count);
    let under = inFlight;
    return kinds.flatMap(({ priority: theirs, count, plan }) => {
      const gone = Math.min(under, count);
      under -= gone;
      return theirs >= priority && count > gone ? [{ ...plan, count: count - gone }] : [];
    });
  }
}
