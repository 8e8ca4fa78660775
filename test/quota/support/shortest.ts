import { counterOf, type NamedPeriod } from './counters.ts';
import type { Terms } from './service.ts';

/**
 * The least time in which a service can take these costs, in this order, by someone who sees its books and whose
 * requests arrive at once, in milliseconds from `start` to the last arrival.
 */
export function shortestPossible(terms: Terms, costs: readonly number[], start: number): number {
  const windows = Object.entries(terms.limits).map(([period, limit]) => ({
    limit,
    counter: counterOf(terms.shape, period as NamedPeriod),
  }));
  const begin = terms.startsAt + start;
  let at = begin;
  for (const cost of costs) {
    let full = windows.filter(({ limit, counter }) => counter.used(at) + cost > limit);
    while (full.length > 0) {
      at = Math.max(...full.map(({ counter }) => counter.relief(at)));
      full = windows.filter(({ limit, counter }) => counter.used(at) + cost > limit);
    }
    for (const { counter } of windows) counter.add(cost, at);
  }
  return at - begin;
}
