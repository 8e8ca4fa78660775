import type { QuotaSnapshot } from '../headers/snapshot.ts';
import type { Period } from '../time/periods.ts';

/** Our own bookings in a window when an answer arrives, in units. */
export interface Books {
  readonly period: Period;
  /** The most that we can have spent, what is in flight aside. */
  readonly spent: number;
  /** Units in flight, the answered request's own included. */
  readonly held: number;
  /** Units answered since the answered request was sent, so that the service may not have counted them in its answer. */
  readonly settledSince: number;
}

/**
 * Difference between the service's count and our bookings, in units, by window: more than 0 if it counted more than we can have
 * used, because of other consumers or a wrong cost; less than 0 if it counted less than we booked, so our bookings are more
 * cautious than necessary; 0 if requests in flight explain the difference.
 */
export function driftOf(quota: QuotaSnapshot, books: Iterable<Books>): Readonly<Record<string, number>> {
  const drift: Record<string, number> = {};
  for (const { period, spent, held, settledSince } of books) {
    const { limit, remaining } = quota.stacks[period] ?? {};
    if (limit === undefined || remaining === undefined) continue;
    const used = limit - remaining;
    const [least, most] = [spent - settledSince, spent + held];
    drift[period] = Math.max(0, used - most) + Math.min(0, used - least);
  }
  return drift;
}
