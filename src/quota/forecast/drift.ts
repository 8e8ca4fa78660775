import type { QuotaSnapshot } from '../headers/snapshot.ts';
import type { Period } from '../time/periods.ts';

/** What our own books say of a window at the moment an answer comes, in units. */
export interface Books {
  readonly period: Period;
  /** The most that we can have spent, what is in flight aside. */
  readonly spent: number;
  /** Units of ours in flight, the answered request's own included. */
  readonly held: number;
  /** Units that came back since the answered request was sent, so that the service may not have counted them in its answer. */
  readonly settledSince: number;
}

/**
 * How far the service's word is from our books, in units, by window: more than 0 where it counted more than we can have
 * spent, so that somebody else spends, too, or a cost is misjudged; less than 0 where it counted less than the books have,
 * so that they are more careful than they need be; 0 where what is in flight explains the difference.
 */
export function driftOf(quota: QuotaSnapshot, books: Iterable<Books>): Readonly<Record<string, number>> {
  const drift: Record<string, number> = {};
  for (const { period, spent, held, settledSince } of books) {
    const { limit, remaining } = quota.stacks[period] ?? {};
    if (limit === undefined || remaining === undefined) continue;
    const used = limit - remaining;
    const [least, most] = [spent - settledSince, spent + held];
    drift[period] = used > most ? used - most : Math.min(0, used - least);
  }
  return drift;
}
