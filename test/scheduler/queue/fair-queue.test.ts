import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FairQueue, type QueueEntry } from '../../../src/scheduler/queue/fair-queue.ts';
import { referenced } from '../../support/garbage.ts';

interface Waiting {
  readonly name: number;
  readonly priority: number;
  readonly place: number;
}

/** The naive line: sorted anew for each call, and now and then the entry that has waited longest is taken. */
class NaiveLine {
  waiting: readonly Waiting[] = [];
  #passes = 0;

  call(): Waiting | undefined {
    const [first] = this.waiting.toSorted((a, b) => b.priority - a.priority || a.place - b.place);
    const [eldest] = this.waiting.toSorted((a, b) => a.place - b.place);
    if (!first || !eldest) return undefined;
    const one = this.#passes === 31 ? eldest : first;
    this.#passes = this.#passes === 31 ? 0 : this.#passes + (first === eldest ? 0 : 1);
    this.waiting = this.waiting.filter((other) => other !== one);
    return one;
  }
}

function drained<T>(queue: FairQueue<T>): readonly T[] {
  const items: T[] = [];
  for (let called = queue.dequeue(); called; called = queue.dequeue()) items.push(called.item);
  return items;
}

/** A number that counts how often it is compared. */
class Counted {
  static comparisons = 0;
  readonly #value: number;
  constructor(value: number) {
    this.#value = value;
  }
  valueOf(): number {
    Counted.comparisons++;
    return this.#value;
  }
}

describe('the fair queue', () => {
  it('the queue takes the highest priority first, and within a priority the entry that came first', () => {
    const queue = new FairQueue<string>();
    const coming = [
      ['a', 0],
      ['b', 5],
      ['c', 0],
      ['d', -1],
      ['e', 5],
    ] as const;
    for (const [place, [name, priority]] of coming.entries()) queue.enqueue(name, priority, place);
    expect(queue.highest).toBe(5);
    expect(drained(queue)).toEqual(['b', 'e', 'a', 'c', 'd']);
  });

  it('an entry that returns goes by the ticket that it had when it first came', () => {
    const queue = new FairQueue<string>();
    for (const place of [9, 4, 2, 7, 3]) queue.enqueue(`place ${place}`, 0, place);
    queue.enqueue('urgent', 1, 10);
    expect(drained(queue)).toEqual(['urgent', 'place 2', 'place 3', 'place 4', 'place 7', 'place 9']);
  });

  it('an empty queue has no first entry', () => {
    const queue = new FairQueue();
    expect(queue.dequeue()).toBeUndefined();
    expect([queue.size, queue.highest]).toEqual([0, -Infinity]);
  });

  it('no entry leaves the queue twice', () => {
    const queue = new FairQueue<string>();
    const entry = queue.enqueue('a', 0, 0);
    queue.enqueue('b', 0, 1);
    for (let times = 0; times < 2; times++) queue.remove(entry);
    expect([queue.size, drained(queue)]).toEqual([1, ['b']]);
  });

  it('the queue takes entries that have aged elsewhere before all others', () => {
    const queue = new FairQueue<string>();
    queue.enqueue('urgent', 9, 0);
    queue.enqueue('younger', 0, 2, true);
    queue.enqueue('older', -5, 1, true);
    expect(queue.highest).toBe(9);
    expect(queue.dequeue()).toEqual({ item: 'older', priority: -5, byAge: true });
    expect(queue.dequeue()).toEqual({ item: 'younger', priority: 0, byAge: true });
    expect(queue.dequeue()).toEqual({ item: 'urgent', priority: 9, byAge: false });
  });

  const step = fc.oneof(
    fc.record({ join: fc.array(fc.integer({ min: -3, max: 3 }), { maxLength: 60 }) }),
    fc.record({ leave: fc.array(fc.nat(), { maxLength: 60 }) }),
    fc.record({ call: fc.nat(20), return: fc.nat(3) }),
  );

  it('the queue behaves as a list that is sorted anew at each step, whichever entries join, return, leave and are taken', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
        const queue = new FairQueue<Waiting>();
        const naive = new NaiveLine();
        const entries = new Map<Waiting, QueueEntry<Waiting>>();
        let tickets = 0;
        const join = (one: Waiting): void => {
          entries.set(one, queue.enqueue(one, one.priority, one.place));
          naive.waiting = [...naive.waiting, one];
        };
        for (const now of steps) {
          if ('join' in now) {
            for (const priority of now.join) join({ name: tickets, priority, place: tickets++ });
          } else if ('leave' in now) {
            const gone = new Set(now.leave.map((at) => naive.waiting[at % naive.waiting.length]));
            for (const one of gone) {
              const entry = one && entries.get(one);
              if (entry) queue.remove(entry);
            }
            naive.waiting = naive.waiting.filter((one) => !gone.has(one));
          } else {
            const called: Waiting[] = [];
            for (let times = 0; times < now.call; times++) {
              const one = naive.call();
              expect(queue.dequeue()?.item).toBe(one);
              if (one) called.push(one);
            }
            for (const one of called.slice(0, now.return)) join(one);
          }
          expect(queue.size).toBe(naive.waiting.length);
        }
        for (let one = naive.call(); one; one = naive.call()) expect(queue.dequeue()?.item).toBe(one);
        expect(queue.dequeue()).toBeUndefined();
      }),
    );
  });

  it('the queue compares no more than a heap does: 20,000 distinct priorities in and out', () => {
    const COUNT = 20_000;
    const queue = new FairQueue<number>();
    const values = Array.from({ length: COUNT }, (_, at) => (at * 7_919) % COUNT);
    Counted.comparisons = 0;
    for (const [place, value] of values.entries()) queue.enqueue(value, new Counted(value) as unknown as number, place);
    expect(drained(queue).toSorted((a, b) => b - a)).toEqual(values.toSorted((a, b) => b - a));
    // Up once and down once, at most two comparisons to a level, of up to two pairs of operands each.
    expect(Counted.comparisons).toBeLessThan(16 * COUNT * Math.log2(COUNT));
    expect(Counted.comparisons).toBeGreaterThan(COUNT);
  });

  it('the queue keeps no entries that have left or were taken, though others stay', async () => {
    const queue = new FairQueue<object>();
    const items: WeakRef<object>[] = [];
    queue.enqueue({ name: 'stays' }, -9, 0);
    for (let place = 1; place <= 10_000; place++) {
      const item = { place };
      items.push(new WeakRef(item));
      const entry = queue.enqueue(item, place % 3, place);
      if (place % 2 === 0) queue.dequeue();
      else queue.remove(entry);
    }
    expect(await referenced(items, 99)).toBeLessThan(100);
  });

  it('the queue drops the entries of calls that left, though the first stays', async () => {
    const queue = new FairQueue<number>();
    queue.enqueue(0, 9, 0);
    const left = Array.from({ length: 10_000 }, (_, place) => {
      const entry = queue.enqueue(place, place % 3, place + 1);
      queue.remove(entry);
      return new WeakRef(entry);
    });
    expect(await referenced(left, 99)).toBeLessThan(100);
  });

  it('the queue is not searched for empty entries more often than that: 100,000 leave one by one', () => {
    const queue = new FairQueue<number>();
    const entries = Array.from({ length: 100_000 }, (_, place) => queue.enqueue(place, place % 7, place));
    const moved = countMoves(() => {
      for (const entry of entries) queue.remove(entry);
    });
    expect(queue.size).toBe(0);
    expect(moved).toBeLessThan(8 * entries.length);
  });
});

