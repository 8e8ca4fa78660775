import fc from 'fast-check';
import type { Lease, RequestOutcome } from '../../../src/quota/admission.ts';
import { ClientWide } from '../../../src/quota/client-wide.ts';
import type { QuotaSnapshot } from '../../../src/quota/headers/snapshot.ts';
import { Pacer } from '../../../src/quota/pacer.ts';
import type { PacerView } from '../../../src/quota/view.ts';
import { type Answered, factsOf } from './builders.ts';

/** What an answer says; of each window how much is left, in thousandths of its limit. */
export interface Saying {
  readonly limited?: boolean;
  readonly hasDate?: boolean;
  readonly cost?: number;
  readonly secondLeft?: number;
  readonly minuteLeft?: number;
  readonly monthLeft?: number;
  /** Of a window that only the headers of every API describe. */
  readonly endpointLeft?: number;
  readonly resetInMs?: number;
  readonly retryAfterMs?: number;
}

/** One thing that happens to a pacer. What is settled is chosen among the open leases by `which`, modulo their number. */
export type Step =
  | { readonly do: 'ask'; readonly endpoint: string; readonly cost?: number | undefined }
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'set clock'; readonly ms: number }
  | Settling;

type Settling =
  | { readonly do: 'answer'; readonly which: number; readonly saying: Saying }
  | { readonly do: 'lose' | 'abort'; readonly which: number };

export const LIMITS = { second: 6, minute: 20, month: 5_000, endpoint: 13 };
export const LEASE_MS = 9_000;
export const AGE_MS = 3_000;
export const CONCURRENCY = 8;

/** What our clocks show at the beginning of a script. The service's shows the same as our wall clock until it is set. */
const ORIGIN = 1_000_000;
const WALL = Date.UTC(2026, 5, 15, 10, 20, 17, 300);

const which = fc.nat({ max: 20 });
const thousandths = fc.integer({ min: 0, max: 1_000 });

const quota = {
  limited: fc.constantFrom(false, false, false, true),
  hasDate: fc.boolean(),
  cost: fc.constantFrom(1, 1, 2, 3),
  secondLeft: thousandths,
  minuteLeft: thousandths,
};
const rate = {
  endpointLeft: thousandths,
  resetInMs: fc.integer({ min: -1_000, max: 60_000 }),
  retryAfterMs: fc.constantFrom(0, 400, 3_000, 70_000),
};

const ask = fc.record({
  do: fc.constant('ask' as const),
  endpoint: fc.constantFrom('GET /a', 'GET /b'),
  cost: fc.constantFrom(undefined, undefined, 1, 3),
});
const pass = fc.record({
  do: fc.constant('pass' as const),
  ms: fc.constantFrom(1, 7, 50, 333, 700, 1_000, 5_000, 61_000),
});
const setClock = fc.record({ do: fc.constant('set clock' as const), ms: fc.integer({ min: -90_000, max: 90_000 }) });
const mishap = fc.record({ do: fc.constantFrom('lose' as const, 'abort' as const), which });

function answer(saying: { readonly [K in keyof Saying]: fc.Arbitrary<NonNullable<Saying[K]>> }): fc.Arbitrary<Step> {
  return fc.record({ do: fc.constant('answer' as const), which, saying: fc.record(saying, { requiredKeys: [] }) });
}

/** A first answer that leaves room for several requests, which then go. */
const WARM: readonly Step[] = [
  { do: 'ask', endpoint: 'GET /a' },
  { do: 'answer', which: 0, saying: { hasDate: true, cost: 1, minuteLeft: 1_000 } },
  ...Array.from({ length: 4 }, (): Step => ({ do: 'ask', endpoint: 'GET /a' })),
];

function stepsOf(...more: fc.Arbitrary<Step>[]): fc.Arbitrary<Step[]> {
  const steps = fc.array(fc.oneof(ask, ask, pass, mishap, ...more), { maxLength: 40 });
  return more.length === 0 ? steps : fc.tuple(fc.constantFrom(WARM, []), steps).map((parts) => parts.flat());
}

/** Anything may happen, in any order, and the service may say anything. */
export const anySteps: fc.Arbitrary<Step[]> = stepsOf(
  answer({ ...quota, ...rate }),
  answer({ ...quota, ...rate }),
  setClock,
);

