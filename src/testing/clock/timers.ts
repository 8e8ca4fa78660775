/** A timer; `order` keeps timers for the same instant in the order in which they were set. */
interface Timer {
  readonly due: number;
  readonly order: number;
  fire: (() => void) | undefined;
}

/** So many cancelled timers are kept before they are removed. */
const MOST_CANCELLED = 1_024;

/** A binary heap of timers: setting and taking one costs O(log n), cancelling one O(1). */
export class Timers {
  #heap: Timer[] = [];
  #orders = 0;
  #cancelled = 0;

  /** Number of timers that are set and not cancelled. */
  get size(): number {
    return this.#heap.length - this.#cancelled;
  }

  /** When the next timer is due; `Infinity`: none is set. */
  get due(): number {
    for (let first = this.#heap[0]; first; first = this.#heap[0]) {
      if (first.fire) return first.due;
      this.#removeFirst();
      this.#cancelled--;
    }
    return Infinity;
  }

  /** Sets a timer, and returns a function that cancels it. */
  set(due: number, fire: () => void): () => void {
    const timer: Timer = { due, order: this.#orders++, fire };
    this.#heap.push(timer);
    this.#rise(this.#heap.length - 1);
    return () => {
      if (!timer.fire) return;
      timer.fire = undefined;
      if (++this.#cancelled > MOST_CANCELLED && this.#cancelled * 2 > this.#heap.length) this.#clearAway();
    };
  }

  /** Removes the next timer and fires it, unless it was cancelled. */
  ring(): void {
    if (this.due === Infinity) return;
    const timer = this.#removeFirst();
    const fire = timer?.fire;
    if (!timer || !fire) return;
    timer.fire = undefined;
    fire();
  }

  #removeFirst(): Timer | undefined {
    const first = this.#heap[0];
    const last = this.#heap.pop();
    if (last && last !== first) {
      this.#heap[0] = last;
      this.#sink(0);
    }
    return first;
  }

  #clearAway(): void {
    this.#heap = this.#heap.filter((timer) => timer.fire).sort((a, b) => (before(a, b) ? -1 : 1));
    this.#cancelled = 0;
  }

  #rise(from: number): void {
    const heap = this.#heap;
    const timer = heap[from] as Timer;
    let at = from;
    while (at > 0) {
      const up = (at - 1) >> 1;
      const parent = heap[up] as Timer;
      if (!before(timer, parent)) break;
      heap[at] = parent;
      at = up;
    }
    heap[at] = timer;
  }

  #sink(from: number): void {
    const heap = this.#heap;
    const timer = heap[from] as Timer;
    let at = from;
    for (;;) {
      let down = 2 * at + 1;
      const left = heap[down];
      const right = heap[down + 1];
      if (!left) break;
      let child = left;
      if (right && before(right, left)) {
        child = right;
        down++;
      }
      if (!before(child, timer)) break;
      heap[at] = child;
      at = down;
    }
    heap[at] = timer;
  }
}

function before(a: Timer, b: Timer): boolean {
  return a.due < b.due || (a.due === b.due && a.order < b.order);
}
