/** Chance that a seed decides, so that every run can be had again (mulberry32). */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** At least 0 and less than 1. */
  roll(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A number in the range, both ends of it in whole milliseconds. */
  within([least, most]: Range): number {
    return least + this.roll() * (most - least);
  }
}

/** The least and the most that something may be. */
export type Range = readonly [least: number, most: number];
