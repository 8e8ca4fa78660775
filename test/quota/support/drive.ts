import type { Lease, RequestOutcome } from '../../../src/quota/admission.ts';
import { ClientWide } from '../../../src/quota/client-wide.ts';
import { readQuota } from '../../../src/quota/headers/snapshot.ts';
import { Pacer } from '../../../src/quota/pacer.ts';
import { Agenda } from './agenda.ts';
import { type Answered, factsOf } from './builders.ts';
import { Dice, type Range } from './dice.ts';
import { type Reply, Service, type Terms } from './service.ts';

/** One request to make. */
export interface Call {
  readonly endpoint: string;
  readonly cost: number;
  /** Whether the caller knows the cost. */
  readonly isDeclared?: boolean;
}

/** What can become of a request: `lost on the way` never arrives, `lost on the way back` does, and a `forgotten` one is never settled. */
export type Fate = 'answered' | 'lost on the way' | 'lost on the way back' | 'unsent' | 'forgotten';

/** What there is to do, and over which network. */
export interface Job {
  readonly calls: readonly Call[];
  readonly concurrency: number;
  /** One-way latencies, in milliseconds. */
  readonly up: Range;
  readonly down: Range;
  /** Out of how many requests one meets a fate other than to be answered. */
  readonly mishaps?: readonly { readonly fate: Fate; readonly oneIn: number }[];
  /** How many requests are answered before the first mishap. */
  readonly spared?: number;
  /** What else happens: the service's clock is set, or another consumer uses units. */
  readonly events?: readonly { readonly at: number; readonly act: (service: Service) => void }[];
  /** What our monotonic clock shows at the beginning, and our wall clock. */
  readonly origin: number;
  readonly wall: number;
  readonly seed: number;
}

/** What came of it. Instants are milliseconds since the beginning. */
export interface Run {
  readonly sends: readonly { readonly at: number; readonly call: Call }[];
  readonly decisions: readonly { readonly at: number; readonly admission: Answered }[];
  readonly refusals: number;
  readonly isOverdrawn: boolean;
  /** When the last call was answered without a refusal; undefined if the pacer got stuck. */
  readonly doneAt: number | undefined;
}

/** After this time the caller gives up on an answer, in milliseconds. */
export const PATIENCE_MS = 4_000;

/** A lease that is never settled is given up after this time, in milliseconds. */
export const LEASE_MS = 8_000;

/** Whoever has to ask more often than this for each call is stuck. */
const ASKS_PER_CALL = 100;

/** Lets a pacer make calls to a service, each again until it is answered. */
export function drive(terms: Terms, job: Job): Run {
  const agenda = new Agenda();
  const service = new Service(terms, agenda);
  const dice = new Dice(job.seed);
  const pacer = new Pacer({ clientWide: new ClientWide(job.concurrency), leaseMs: LEASE_MS });
  const line = [...job.calls];
  const sends: Run['sends'][number][] = [];
  const decisions: Run['decisions'][number][] = [];
  let open = job.calls.length;
  let waiting: { readonly mayEndOnAnswer: boolean } | undefined;

  const ask = (): void => {
    waiting = undefined;
    for (let call = line.shift(); call; call = line.shift()) {
      const { endpoint, cost, isDeclared } = call;
      const wish = { endpoint, ...(isDeclared ? { cost } : {}), maxWaitMs: Infinity };
      const admission = factsOf(pacer.admit(wish, agenda.now + job.origin));
      decisions.push({ at: agenda.now, admission });
      if (admission.kind === 'granted') send(call, admission.lease);
      else {
        line.unshift(call);
        if (admission.kind === 'wait') wait(admission.until - job.origin, admission.mayEndOnAnswer);
        return;
      }
    }
  };

  const wait = (until: number, mayEndOnAnswer: boolean): void => {
    const mine = { mayEndOnAnswer };
    waiting = mine;
    // A timer never fires early, and it counts in whole milliseconds.
    agenda.at(Math.ceil(until), () => waiting === mine && ask());
  };

  const send = (call: Call, lease: Lease): void => {
    sends.push({ at: agenda.now, call });
    const mishap = sends.length > (job.spared ?? 0) && job.mishaps?.find(({ oneIn }) => dice.roll() * oneIn < 1);
    const fate = mishap ? mishap.fate : 'answered';
    const back = agenda.now + (fate === 'unsent' ? dice.within(job.up) : PATIENCE_MS);
    if (fate !== 'answered') agenda.at(back, () => comeBack(call, lease, fate));
    if (fate === 'lost on the way' || fate === 'unsent') return;
    agenda.at(agenda.now + dice.within(job.up), () =>
      service.receive(call.cost, (reply) => {
        if (fate === 'answered') agenda.at(agenda.now + dice.within(job.down), () => comeBack(call, lease, reply));
      }),
    );
  };

  const comeBack = (call: Call, lease: Lease, what: Reply | Exclude<Fate, 'answered'>): void => {
    if (typeof what === 'object' && !what.isRefused) open--;
    else line.unshift(call);
    if (what !== 'forgotten') pacer.settle(lease, outcomeOf(what, agenda.now + job.wall), agenda.now + job.origin);
    if (!waiting || waiting.mayEndOnAnswer) ask();
  };

  for (const { at, act } of job.events ?? []) agenda.at(at, () => act(service));
  ask();
  agenda.run(() => open === 0 || decisions.length > job.calls.length * ASKS_PER_CALL);
  const doneAt = open === 0 ? agenda.now : undefined;
  return { sends, decisions, refusals: service.refusals, isOverdrawn: service.isOverdrawn, doneAt };
}

function outcomeOf(what: Reply | Fate, wall: number): RequestOutcome {
  if (typeof what === 'object')
    return { kind: 'answered', quota: readQuota(what.headers, wall), limited: what.isRefused };
  return { kind: what === 'unsent' ? 'unsent' : 'lost' };
}
