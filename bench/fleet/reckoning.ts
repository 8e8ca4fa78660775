import { Ledger } from '../../src/testing/limits/ledger.ts';
import type { Arrival, World } from './world.ts';

/**
 * How long measured calls of one unit wait that go by priority and in the order of their arrival, each at the first instant at which the windows have
 * room, in milliseconds: by the windows of the mock service, which share no code with the client.
 *
 * @param strangers - when other consumers send a request each, in milliseconds since the beginning.
 * @param startsAt - what the service's clock shows at the beginning.
 */
export function leastWaits(
  arrivals: readonly Arrival[],
  strangers: readonly number[],
  { shape, limits, measured }: World,
  startsAt: number,
): number[] {
  const ledger = new Ledger({ kindOf: () => shape, charge: 'before' }).limit(limits);
  const admit = (at: number): boolean => {
    if (ledger.admitsAt(1, at) > at) return false;
    ledger.charge(1, at);
    return true;
  };
  const queue = arrivals.toSorted((one, other) => one.atMs - other.atMs);
  const strangersAt = [...strangers];
  const waits: number[] = [];
  let at = startsAt;
  while (queue.length > 0) {
    at = Math.max(at, startsAt + (queue[0]?.atMs ?? 0));
    const first = firstOf(queue, at - startsAt);
    const [call] = queue.slice(first, first + 1);
    if (!call) break;
    const { atMs, priority = 0 } = call;
    for (; startsAt + (strangersAt[0] ?? Infinity) <= at; ) admit(startsAt + (strangersAt.shift() ?? 0));
    if (admit(at)) {
      queue.splice(first, 1);
      if (priority === (measured ?? priority)) waits.push(at - startsAt - atMs);
      continue;
    }
    const next = queue.find((one) => startsAt + one.atMs > at)?.atMs ?? Infinity;
    at = Math.min(ledger.admitsAt(1, at), startsAt + (strangersAt[0] ?? Infinity), startsAt + next);
  }
  return waits;
}

/** The call of the highest priority that has come by then, of several the first. */
function firstOf(queue: readonly Arrival[], untilMs: number): number {
  let first = 0;
  for (let index = 1; index < queue.length && (queue[index]?.atMs ?? 0) <= untilMs; index++)
    if ((queue[index]?.priority ?? 0) > (queue[first]?.priority ?? 0)) first = index;
  return first;
}
