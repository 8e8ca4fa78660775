/** Memory and handles of this process, sampled over a run. */
import { readdirSync } from 'node:fs';

/** One sample. */
export interface Sample {
  readonly calls: number;
  /** Used heap after a garbage collection, in MiB. */
  readonly heap: number;
  /** Open file descriptors, sockets among them; undefined where the system does not tell. */
  readonly descriptors: number | undefined;
}

/** Growth in the second half of a run that is allowed: a part of the heap. */
const FLAT_PART = 0.05;

/** A heap of a few MiB varies by this much, in MiB. */
const NOISE = 2;

/** How much the number of descriptors varies: a connection that stalls is replaced before it is closed. */
const SPARE_DESCRIPTORS = 32;

const MIB = 2 ** 20;

/** Takes a sample. Needs `--expose-gc`. */
export async function sample(calls: number): Promise<Sample> {
  if (!globalThis.gc) throw new Error('Start node with --expose-gc.');
  // Finalizers run after a collection, and free more.
  for (let round = 0; round < 3; round++) {
    globalThis.gc();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { calls, heap: process.memoryUsage().heapUsed / MIB, descriptors: openDescriptors() };
}

/** What has grown over a run, as sentences; none: it is flat. */
export function growthIn(samples: readonly Sample[]): string[] {
  const [first, last] = [samples[Math.floor(samples.length / 2)], samples.at(-1)];
  if (!first || !last) return ['there are no samples'];
  const found: string[] = [];
  if (last.heap - first.heap > Math.max(NOISE, first.heap * FLAT_PART))
    found.push(`the heap grew from ${first.heap.toFixed(1)} to ${last.heap.toFixed(1)} MiB`);
  if ((last.descriptors ?? 0) > (first.descriptors ?? 0) + SPARE_DESCRIPTORS)
    found.push(`descriptors grew from ${first.descriptors} to ${last.descriptors}`);
  return found;
}

function openDescriptors(): number | undefined {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return undefined;
  }
}
