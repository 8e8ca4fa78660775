import { untilNext } from '../../../bench/at-random.ts';
import { seeded } from '../../../src/testing/index.ts';
import type { Fleet } from './fleet.ts';

/** Bursts that come by chance, with some time between them on average, each of so many calls at once. */
export interface Bursts {
  readonly apartMs: number;
  readonly size: number;
}

/**
 * Makes bursts of calls by chance, each source through a client of its own as far as there are as many, until the clock has advanced to `untilMs`.
 *
 * @returns how long each call took that was made after `fromMs`, in milliseconds, least first.
 */
export async function byChance(
  { clock, clients }: Fleet,
  sources: readonly Bursts[],
  { fromMs, untilMs, seed = 1 }: { readonly fromMs: number; readonly untilMs: number; readonly seed?: number },
): Promise<readonly number[]> {
  const random = seeded(seed);
  const took: number[] = [];
  const call = async (index: number): Promise<void> => {
    const at = clock.now();
    await clients[index % clients.length]?.getInfo({ maxWaitMs: Infinity });
    if (at > fromMs) took.push(clock.now() - at);
  };
  sources.forEach(async ({ apartMs, size }, index) => {
    for (;;) {
      await clock.sleep(untilNext(apartMs, random));
      for (let one = 0; one < size; one++) void call(index).catch(() => {});
    }
  });
  await clock.advance(untilMs);
  return took.sort((one, other) => one - other);
}

/** What nineteen of twenty of these were at most. */
export function most(sorted: readonly number[]): number {
  return sorted[Math.floor(sorted.length * 0.95)] ?? 0;
}