describe('aging', () => {
  const stream = fc.infiniteStream(fc.record({ priority: fc.integer({ min: 1, max: 9 }), newcomers: fc.nat(3) }));

  /** Takes entries out while more urgent ones come, at least one at a time. Returns those taken out until none of the low ones waits. */
  function run(low: readonly number[], coming: IterableIterator<{ priority: number; newcomers: number }>) {
    const queue = new FairQueue<'low' | 'high'>();
    let tickets = 0;
    const lowPlaces: number[] = [];
    for (const priority of low) {
      lowPlaces.push(tickets);
      queue.enqueue('low', priority, tickets++);
    }
    const order: { item: 'low' | 'high'; byAge: boolean }[] = [];
    for (let left = low.length; left > 0; ) {
      const { priority, newcomers } = coming.next().value as { priority: number; newcomers: number };
      for (let more = 0; more < Math.max(1, newcomers); more++) queue.enqueue('high', priority, tickets++);
      const called = queue.dequeue();
      if (!called) break;
      order.push(called);
      if (called.item === 'low') left--;
      if (order.length > 100_000) break;
    }
    return order;
  }

  it('an entry below an endless stream of higher ones has a turn: of 32 turns one goes to the oldest, and no more than one', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -9, max: 0 }), { minLength: 1, maxLength: 40 }), stream, (low, coming) => {
        const order = run(low, coming);
        expect(order.length).toBe(32 * low.length);
        for (const [at, { item, byAge }] of order.entries()) {
          expect([item, byAge]).toEqual(at % 32 === 31 ? ['low', true] : ['high', false]);
        }
      }),
    );
  });

  it('an entry below an endless stream of higher ones has a turn even if it is overtaken each time that it is first', () => {
    const queue = new FairQueue<string>();
    let overtaken = 0;
    queue.enqueue('low', 0, 0);
    for (let place = 1; ; place++) {
      const called = queue.dequeue();
      if (called?.item === 'low' && called.byAge) break;
      // A more urgent call comes while this one is at the gate, so it is queued again.
      queue.enqueue('high', 1, place);
      if (called?.item === 'low') {
        queue.enqueue('low', 0, 0);
        overtaken++;
        expect(queue.dequeue()?.item).toBe('high');
      }
      expect(overtaken).toBeLessThan(40);
    }
    expect(overtaken).toBe(31);
  });
});

/** How many entries the methods that work on a whole array had to look at. */
function countMoves(work: () => void): number {
  const { filter } = Array.prototype;
  let moved = 0;
  Array.prototype.filter = function (this: unknown[], ...given: unknown[]) {
    moved += this.length;
    return Reflect.apply(filter, this, given) as unknown[];
  } as typeof filter;
  try {
    work();
  } finally {
    Object.assign(Array.prototype, { filter });
  }
  return moved;
}

it('an entry that was chosen by age elsewhere is no turn of this queue', () => {
  const queue = new FairQueue<string>();
  let ticket = 0;
  queue.enqueue('oldest', -1, ticket++);
  for (let nth = 0; nth < 33; nth++) queue.enqueue('high', 1, ticket++);
  for (let nth = 0; nth < 30; nth++) queue.dequeue();
  queue.enqueue('aged', 0, ticket++, true);
  const next = Array.from({ length: 4 }, () => queue.dequeue()?.item);
  expect(next).toEqual(['aged', 'high', 'oldest', 'high']);
});
