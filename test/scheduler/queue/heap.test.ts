import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Heap } from '../../../src/scheduler/queue/heap.ts';

interface Item {
  readonly rank: number;
  isGone: boolean;
}

describe('A heap', () => {
  it('gives the first of the items that are not gone, in whatever order they came', () => {
    // A number adds an item of that rank, `take` removes the first, `drop` another one, and `tidy` forgets those that are gone.
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.nat(400) },
      { weight: 3, arbitrary: fc.constant('take' as const) },
      { weight: 2, arbitrary: fc.constant('drop' as const) },
      { weight: 1, arbitrary: fc.constant('tidy' as const) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 500, size: 'max' }), fc.boolean(), (steps, isOrdered) => {
        const heap = new Heap<Item>(
          (one, other) => one.rank < other.rank,
          ({ isGone }) => isGone,
        );
        let left: Item[] = [];
        let last = 0;
        for (const taken of steps) {
          if (typeof taken === 'number') {
            // No two have the same rank. Where they come in order, every seventh does not.
            last++;
            const item = { rank: isOrdered && taken % 7 !== 0 ? last : taken + last / 1_000, isGone: false };
            left.push(item);
            heap.push(item);
          } else if (taken === 'tidy') heap.tidy(left.length);
          else {
            const sorted = left.toSorted((one, other) => one.rank - other.rank);
            const leaving = taken === 'take' ? sorted[0] : sorted[sorted.length >> 1];
            if (leaving) leaving.isGone = true;
            left = left.filter(({ isGone }) => !isGone);
          }
          expect(heap.first?.rank).toBe(left.toSorted((one, other) => one.rank - other.rank)[0]?.rank);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('compares an item that comes in order with one other, however many there are', () => {
    let compared = 0;
    const heap = new Heap<Item>(
      (one, other) => {
        compared++;
        return one.rank < other.rank;
      },
      ({ isGone }) => isGone,
    );
    const items = Array.from({ length: 1_500 }, (_, rank) => ({ rank, isGone: false }));
    for (const item of items) heap.push(item);
    for (const item of items) {
      expect(heap.first).toBe(item);
      item.isGone = true;
    }
    expect(heap.first).toBeUndefined();
    expect(compared).toBe(items.length - 1);
  });

  it('gives the others in order after it has forgotten most of its items', () => {
    const heap = new Heap<Item>(
      (one, other) => one.rank < other.rank,
      ({ isGone }) => isGone,
    );
    // 1,009 is a prime: 400 different ranks, in no order.
    const items = Array.from({ length: 400 }, (_, at) => ({ rank: ((at + 1) * 619) % 1_009, isGone: false }));
    for (const item of items) heap.push(item);
    const sorted = items.toSorted((one, other) => one.rank - other.rank);
    for (const item of sorted.slice(0, 300)) item.isGone = true;
    heap.tidy(100);
    for (const item of sorted.slice(300)) {
      expect(heap.first).toBe(item);
      item.isGone = true;
    }
    expect(heap.first).toBeUndefined();
  });
});
