/** How long the parts of one exchange take, in milliseconds. */
export interface Latency {
  /** From the caller to the gateway, where the request is counted. */
  readonly there: number;
  /** Between the arrival and the answer's departure. Default: 0. */
  readonly processing?: number;
  /** From the service back to the caller. */
  readonly back: number;
}

/** A whole exchange's milliseconds, their bounds, or its parts each time anew. */
export type LatencyOption = number | readonly [least: number, most: number] | (() => Latency);

/** Of a whole exchange, this part is the way there, and as much the way back; the rest is processing. */
const WAY = 0.4;

/** Makes what tells how long the next exchange takes. */
export function latencyFrom(option: LatencyOption, random: () => number): () => Latency {
  if (typeof option === 'function') return option;
  const [least, most] = typeof option === 'number' ? [option, option] : option;
  return () => {
    const whole = least + (most - least) * random();
    return { there: whole * WAY, processing: whole * (1 - 2 * WAY), back: whole * WAY };
  };
}

/** Numbers from 0 to 1, the same row for the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
