/** So many endpoints are remembered. */
const MOST_ENDPOINTS = 64;

/** The pause of an endpoint lasts longer by this than that of all, in milliseconds, so that a call of another one probes the service. */
export const LONGER_MS = 100;

/** A pause of each endpoint that had one; of too many those that had theirs first are forgotten. */
export class EachEndpoint<T extends { readonly until: number }> {
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

  /** The latest end of all, in force or not. */
  get until(): number {
    let until = -Infinity;
    for (const one of this.#all.values()) until = Math.max(until, one.until);
    return until;
  }
}
