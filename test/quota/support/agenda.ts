interface Entry {
  readonly at: number;
  readonly place: number;
  readonly act: () => void;
}

/** What is to happen in virtual time, in milliseconds. Things of one instant happen in the order they were put down. */
export class Agenda {
  readonly #heap: Entry[] = [];
  #now = 0;
  #places = 0;

  get now(): number {
    return this.#now;
  }

  /** Lets `act` happen at `instant`, or at once where that has passed. */
  at(instant: number, act: () => void): void {
    const entry = { at: Math.max(this.#now, instant), place: this.#places++, act };
    let hole = this.#heap.length;
    while (hole > 0) {
      const above = (hole - 1) >> 1;
      if (!this.#isSooner(entry, this.#heap[above])) break;
      this.#move(above, hole);
      hole = above;
    }
    this.#heap[hole] = entry;
  }

  /** Lets things happen until nothing is left to happen, or `isOver`. */
  run(isOver: () => boolean = () => false): void {
    while (!isOver()) {
      const next = this.#take();
      if (!next) return;
      this.#now = next.at;
      next.act();
    }
  }

  #take(): Entry | undefined {
    const first = this.#heap[0];
    const last = this.#heap.pop();
    if (!first || !last || this.#heap.length === 0) return first;
    let hole = 0;
    for (;;) {
      const left = 2 * hole + 1;
      const below = this.#isSooner(this.#heap[left + 1], this.#heap[left]) ? left + 1 : left;
      if (!this.#isSooner(this.#heap[below], last)) break;
      this.#move(below, hole);
      hole = below;
    }
    this.#heap[hole] = last;
    return first;
  }

  #move(from: number, to: number): void {
    const entry = this.#heap[from];
    if (entry) this.#heap[to] = entry;
  }

  #isSooner(one: Entry | undefined, other: Entry | undefined): boolean {
    if (!one || !other) return one !== undefined;
    return one.at < other.at || (one.at === other.at && one.place < other.place);
  }
}
