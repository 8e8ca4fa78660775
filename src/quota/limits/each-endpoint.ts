/** So many endpoints are remembered. */
const MOST_ENDPOINTS = 64;

/** The pause of an endpoint lasts longer by this than that of all, in milliseconds, so that a call of another one probes the service. */
export const LONGER_MS = 100;

/** What each endpoint has of its own, such as a pause; of too many those that had theirs first are forgotten. */
export class EachEndpoint<T> {
  readonly #make: (endpoint: string) => T;
  readonly #all = new Map<string | undefined, T>();

  constructor(make: (endpoint: string) => T) {
    this.#make = make;
  }

  /** That of an endpoint, if it has one. */
  get(endpoint: string | undefined): T | undefined {
    return this.#all.get(endpoint);
  }

  /** That of an endpoint, which has one from now on. */
  of(endpoint: string): T {
    const known = this.#all.get(endpoint);
    if (known) return known;
    const [first] = this.#all.keys();
    if (this.#all.size >= MOST_ENDPOINTS) this.#all.delete(first);
    const made = this.#make(endpoint);
    this.#all.set(endpoint, made);
    return made;
  }

  /** Those of all endpoints. */
  get all(): Iterable<T> {
    return this.#all.values();
  }
}

/** The latest end of the pauses of endpoints, in force or not. */
export function latestEnd(pauses: EachEndpoint<{ readonly until: number }>): number {
  let latest = -Infinity;
  for (const { until } of pauses.all) latest = Math.max(latest, until);
  return latest;
}
