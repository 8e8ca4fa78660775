import { LENGTH_MS, type ServicePeriod } from '../calendar.ts';
import type { ServiceWindow } from './window.ts';

/** Refills evenly, one limit per period, up to one limit: a leaky bucket, computed as in GCRA. */
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

  /** When the bucket is full again. */
  resetAt(at: number): number {
    return at + this.#leaking(this.used(at));
  }

  fitsAt(units: number, at: number): number {
    return at + this.#leaking(this.used(at) + units - this.limit);
  }

  /** Time in which `units` leak out, in milliseconds. */
  #leaking(units: number): number {
    return this.limit > 0 ? (units * this.#length) / this.limit : this.#length;
  }
}
