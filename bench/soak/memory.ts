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

/** Growth after the warm-up that is allowed: a part of the heap. */
const FLAT_PART = 0.05;

/** A heap of a few MiB varies by this much, in MiB. */
const NOISE = 3;

/** How much the number of descriptors varies: a connection that stalls is replaced before it is closed. */
const SPARE_DESCRIPTORS = 32;

/** Garbage collections before a sample. */
const ROUNDS = 10;

const MIB = 2 ** 20;

/** Takes a sample. Needs `--expose-gc`. */
export async function sample(calls: number): Promise<Sample> {
  if (!globalThis.gc) throw new Error('Start node with --expose-gc.');
  // Finalizers run after a collection and free more, which the next one finds: by the seventh round nothing is left to free.
  for (let round = 0; round < ROUNDS; round++) {
    globalThis.gc();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { calls, heap: process.memoryUsage().heapUsed / MIB, descriptors: openDescriptors() };
}

/**
 * What has grown over a run, as sentences; none: it is flat. The first third is a warm-up, in which code is compiled and caches fill.
 * Of the others the lowest samples are compared, because some have garbage that is not collected yet.
 */
export function growthIn(samples: readonly Sample[]): string[] {
  const third = Math.floor(samples.length / 3);
  if (third === 0) return ['there are too few samples'];
  const [before, after] = [samples.slice(third, -third), samples.slice(-third)].map((part) => ({
    calls: lowest(part, ({ calls }) => calls),
    heap: lowest(part, ({ heap }) => heap),
    descriptors: lowest(part, ({ descriptors }) => descriptors ?? 0),
  }));
  if (!before || !after) return [];
  const found: string[] = [];
  if (after.heap - before.heap > Math.max(NOISE, before.heap * FLAT_PART)) {
    const perCall = Math.round(((after.heap - before.heap) * MIB) / (after.calls - before.calls));
    found.push(`the heap grew from ${before.heap.toFixed(1)} to ${after.heap.toFixed(1)} MiB: ${perCall} bytes a call`);
  }
  if (after.descriptors > before.descriptors + SPARE_DESCRIPTORS)
    found.push(`descriptors grew from ${before.descriptors} to ${after.descriptors}`);
  return found;
}

function lowest(samples: readonly Sample[], of: (sample: Sample) => number): number {
  return Math.min(...samples.map(of));
}

function openDescriptors(): number | undefined {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return undefined;
  }
}
