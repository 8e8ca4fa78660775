import { LENGTH_MS, type ServicePeriod } from '../calendar.ts';
import type { ServiceWindow } from './window.ts';

/** Refills evenly, a whole limit per period, and holds no more than one limit: a bucket that leaks, as GCRA reckons it. */
export class Leaky implements ServiceWindow {
  limit: number;
  readonly #length: number;
  #level = 0;
  #at = 0;

  constructor(limit: number, period: ServicePeriod) {
    this.limit = limit;
    this.#length = LENGTH_MS[period];
  }

  used(at: number): number {
    const leaked = (Math.max(0, at - this.#at) * this.limit) / this.#length;
    return Math.max(0, this.#level - leaked);
  }

  charge(units: number, at: number): void {
    this.#level = this.used(at) + units;
    this.#at = Math.max(this.#at, at);
  }

  /** When all of it is back. */
  resetAt(at: number): number {
    return at + this.#leaking(this.used(at));
  }

  fitsAt(units: number, at: number): number {
    return at + this.#leaking(this.used(at) + units - this.limit);
  }

  /** How long so many units take to leak out. */
  #leaking(units: number): number {
    return this.limit > 0 ? (units * this.#length) / this.limit : this.#length;
  }
}
