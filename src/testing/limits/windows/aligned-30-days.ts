import { LENGTH_MS, type ServicePeriod } from '../calendar.ts';
import { Aligned } from './aligned.ts';

/** The least time that a reset is stated to be away. */
const LEAST_MS = 1_000;

/**
 * Counts by windows of the UTC calendar, but states the end of each by the length of its period, as Kong does: a month ends 30 days
 * after its beginning. In February that is too late, and on a 31st it is always a second away.
 */
export class AlignedThirtyDays extends Aligned {
  readonly #length: number;

  constructor(limit: number, period: ServicePeriod) {
    super(limit, period);
    this.#length = LENGTH_MS[period];
  }

  override resetAt(at: number): number {
    return Math.max(at + LEAST_MS, this.startOf(at) + this.#length);
  }

  override fitsAt(_units: number, at: number): number {
    return this.resetAt(at);
  }
}
