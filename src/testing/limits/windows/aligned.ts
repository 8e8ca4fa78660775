import { ServiceCalendar, type ServicePeriod } from '../calendar.ts';
import type { ServiceWindow } from './window.ts';

/** So many windows are kept, the present one and the one before among them: charges may be seconds late, and a clock may be set back. */
const MOST_KEPT = 4;

/** Counts by windows of the UTC calendar, like Kong's rate-limiting plugins. */
export class Aligned implements ServiceWindow {
  limit: number;
  readonly #calendar: ServiceCalendar;
  /** Usage by the start of the window, in the order of their first charges. */
  readonly #units = new Map<number, number>();

  constructor(limit: number, period: ServicePeriod) {
    this.limit = limit;
    this.#calendar = new ServiceCalendar(period);
  }

  used(at: number): number {
    return this.#units.get(this.#calendar.seek(at).start) ?? 0;
  }

  charge(units: number, at: number): void {
    const { start } = this.#calendar.seek(at);
    this.#units.set(start, (this.#units.get(start) ?? 0) + units);
    if (this.#units.size <= MOST_KEPT) return;
    for (const oldest of this.#units.keys()) {
      this.#units.delete(oldest);
      return;
    }
  }

  /** The beginning of the window that contains an instant. */
  startOf(at: number): number {
    return this.#calendar.seek(at).start;
  }

  resetAt(at: number): number {
    return this.#calendar.seek(at).end;
  }

  fitsAt(_units: number, at: number): number {
    return this.#calendar.seek(at).end;
  }
}
