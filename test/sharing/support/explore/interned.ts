/** Numbers for things that are the same. */
export class Interned<T> {
  readonly #ids = new Map<string, number>();
  readonly #all: T[] = [];

  of(key: string, make: () => T): number {
    let id = this.#ids.get(key);
    if (id === undefined) {
      id = this.#all.push(make()) - 1;
      this.#ids.set(key, id);
    }
    return id;
  }

  at(id: number): T {
    return this.#all[id] as T;
  }
}
