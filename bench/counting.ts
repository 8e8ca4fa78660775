/**
 * The client with a pacer that only counts requests in flight, which is as little as a pacer can do: what a call costs beside its pacing.
 * `npm run bench:wire -- counting=./counting.ts` measures it in turn with the client itself.
 */
import { type Admission, type Ask, type Hold, holdUntil, type Lease } from '../src/quota/admission.ts';
import { Pacer } from '../src/quota/pacer.ts';

export { createClient } from '../src/index.ts';

/** As many as the benchmark has in flight. */
const IN_FLIGHT = 32;
const AGAIN_MS = 60_000;

const inFlight = new WeakMap<Pacer, number>();

Pacer.prototype.admit = function (this: Pacer, { endpoint, query }: Ask, now: number): Admission {
  const open = inFlight.get(this) ?? 0;
  if (open >= IN_FLIGHT) return { kind: 'wait', hold: full(now) };
  inFlight.set(this, open + 1);
  return { kind: 'granted', lease: { endpoint, query, sentAt: now, units: 1, isExempt: false } };
};

Pacer.prototype.settle = function (this: Pacer, _: Lease): void {
  inFlight.set(this, (inFlight.get(this) ?? 1) - 1);
};

function full(now: number): Hold {
  return holdUntil(now + AGAIN_MS, () => ({ kind: 'concurrency', why: `${IN_FLIGHT} requests are in flight` }));
}
