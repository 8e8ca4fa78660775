import { LENGTH_MS, type ServicePeriod } from '../calendar.ts';
import type { ServiceWindow } from './window.ts';

/** So many expired entries are kept before they are dropped. */
const MOST_EXPIRED = 1_024;

/** Logs every charge for one period. */
export class SlidingLog implements ServiceWindow {
  limit: number;
  readonly #length: number;
  readonly #charges: { at: number; units: number }[] = [];
  #oldest = 0;
  #units = 0;

  constructor(limit: number, period: ServicePeriod) {
    this.limit = limit;
    this.#length = LENGTH_MS[period];
  }

  used(at: number): number {
    let charge = this.#charges[this.#oldest];
    while (charge && charge.at <= at - this.#length) {
      this.#units -= charge.units;
      charge = this.#charges[++this.#oldest];
    }
    if (this.#oldest > MOST_EXPIRED && this.#oldest * 2 > this.#charges.length) {
      this.#charges.splice(0, this.#oldest);
      this.#oldest = 0;
    }
    return this.#units;
  }

  charge(units: number, at: number): void {
    let place = this.#charges.length;
    while (place > this.#oldest && (this.#charges[place - 1]?.at ?? 0) > at) place--;
    this.#charges.splice(place, 0, { at, units });
    this.#units += units;
  }

  /** When the oldest charge expires. */
  resetAt(at: number): number {
    this.used(at);
    return (this.#charges[this.#oldest]?.at ?? at) + this.#length;
  }

  fitsAt(units: number, at: number): number {
    let excess = this.used(at) + units - this.limit;
    for (let place = this.#oldest; place < this.#charges.length; place++) {
      const charge = this.#charges[place];
      excess -= charge?.units ?? 0;
      if (charge && excess <= 0) return charge.at + this.#length;
    }
    return at + this.#length;
  }
}
