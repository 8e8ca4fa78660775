import { describe, expect, it } from 'vitest';
import { seeded, type WindowKind } from '../../src/testing/index.ts';
import { cases, DEEP } from '../support/deep.ts';
import { fleetOf } from './support/fleet.ts';

const BULK_AT_MS = 30_000;
const LASTS_MS = 150_000;
const SHAPES = ['aligned', 'first-request', 'sliding-log', 'sliding-counter', 'leaky'] as const satisfies WindowKind[];

/** Some shapes each time, and all in the deep run. */
function shapes(...ordinary: (typeof SHAPES)[number][]): readonly WindowKind[] {
  return DEEP ? SHAPES : ordinary;
}

/** Calls that three processes make at random instants while a fourth one has a bulk of twice what a minute holds. */
interface Beside {
  readonly windows: WindowKind;
  readonly seed: number;
  readonly priority?: number;
  /** Whether the process of the bulk makes some of the calls, too. */
  readonly isMixed?: boolean;
  readonly calls?: number;
  readonly limit?: number;
  /** How long after the turn of a minute the share begins, in seconds. */
  readonly second?: number;
}

/** How long these calls take, in milliseconds, the longest last. */
async function tookBeside({
  windows,
  seed,
  priority = 1,
  isMixed = false,
  calls = 21,
  limit = 50,
  second = 7,
}: Beside): Promise<number[]> {
  const start = Date.UTC(2026, 2, 10, 14, 0, second);
  const fleet = fleetOf(4, { keyed: { minute: limit }, windows, latencyMs: [20, 80] }, {}, { seed, start });
  const { clock, clients } = fleet;
  const random = seeded(seed);
  const took: number[] = [];
  const call = async (by: number, at: number): Promise<void> => {
    await clock.sleep(at);
    const from = clock.now();
    await clients[by]?.getInfo({ priority, maxWaitMs: Infinity });
    took.push(clock.now() - from);
  };
  const bulk = async (): Promise<void> => {
    await clock.sleep(BULK_AT_MS);
    await clients[0]?.getInfo({ priority: -1, maxWaitMs: Infinity });
  };
  const all = Array.from({ length: calls }, (_, nth) => call((isMixed ? 0 : 1) + (nth % 3), random() * LASTS_MS));
  await clock.run(Promise.all([...all, ...Array.from({ length: 2 * limit }, bulk)]));
  expect(fleet.limited).toBe(0);
  return took.sort((a, b) => a - b);
}

describe('calls beside a bulk of another process', () => {
  it.each(shapes('sliding-log'))('do not wait where they are urgent, in a minute of 50 units (%s)', async (windows) => {
    for (const seed of cases([1], [2, 3, 4, 5, 6, 7, 8, 9, 10])) {
      const took = await tookBeside({ windows, seed });
      // One by chance: what is kept is by the rate of the last minute.
      expect(took.at(-2)).toBeLessThan(2_000);
    }
  });

  it.each(shapes('leaky'))(
    'do not wait where few urgent ones came before it: the first of all counts, too (%s)',
    async (windows) => {
      for (const seed of cases([2], [4, 5, 1, 3])) {
        const took = await tookBeside({ windows, seed, calls: 10 });
        expect(took.at(-2)).toBeLessThan(2_000);
      }
    },
  );

  it.each(shapes('first-request'))(
    'do not wait where they are usual and the priority of the bulk is below 0 (%s)',
    async (windows) => {
      for (const seed of cases([1], [3, 2, 4, 5, 6, 7])) {
        const took = await tookBeside({ windows, seed, priority: 0 });
        expect(took.at(-2)).toBeLessThan(2_000);
      }
    },
  );

  it.each(shapes('sliding-counter'))(
    'do not wait, either, where the process of the bulk makes usual calls, too (%s)',
    async (windows) => {
      for (const seed of cases([1], [2, 3, 4, 5])) {
        const took = await tookBeside({ windows, seed, priority: 0, isMixed: true });
        expect(took.at(-2)).toBeLessThan(2_000);
      }
    },
  );

  it('get their part of what drains in each step, and do not wait for as long as the bulk does', async () => {
    for (const seed of cases([1], [2])) {
      const took = await tookBeside({ windows: 'leaky', seed, priority: 0 });
      expect(took.at(-1)).toBeLessThan(10_000);
    }
  });

  it.each(
    cases(
      [[41, 9]],
      [
        [55, 8],
        [55, 10],
      ],
    ),
  )(
    'are not refused where a window that the first request opened ends by chance as the calendar’s does: begun at :%i, %i',
    async (second, seed) => {
      const took = await tookBeside({ windows: 'first-request', seed, second });
      expect(took.at(-2)).toBeLessThan(2_000);
    },
  );

  it('are not refused where a process that has not heard that a minute counts by the calendar alone sees no stretch of it claimed', async () => {
    const took = await tookBeside({ windows: 'sliding-counter', seed: 6, calls: 40, limit: 300 });
    expect(took.at(-2)).toBeLessThan(2_000);
  });
});
