import { type Period, periodMsOf } from '../quota/time/periods.ts';

/** How fast a rate is forgotten: to a third in this time. In milliseconds. */
const MEMORY_MS = 30_000;

/** A rate is not measured over less than this, in milliseconds. */
const SHORTEST_MS = 500;

interface Measured {
  readonly name: string;
  readonly used: number;
  readonly own: number;
  readonly at: number;
}

/** How fast the other processes of a share use the quota, by what the store says is used of a window from trip to trip. */
export class SiblingUse {
  #own = 0;
  #last: Measured | undefined;
  /** Units a millisecond. */
  #rate = 0;
  #heardAt = Number.NEGATIVE_INFINITY;

  /** This process sent units. */
  spend(units: number): void {
    this.#own += units;
  }

  /** Takes in how many units are used of the present instance of a window. */
  hear(name: string, used: number, now: number): void {
    const last = this.#last;
    if (last?.name === name && now - last.at < SHORTEST_MS) return;
    const own = this.#own;
    this.#last = { name, used, own, at: now };
    if (last?.name !== name) return;
    const rate = Math.max(0, used - last.used - (own - last.own)) / (now - last.at);
    const weight = 1 - Math.exp((last.at - now) / MEMORY_MS);
    this.#rate += weight * (rate - this.#rate);
    this.#heardAt = now;
  }

  /** Units of a window of this period that the others will use, as fast as they did lately. */
  unitsOf(period: Period, now: number): number {
    return now - this.#heardAt > 2 * MEMORY_MS ? 0 : this.#rate * periodMsOf(period);
  }
}
