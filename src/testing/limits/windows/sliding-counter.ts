import { ServiceCalendar, type ServicePeriod } from '../calendar.ts';
import { Aligned } from './aligned.ts';

/** Counts the present calendar window, plus the part of the previous one that a sliding window would still cover. */
export class SlidingCounter extends Aligned {
  readonly #now: ServiceCalendar;

  constructor(limit: number, period: ServicePeriod) {
    super(limit, period);
    this.#now = new ServiceCalendar(period);
  }

  override used(at: number): number {
    const { start, end } = this.#now.seek(at);
    return super.used(at) + (super.used(start - 1) * (end - at)) / (end - start);
  }

  override fitsAt(units: number, at: number): number {
    const { start, end } = this.#now.seek(at);
    const current = super.used(at);
    if (current + units <= this.limit) return decaysTo(this.limit - units - current, super.used(start - 1), start, end);
    const next = this.#now.seek(end);
    return decaysTo(this.limit - units, current, next.start, next.end);
  }
}

/** When `units`, whose weight falls from 1 at `start` to 0 at `end`, count for no more than `room`. */
function decaysTo(room: number, units: number, start: number, end: number): number {
  return units > room ? end - (room / units) * (end - start) : start;
}
