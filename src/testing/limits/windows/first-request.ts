import { LENGTH_MS, type ServicePeriod } from '../calendar.ts';
import type { ServiceWindow } from './window.ts';

/** Counts from the first request after the last window ended, like a counter in Redis that expires. */
export class FirstRequest implements ServiceWindow {
  limit: number;
  readonly #length: number;
  #end = -Infinity;
  #units = 0;

  constructor(limit: number, period: ServicePeriod) {
    this.limit = limit;
    this.#length = LENGTH_MS[period];
  }

  used(at: number): number {
    return at < this.#end ? this.#units : 0;
  }

  charge(units: number, at: number): void {
    if (at >= this.#end) {
      this.#end = at + this.#length;
      this.#units = 0;
    }
    this.#units += units;
  }

  resetAt(at: number): number {
    return at < this.#end ? this.#end : at + this.#length;
  }

  fitsAt(_units: number, at: number): number {
    return this.resetAt(at);
  }
}
