import { Ledger } from '../../src/testing/limits/ledger.ts';
import type { Arrival, World } from './world.ts';

/**
 * How long calls of one unit wait that go in the order of their arrival, each at the first instant at which the windows have room, in milliseconds: by
 * the windows of the mock service, which share no code with the client.
 *
 * @param startsAt - what the service's clock shows at the beginning.
 */
export function leastWaits(arrivals: readonly Arrival[], { shape, limits }: World, startsAt: number): number[] {
  const ledger = new Ledger({ kindOf: () => shape, charge: 'before' }).limit(limits);
  let at = startsAt;
  return arrivals.map(({ atMs }) => {
    at = Math.max(at, startsAt + atMs);
    for (let fits = ledger.admitsAt(1, at); fits > at; fits = ledger.admitsAt(1, at)) at = fits;
    ledger.charge(1, at);
    return at - startsAt - atMs;
  });
}
