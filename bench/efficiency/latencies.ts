import type { Latency } from '../../src/testing/index.ts';

/** Distances of the service. */
export type Distance = 'near' | 'usual' | 'heavy' | 'far';

/** Draws the duration of one part of an exchange, in milliseconds. */
type Part = (random: () => number) => number;

/** The parts of an exchange. Both directions have the same distribution and are drawn independently. */
const PARTS: Readonly<Record<Distance, { readonly way: Part; readonly processing: Part; readonly leastMs: number }>> = {
  near: { way: between(0.4, 1.5), processing: between(0.5, 2), leastMs: 1.3 },
  usual: { way: between(10, 60), processing: between(5, 30), leastMs: 25 },
  heavy: { way: lateAtTimes(between(20, 120), 0.01, 1_500), processing: around(80, 0.9), leastMs: 50 },
  far: { way: between(250, 600), processing: between(20, 80), leastMs: 520 },
};

/** Draws the duration of the next exchange. */
export function latencyOf(distance: Distance, random: () => number): () => Latency {
  const { way, processing } = PARTS[distance];
  return () => ({ there: way(random), processing: processing(random), back: way(random) });
}

/** The shortest duration of an exchange, in milliseconds. */
export function leastLatencyMs(distance: Distance): number {
  return PARTS[distance].leastMs;
}

function between(least: number, most: number): Part {
  return (random) => least + (most - least) * random();
}

/** Lognormal: half of the values below the median, a few far above. */
function around(median: number, spread: number): Part {
  return (random) => median * Math.exp(spread * normal(random));
}

/** Delay by a lost and retransmitted packet. */
function lateAtTimes(part: Part, chance: number, mostMs: number): Part {
  return (random) => part(random) + (random() < chance ? mostMs * random() : 0);
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