/** The same of a service that names its quota alone: no window of one endpoint, no pause; its clock is never set. */
export const quotaSteps: fc.Arbitrary<Step[]> = stepsOf(answer(quota), answer(quota));

/** Nothing is ever answered. */
export const silentSteps: fc.Arbitrary<Step[]> = stepsOf();

/** What a pacer decided and knew after a step. */
export interface Moment {
  /** Milliseconds since the beginning. */
  readonly at: number;
  readonly step: Step;
  readonly admission?: Answered | undefined;
  /** What was settled. */
  readonly settled?: Lease | undefined;
  readonly view: PacerView;
  /** The leases that are not settled. */
  readonly open: readonly Lease[];
}

/** A pacer and the script that it goes through. */
export class Stage {
  readonly pacer: Pacer = new Pacer({ clientWide: new ClientWide(CONCURRENCY), leaseMs: LEASE_MS });
  readonly #origin: number;
  readonly #wall: number;
  #at = 0;
  #lead = 0;
  #open: readonly Lease[] = [];

  /** What our clocks show at the beginning. */
  constructor(start: { readonly origin?: number; readonly wall?: number } = {}) {
    this.#origin = start.origin ?? ORIGIN;
    this.#wall = start.wall ?? WALL;
  }

  /** What our monotonic clock shows. */
  get now(): number {
    return this.#origin + this.#at;
  }

  /** The leases that are not settled. */
  get open(): readonly Lease[] {
    return this.#open;
  }

  /** Lets every step happen. */
  play(steps: readonly Step[]): Moment[] {
    return steps.map((step) => {
      const what = this.#act(step);
      return { at: this.#at, step, ...what, view: this.pacer.view(this.now), open: this.#open };
    });
  }

  ask(endpoint = 'GET /a', cost?: number, maxWaitMs: number = Infinity): Answered {
    const admission = factsOf(this.pacer.admit({ endpoint, cost, maxWaitMs }, this.now));
    if (admission.kind === 'granted') this.#open = [...this.#open, admission.lease];
    return admission;
  }

  settle(lease: Lease, outcome: RequestOutcome): void {
    this.#open = this.#open.filter((one) => one !== lease);
    this.pacer.settle(lease, outcome, this.now);
  }

  /** What the service says at this instant. */
  quota(saying: Saying): QuotaSnapshot {
    const receivedAt = this.#wall + this.#at;
    const clock = receivedAt + this.#lead;
    const { hasDate, cost, secondLeft, minuteLeft, monthLeft, endpointLeft, resetInMs, retryAfterMs } = saying;
    return {
      receivedAt,
      ...(hasDate && { date: Math.floor(clock / 1_000) * 1_000 }),
      ...(endpointLeft !== undefined && window(LIMITS.endpoint, endpointLeft)),
      ...(resetInMs !== undefined && { resetAt: clock + resetInMs }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      stacks: {
        ...(cost !== undefined && { cost }),
        ...(secondLeft !== undefined && { second: window(LIMITS.second, secondLeft) }),
        ...(minuteLeft !== undefined && { minute: window(LIMITS.minute, minuteLeft) }),
        ...(monthLeft !== undefined && { month: window(LIMITS.month, monthLeft) }),
      },
      malformed: [],
      unrecognised: {},
    };
  }

  #act(step: Step): Pick<Moment, 'admission' | 'settled'> {
    switch (step.do) {
      case 'ask':
        return { admission: this.ask(step.endpoint, step.cost) };
      case 'pass':
        this.#at += step.ms;
        return {};
      case 'set clock':
        this.#lead += step.ms;
        return {};
      default: {
        const settled = this.#open[step.which % this.#open.length];
        if (settled) this.settle(settled, this.#outcome(step));
        return { settled };
      }
    }
  }

  #outcome(step: Settling): RequestOutcome {
    if (step.do !== 'answer') return { kind: step.do === 'lose' ? 'lost' : 'unsent' };
    return { kind: 'answered', quota: this.quota(step.saying), limited: step.saying.limited ?? false };
  }
}

function window(limit: number, thousandths: number): { limit: number; remaining: number } {
  return { limit, remaining: Math.floor((limit * thousandths) / 1_000) };
}
