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

/** Calls of one priority, in the order of their places. */
class Rank {
  readonly priority: number;
  readonly #returned: Entry[] = [];
  #entries: (Entry | undefined)[] = [];
  #head = 0;

  constructor(priority: number) {
    this.priority = priority;
  }

  push(entry: Entry): void {
    this.#entries.push(entry);
  }

  /** Sorted in from behind: those that come back together come back in order. */
  putBack(entry: Entry): void {
    let at = this.#returned.length;
    while (at > 0 && (this.#returned[at - 1]?.place ?? 0) > entry.place) at--;
    this.#returned.splice(at, 0, entry);
  }

  shift(): Entry | undefined {
    if (this.#returned.length > 0) return this.#returned.shift();
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

  get isEmpty(): boolean {
    return this.#returned.length === 0 && this.#entries.length === 0;
  }

  *[Symbol.iterator](): Generator<Entry> {
    yield* this.#returned;
    for (const entry of this.#entries) if (entry) yield entry;
  }
}

/** A queue for p-queue in which joining, leaving and stepping up cost O(1), and O(log n) in the number of distinct priorities. */
export class RankedQueue {
  readonly #ranks = new Map<number, Rank>();
  /** A binary heap of the ranks, the highest priority at its root. */
  readonly #heap: Rank[] = [];
  readonly #left = new Set<string>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  enqueue(run: Run, standing: Partial<Standing> = {}): void {
    const priority = standing.priority ?? 0;
    let rank = this.#ranks.get(priority);
    if (!rank) {
      rank = new Rank(priority);
      this.#ranks.set(priority, rank);
      this.#rise(rank);
    }
    const entry = { run, id: standing.id, place: standing.place ?? 0 };
    if (standing.isReturning) rank.putBack(entry);
    else rank.push(entry);
    this.#size++;
  }

  dequeue(): Run | undefined {
    for (let rank = this.#heap[0]; rank; rank = this.#heap[0]) {
      const entry = rank.shift();
      if (rank.isEmpty) this.#sinkRoot();
      if (!entry || (entry.id !== undefined && this.#left.delete(entry.id))) continue;
      this.#size--;
      return entry.run;
    }
    return undefined;
  }

  /** Marks it as gone; its entry is passed over when its turn comes. */
  remove(id: string): void {
    this.#left.add(id);
    this.#size--;
  }

  filter({ priority }: Readonly<Partial<Standing>>): Run[] {
    const rank = this.#ranks.get(priority ?? 0) ?? [];
    return Array.from(rank, (entry) => entry).flatMap(({ id, run }) => (id && this.#left.has(id) ? [] : [run]));
  }

  setPriority(): never {
    throw new Error('A call keeps the priority that it came with.');
  }

  #rise(rank: Rank): void {
    let at = this.#heap.push(rank) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = this.#heap[parent];
      if (!above || above.priority >= rank.priority) break;
      this.#heap[at] = above;
      at = parent;
    }
    this.#heap[at] = rank;
  }

  #sinkRoot(): void {
    const [root] = this.#heap;
    if (root) this.#ranks.delete(root.priority);
    const rank = this.#heap.pop();
    if (!rank || this.#heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      const right = this.#heap[child + 1];
      if (right && right.priority > (this.#heap[child]?.priority ?? right.priority)) child++;
      const below = this.#heap[child];
      if (!below || below.priority <= rank.priority) break;
      this.#heap[at] = below;
      at = child;
    }
    this.#heap[at] = rank;
  }
}
