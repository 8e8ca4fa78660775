import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RankedQueue } from '../src/ranked-queue.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

interface Waiting {
  readonly id: string;
  readonly priority: number;
  readonly place: number;
  readonly isReturning: boolean;
}

/** The naive queue: sorted anew at each step. */
function sorted(waiting: readonly Waiting[]): readonly Waiting[] {
  return waiting.toSorted(
    (a, b) => b.priority - a.priority || Number(b.isReturning) - Number(a.isReturning) || placeOf(a) - placeOf(b),
  );
}

/** Newcomers keep the order in which they joined, which `toSorted` does not touch. */
function placeOf({ isReturning, place }: Waiting): number {
  return isReturning ? place : 0;
}

const runOf =
  (name: string): (() => Promise<string>) =>
  () =>
    Promise.resolve(name);

async function drained(queue: RankedQueue): Promise<unknown[]> {
  const names: unknown[] = [];
  for (let run = queue.dequeue(); run; run = queue.dequeue()) names.push(await run());
  return names;
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

describe('RankedQueue', () => {
  it('gives out the highest priority first, and within a priority whoever came first', async () => {
    const queue = new RankedQueue();
    for (const [name, priority] of [
      ['a', 0],
      ['b', 5],
      ['c', 0],
      ['d', -1],
      ['e', 5],
    ] as const) {
      queue.enqueue(runOf(name), { priority });
    }
    expect(await drained(queue)).toEqual(['b', 'e', 'a', 'c', 'd']);
  });

  it('takes no priority for priority 0', async () => {
    const queue = new RankedQueue();
    queue.enqueue(runOf('low'), { priority: -1 });
    queue.enqueue(runOf('usual'));
    expect(queue.filter({})).toHaveLength(1);
    expect(await drained(queue)).toEqual(['usual', 'low']);
  });

  it('lets whoever returns go before newcomers of the same priority, by the places they drew', async () => {
    const queue = new RankedQueue();
    queue.enqueue(runOf('newcomer'), { place: 9 });
    for (const place of [4, 2, 7, 3]) queue.enqueue(runOf(`place ${place}`), { place, isReturning: true });
    queue.enqueue(runOf('urgent newcomer'), { priority: 1, place: 10 });
    expect(await drained(queue)).toEqual(['urgent newcomer', 'place 2', 'place 3', 'place 4', 'place 7', 'newcomer']);
  });

  it('gives out nothing when it is empty', () => {
    const queue = new RankedQueue();
    expect(queue.dequeue()).toBeUndefined();
    expect(queue.size).toBe(0);
  });

  it('has no way to change a priority', () => {
    expect(() => new RankedQueue().setPriority()).toThrow('keeps the priority');
  });

  const newcomer = fc.record({
    priority: fc.integer({ min: -3, max: 3 }),
    isReturning: fc.boolean(),
    place: fc.nat(50),
  });
  const step = fc.oneof(
    fc.record({ join: fc.array(newcomer, { maxLength: 60 }) }),
    fc.record({ leave: fc.array(fc.nat(), { maxLength: 60 }) }),
    fc.record({ stepUp: fc.nat(20) }),
  );

  it('does as a list that is sorted anew at each step, whoever joins, returns, leaves and steps up', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
        const queue = new RankedQueue();
        let model: readonly Waiting[] = [];
        let ids = 0;
        for (const now of steps) {
          if ('join' in now) {
            const some = now.join.map((one) => ({ ...one, id: String(ids++) }));
            for (const one of some) queue.enqueue(runOf(one.id), one);
            model = [...model, ...some];
          } else if ('leave' in now) {
            const gone = new Set(now.leave.map((at) => model[at % model.length]));
            for (const one of gone) if (one) queue.remove(one.id);
            model = model.filter((one) => !gone.has(one));
          } else {
            const first = sorted(model).slice(0, now.stepUp);
            for (const { id } of first) expect(await queue.dequeue()?.()).toBe(id);
            model = model.filter((one) => !first.includes(one));
          }
          expect(queue.size).toBe(model.length);
          const ofRank = sorted(model).filter(({ priority }) => priority === 3);
          const names = await Promise.all(queue.filter({ priority: 3 }).map((run) => run()));
          expect(names).toEqual(ofRank.map(({ id }) => id));
        }
        expect(await drained(queue)).toEqual(sorted(model).map(({ id }) => id));
        expect(queue.size).toBe(0);
      }),
    );
  });

  it('compares no more than a heap does: 20,000 distinct priorities in and out', () => {
    const COUNT = 20_000;
    const queue = new RankedQueue();
    const values = Array.from({ length: COUNT }, (_, at) => (at * 7_919) % COUNT);
    const seen: number[] = [];
    Counted.comparisons = 0;
    for (const value of values) {
      const priority = new Counted(value) as unknown as number;
      queue.enqueue(() => Promise.resolve(seen.push(value)), { priority });
    }
    for (let run = queue.dequeue(); run; run = queue.dequeue()) void run();
    expect(seen).toEqual(values.toSorted((a, b) => b - a));
    // Once up and once down, at most two comparisons to a level, two operands to each.
    expect(Counted.comparisons).toBeLessThan(8 * COUNT * Math.log2(COUNT));
    expect(Counted.comparisons).toBeGreaterThan(COUNT);
  });

  it.each(['new', 'returning'])('moves each of 100,000 %s calls of one priority twice at most', (who) => {
    const COUNT = 100_000;
    const queue = new RankedQueue();
    const moved = countMoves(() => {
      for (let place = 0; place < COUNT; place++) queue.enqueue(runOf(''), { place, isReturning: who === 'returning' });
      while (queue.dequeue());
    });
    expect(queue.size).toBe(0);
    expect(moved).toBeLessThan(2 * COUNT);
  });

  it('lets go of those who left, though nobody steps up', async () => {
    const queue = new RankedQueue();
    const runs: WeakRef<() => unknown>[] = [];
    queue.enqueue(runOf('stays'), { id: 'stays' });
    for (let at = 0; at < 10_000; at++) {
      const run = runOf('leaves');
      runs.push(new WeakRef(run));
      queue.enqueue(run, { id: `call ${at}`, priority: at % 3 });
      queue.remove(`call ${at}`);
    }
    await new Promise(setImmediate);
    collectGarbage();
    expect(runs.filter((run) => run.deref()).length).toBeLessThan(100);
    expect(await drained(queue)).toEqual(['stays']);
  });
});

/** How many entries the methods that close gaps in an array had to move. */
function countMoves(work: () => void): number {
  const { shift, splice } = Array.prototype;
  let moved = 0;
  Array.prototype.shift = function (this: unknown[]) {
    moved += this.length;
    return shift.call(this);
  };
  Array.prototype.splice = function (this: unknown[], at: number, ...more: unknown[]) {
    moved += this.length - at;
    return Reflect.apply(splice, this, [at, ...more]);
  };
  try {
    work();
  } finally {
    Object.assign(Array.prototype, { shift, splice });
  }
  return moved;
}
