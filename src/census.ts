import type { Ask } from './quota/admission.ts';
import type { Plan } from './quota/estimate.ts';

/** Calls of one kind. */
interface Kind extends Plan {
  readonly priority: number;
  count: number;
}

/** The calls that were made and are not over, counted by kind: what is ahead of a call that comes now. */
export class Census {
  readonly #kinds = new Map<string, Kind[]>();
  readonly #calls = new Set<Promise<unknown>>();

  /** Counts a call until it is over. */
  count<T>(ask: Ask, call: Promise<T>): Promise<T> {
    this.#join(ask);
    this.#calls.add(call);
    const leave = (): void => {
      this.#calls.delete(call);
      this.#leave(ask);
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
    const plans = [...this.#kinds.values()].flat().sort((one, other) => other.count - one.count);
    let under = inFlight;
    return plans.flatMap(({ priority: theirs, count, ...plan }) => {
      const gone = Math.min(under, count);
      under -= gone;
      return theirs >= priority && count > gone ? [{ ...plan, count: count - gone }] : [];
    });
  }

  #join({ endpoint, cost, priority = 0 }: Ask): void {
    const kinds = this.#kinds.get(endpoint);
    const known = kinds?.find((kind) => kind.cost === cost && kind.priority === priority);
    if (known) known.count++;
    else if (kinds) kinds.push({ endpoint, cost, priority, count: 1 });
    else this.#kinds.set(endpoint, [{ endpoint, cost, priority, count: 1 }]);
  }

  #leave({ endpoint, cost, priority = 0 }: Ask): void {
    const kinds = this.#kinds.get(endpoint) ?? [];
    const at = kinds.findIndex((kind) => kind.cost === cost && kind.priority === priority);
    const kind = kinds[at];
    if (!kind || --kind.count > 0) return;
    kinds.splice(at, 1);
    if (kinds.length === 0) this.#kinds.delete(endpoint);
  }
}
