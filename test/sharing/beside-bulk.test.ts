import { describe, expect, it } from 'vitest';
import { seeded, type WindowKind } from '../../src/testing/index.ts';
import { fleetOf } from './support/fleet.ts';

const BULK_AT_MS = 30_000;
const LASTS_MS = 150_000;

/** Starts in which as many urgent calls come before the bulk as after it: by fewer too little is kept. */
const SEEDS = [1, 2];

/** How long calls of this priority take, in milliseconds, that three processes make at random instants while a fourth one has a bulk of 100. */
async function tookBeside(windows: WindowKind, priority: number, seed: number): Promise<number[]> {
  const fleet = fleetOf(4, { keyed: { minute: 50 }, windows, latencyMs: [20, 80] }, {}, { seed });
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
  const calls = Array.from({ length: 21 }, (_, nth) => call(1 + (nth % 3), random() * LASTS_MS));
  await clock.run(Promise.all([...calls, ...Array.from({ length: 100 }, bulk)]));
  expect(fleet.limited).toBe(0);
  return took.sort((a, b) => a - b);
}

describe('calls beside a bulk of another process, in a minute of 50 units', () => {
  it.each<WindowKind>(['aligned', 'first-request', 'sliding-log', 'sliding-counter', 'leaky'])(
    'do not wait where they are urgent, although the process of the bulk had not heard of urgent calls before it asked (%s)',
    async (windows) => {
      for (const seed of SEEDS) {
        const took = await tookBeside(windows, 1, seed);
        // One by chance: what is kept is by the rate of the last minute.
        expect(took.at(-2)).toBeLessThan(2_000);
      }
    },
  );

  it('get their part of what drains in each step, and do not wait for as long as the bulk does', async () => {
    for (const seed of SEEDS) expect((await tookBeside('leaky', 0, seed)).at(-1)).toBeLessThan(10_000);
  });
});
