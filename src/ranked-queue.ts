type Run = () => Promise<unknown>;

/** Where a call stands: first by priority, then by the place it drew when it first came. */
export interface Standing {
  readonly priority?: number;
  readonly place?: number;
  /** Whether it stood in the line before: it keeps its place, in front of those that came later. */
  readonly isReturning?: boolean;
  readonly id?: string;
  readonly signal?: AbortSignal;
}

interface Entry {
  readonly run: Run;
  readonly id: string | undefined;
  readonly place: number;
}

/** Entries that leave at the head. `Array.shift` would move all the others each time. */
class Row {
  #entries: (Entry | undefined)[] = [];
  #head = 0;

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  push(entry: Entry): void {
    this.#entries.push(entry);
  }

  /** Sorted in by place, sought from behind: those that come together come in order. */
  insert(entry: Entry): void {
    let at = this.#entries.length;
    while (at > this.#head && (this.#entries[at - 1]?.place ?? 0) > entry.place) at--;
    this.#entries.splice(at, 0, entry);
  }

  shift(): Entry | undefined {
    const entry = this.#entries[this.#head];
    this.#entries[this.#head++] = undefined;
    if (this.#head >= this.#entries.length) {
      this.#entries = [];
      this.#head = 0;
    } else if (this.#head > 4_096 && this.#head * 2 > this.#entries.length) {
      this.#entries.splice(0, this.#head);
      this.#head = 0;
    }
    return entry;
  }

  keep(stays: (entry: Entry) => boolean): void {
    this.#entries = this.#entries.filter((entry) => entry && stays(entry));
    this.#head = 0;
  }

  *[Symbol.iterator](): Generator<Entry> {
    for (const entry of this.#entries) if (entry) yield entry;
  }
}

/** Calls of one priority. Those that return left before the newcomers came, so they go before them. */
class Rank {
  readonly newcomers: Row = new Row();
  readonly returned: Row = new Row();

  get isEmpty(): boolean {
    return this.returned.isEmpty && this.newcomers.isEmpty;
  }

  shift(): Entry | undefined {
    return (this.returned.isEmpty ? this.newcomers : this.returned).shift();
  }
}

/** Entries that left their places empty are cleared away when they are more than the others, and more than this. */
const LITTER = 64;

/** A queue for p-queue in which joining, leaving and stepping up cost O(1), and O(log n) in the number of distinct priorities. */
export class RankedQueue {
  readonly #ranks = new Map<number, Rank>();
  /** A binary heap of the priorities that have a rank, the highest at its root. */
  readonly #heap: number[] = [];
  readonly #left = new Set<string>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  enqueue(run: Run, { priority = 0, place = 0, isReturning = false, id }: Partial<Standing> = {}): void {
    let rank = this.#ranks.get(priority);
    if (!rank) {
      rank = new Rank();
      this.#ranks.set(priority, rank);
      this.#rise(priority);
    }
    if (isReturning) rank.returned.insert({ run, id, place });
    else rank.newcomers.push({ run, id, place });
    this.#size++;
  }

  dequeue(): Run | undefined {
    for (let priority = this.#heap[0]; priority !== undefined; priority = this.#heap[0]) {
      const rank = this.#ranks.get(priority);
      const entry = rank?.shift();
      if (!rank || rank.isEmpty) this.#dropRoot(priority);
      if (!entry || this.#hasLeft(entry)) continue;
      this.#size--;
      return entry.run;
    }
    return undefined;
  }

  /** Marks it as gone; its entry is passed over when its turn comes, or cleared away with others before. */
  remove(id: string): void {
    this.#left.add(id);
    this.#size--;
    if (this.#left.size > LITTER && this.#left.size > this.#size) this.#clearAway();
  }

  filter({ priority = 0 }: Readonly<Partial<Standing>>): Run[] {
    const { returned = [], newcomers = [] } = this.#ranks.get(priority) ?? {};
    return [...returned, ...newcomers].filter(({ id = '' }) => !this.#left.has(id)).map(({ run }) => run);
  }

  setPriority(): never {
    throw new Error('A call keeps the priority that it came with.');
  }

  #hasLeft({ id }: Entry): boolean {
    return id !== undefined && this.#left.delete(id);
  }

  #clearAway(): void {
    const stays = (entry: Entry): boolean => !this.#hasLeft(entry);
    this.#heap.length = 0;
    for (const [priority, rank] of this.#ranks) {
      rank.returned.keep(stays);
      rank.newcomers.keep(stays);
      if (rank.isEmpty) this.#ranks.delete(priority);
      else this.#rise(priority);
    }
  }

  #rise(priority: number): void {
    const heap = this.#heap;
    let at = heap.push(priority) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || above >= priority) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = priority;
  }

  #dropRoot(root: number): void {
    this.#ranks.delete(root);
    const heap = this.#heap;
    const priority = heap.pop();
    if (priority === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      let below = heap[child];
      const right = heap[child + 1];
      if (below !== undefined && right !== undefined && right > below) {
        below = right;
        child++;
      }
      if (below === undefined || below <= priority) break;
      heap[at] = below;
      at = child;
    }
    heap[at] = priority;
  }
}
