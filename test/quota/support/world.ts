import type { Ask, Lease } from '../../../src/quota/admission.ts';
import { ClientWide } from '../../../src/quota/client-wide.ts';
import type { QuotaSnapshot } from '../../../src/quota/headers/snapshot.ts';
import { Pacer } from '../../../src/quota/pacer.ts';
import { type ShareLimit, wholeShareLimit } from '../../../src/quota/share-limit.ts';
import { type Answered, factsOf } from './builders.ts';

const PATIENT = Infinity;

/** What an answer says. */
export function quota(stacks: QuotaSnapshot['stacks'] = {}, more: Partial<QuotaSnapshot> = {}): QuotaSnapshot {
  return { receivedAt: 0, stacks, malformed: [], unrecognised: {}, ...more };
}

/** A pacer that is asked and answered, and what its share of the quota hears. */
export interface World {
  readonly pacer: Pacer;
  ask(now: number, more?: Partial<Ask>): Answered;
  /** Sends what is granted. */
  send(now: number, more?: Partial<Ask>): Lease;
  answer(lease: Lease, now: number, said?: QuotaSnapshot, more?: object): void;
  /** All that the share has heard by a name. */
  all(name: string): unknown[][];
}

/** A pacer, and what its share of the quota hears from it. */
export function world(
  part: Partial<ShareLimit> = {},
  clientWide: ClientWide = new ClientWide(10),
  random: () => number = () => 0,
): World {
  const heard: unknown[][] = [];
  const shareLimit: ShareLimit = {
    ...wholeShareLimit,
    onSent: ({ endpoint }, now) => heard.push(['sent', endpoint, now]),
    onEnded: (_lease, units, isServed) => heard.push(['ended', units, isServed]),
    tellCost: (endpoint, units) => heard.push(['cost', endpoint, units]),
    tellPause: (until) => heard.push(['pause', until]),
    tellTrial: (isServed) => heard.push(['trial', isServed]),
    ...part,
  };
  const pacer = new Pacer({ clientWide, leaseMs: 90_000, shareLimit, random });
  const ask = (now: number, more: Partial<Ask> = {}): Answered =>
    factsOf(pacer.admit({ endpoint: 'GET /a', maxWaitMs: PATIENT, ...more }, now));
  const send = (now: number, more?: Partial<Ask>): Lease => {
    const admission = ask(now, more);
    if (admission.kind !== 'granted') throw new Error(admission.reason.why);
    return admission.lease;
  };
  const answer = (lease: Lease, now: number, said = quota(), more: object = {}): void =>
    pacer.settle(lease, { kind: 'answered', quota: said, limited: false, ...more }, now);
  const all = (name: string): unknown[][] => heard.filter(([first]) => first === name).map((each) => each.slice(1));
  return { pacer, ask, send, answer, all };
}

/** An answer of one unit, and what is left of a minute. */
export const minute = (remaining: number, limit = 20): QuotaSnapshot['stacks'] => ({
  cost: 1,
  minute: { limit, remaining },
});
/** What holds a request back. */
export const kindOf = (admission: Answered): string =>
  admission.kind === 'granted' ? 'granted' : admission.reason.kind;
