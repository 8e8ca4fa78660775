/** Durations of the parts of one exchange, in milliseconds. */
export interface Latency {
  /** From the caller to the gateway, where the request is counted. */
  readonly there: number;
  /** Between the arrival of the request and the departure of the response. Default: 0. */
  readonly processing?: number;
  /** From the service back to the caller. */
  readonly back: number;
}

/** Duration of an exchange in milliseconds, its bounds, or a function that returns the parts of each exchange. */
export type LatencyOption = number | readonly [least: number, most: number] | (() => Latency);

/** Part of the duration of an exchange for each direction; the rest is processing. */
const WAY = 0.4;

/** Creates a function that returns the durations of the next exchange. */
export function latencyFrom(option: LatencyOption, random: () => number): () => Latency {
  if (typeof option === 'function') return option;
  const [least, most] = typeof option === 'number' ? [option, option] : option;
  return () => {
    const whole = least + (most - least) * random();
    return { there: whole * WAY, processing: whole * (1 - 2 * WAY), back: whole * WAY };
  };
}

/**
 * Pseudo-random numbers from 0 to 1, the same sequence for the same seed (mulberry32).
 *
 * @example
 * ```ts
 * const random = seeded(7);
 * const client = createClient({ random }); // the same jitter in every run
 * ```
 */
export function seeded(seed: number): () => number {
  if (!Number.isFinite(seed)) throw new Error(`The seed must be a number, not ${String(seed)}.`);
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
