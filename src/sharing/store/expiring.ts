import type { StoredEntries } from './stored-state.ts';

/** Entries that each write checks, so that expired ones do not accumulate. */
const SWEPT = 2;

/** A map whose entries expire. Expired entries are dropped when they are read, or within a number of writes. */
export class Expiring<T> {
  readonly #entries = new Map<string, { readonly value: T; readonly until: number }>();
  #turn = this.#entries.entries();

  /** Number of entries, including expired ones that were not dropped yet. */
  get size(): number {
    return this.#entries.size;
  }

  /** All entries, with when each expires. */
  get entries(): StoredEntries {
    return Array.from(this.#entries, ([name, { value, until }]) => [name, value, until]);
  }

  /** Replaces all entries. */
  restore(entries: StoredEntries): void {
    this.clear();
    for (const [name, value, until] of entries) this.#entries.set(name, { value: value as T, until });
  }

  get(name: string, now: number): T | undefined {
    const entry = this.#entries.get(name);
    if (!entry) return undefined;
    if (entry.until > now) return entry.value;
    this.#entries.delete(name);
    return undefined;
  }

  set(name: string, value: T, lastsMs: number, now: number): void {
    this.#entries.set(name, { value, until: now + lastsMs });
    for (let count = 0; count < SWEPT; count++) this.#sweep(now);
  }

  delete(name: string): void {
    this.#entries.delete(name);
  }

  clear(): void {
    this.#entries.clear();
  }

  #sweep(now: number): void {
    let next = this.#turn.next();
    if (next.done) {
      this.#turn = this.#entries.entries();
      next = this.#turn.next();
    }
    if (next.value && next.value[1].until <= now) this.#entries.delete(next.value[0]);
  }
}
