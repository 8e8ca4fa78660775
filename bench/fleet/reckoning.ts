import { Ledger } from '../../src/testing/limits/ledger.ts';
import type { Arrival, World } from './world.ts';

/**
 * How long calls of one unit wait that go in the order of their arrival, each at the first instant at which the windows have room, in milliseconds: by
 * the windows of the mock service, which share no code with the client.
 *
 * @param strangers - when other consumers send a request each, in milliseconds since the beginning.
 * @param startsAt - what the service's clock shows at the beginning.
 */
export function leastWaits(
  arrivals: readonly Arrival[],
  strangers: readonly number[],
  { shape, limits }: World,
  startsAt: number,
): number[] {
  const ledger = new Ledger({ kindOf: () => shape, charge: 'before' }).limit(limits);
  const admit = (at: number): boolean => {
    if (ledger.admitsAt(1, at) > at) return false;
    ledger.charge(1, at);
    return true;
  };
  let nth = 0;
  const nextStranger = (): number => startsAt + (strangers[nth] ?? Infinity);
  let at = startsAt;
  return arrivals.toSorted((one, other) => one.atMs - other.atMs).map(({ atMs }) => {
    at = Math.max(at, startsAt + atMs);
    for (;;) {
      for (; nextStranger() <= at; nth++) admit(nextStranger());
      if (admit(at)) return at - startsAt - atMs;
      at = Math.min(ledger.admitsAt(1, at), nextStranger());
    }
  });
}
