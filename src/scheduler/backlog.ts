import type { Ask } from '../quota/admission.ts';
import type { Plan } from '../quota/forecast/estimate.ts';

/** Calls of one kind. */
export interface CallKind {
  readonly name: string;
  readonly plan: Omit<Plan, 'count'>;
  readonly priority: number;
  count: number;
}

/** The calls that were made and are not finished, counted by kind: what is ahead of a call that is made now. */
export class Backlog {
  /** By all that makes a kind: a caller may have as many costs and priorities as calls. */
  readonly #kinds = new Map<string, CallKind>();
  readonly #onDrained: () => void;
  #calls = 0;
  #onEmpty: (() => void)[] = [];

  /** @param onDrained - called whenever no call is left. */
  constructor(onDrained: () => void = () => {}) {
    this.#onDrained = onDrained;
  }

  /** A call was made; its kind is to be passed to {@link remove} when it is finished. */
  add({ endpoint, cost, priority = 0 }: Ask): CallKind {
    const name = `${priority} ${cost} ${endpoint}`;
    const kind = this.#kinds.get(name) ?? { name, plan: { endpoint, cost }, priority, count: 0 };
    if (++kind.count === 1) this.#kinds.set(name, kind);
    this.#calls++;
    return kind;
  }

  /** A call of this kind is finished, well or not. */
  remove(kind: CallKind): void {
    if (--kind.count === 0) this.#kinds.delete(kind.name);
    if (--this.#calls > 0) return;
    this.#onDrained();
    for (const tell of this.#onEmpty.splice(0)) tell();
  }

  /** Resolves when no call is left. */
  drained(): Promise<void> {
    return this.#calls === 0 ? Promise.resolve() : new Promise((resolve) => this.#onEmpty.push(resolve));
  }

  /**
   * The calls that wait and go before one of this priority.
   *
   * @param inFlight - how many are under way and so need no more quota; of which kinds is not known, so the commonest.
   */
  aheadOf(priority: number, inFlight: number): readonly Plan[] {
    const kinds = [...this.#kinds.values()].sort((one, other) => other.count - one.count);
    let under = inFlight;
    return kinds.flatMap(({ priority: theirs, count, plan }) => {
      const gone = Math.min(under, count);
      under -= gone;
      return theirs >= priority && count > gone ? [{ ...plan, count: count - gone }] : [];
    });
  }
}
