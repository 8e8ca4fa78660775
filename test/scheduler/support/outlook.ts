import type { Ask, Reason } from '../../../src/quota/admission.ts';
import type { Books } from '../../../src/quota/books.ts';
import type { ClientWide } from '../../../src/quota/client-wide.ts';
import type { Plan, PlanEstimate } from '../../../src/quota/forecast/estimate.ts';
import { Backlog, type BackloggedCall } from '../../../src/scheduler/outlook/backlog.ts';
import { QueueOutlook } from '../../../src/scheduler/outlook/queue-outlook.ts';
import type { PendingCall } from '../../../src/scheduler/queue/pending-call.ts';
import { type VirtualClock, virtualClock } from '../../../src/testing/index.ts';

/** One call of the endpoint that all use if not said otherwise. */
export const PLAN: Plan = { endpoint: 'GET /a', count: 1 };

/** No call may cost more units. */
export const LIMIT = 100;

/** Plans that were estimated, and whether by the soonest that any shape allows. */
interface Asked {
  readonly plans: readonly Plan[];
  readonly isBest: boolean;
}

/** What the parts beside the outlook say, as a test may set it, and how many estimates were made. */
interface Said {
  key: number;
  pausedUntil: number;
  concurrency: number;
  /** What a request costs by the mean, and what it surely costs. */
  cost: number;
  sure: number;
  surprises: number;
  revision: number;
  estimates: number;
  waiting: number;
  isShapeOpen: boolean;
}

/** What else the estimates say; without `late` there is none. */
interface Told {
  late: readonly number[] | undefined;
  sentAt: (last: Plan, isBest: boolean) => number;
  bestLate: ((plans: readonly Plan[]) => readonly number[]) | undefined;
  windowMs: number;
}

/** What {@link outlook} makes. */
interface OutlookWorld {
  readonly said: Said;
  readonly told: Told;
  readonly asked: readonly Asked[];
  readonly clock: VirtualClock;
  readonly backlog: Backlog;
  /** Adds a call that waits. */
  waiting(ask?: Partial<Ask>, cost?: number, maxQueueMs?: number): BackloggedCall & PendingCall;
  readonly of: QueueOutlook;
}

/** The outlook of a queue, whose estimates the test makes: each is a second after the one before. */
export function outlook(): OutlookWorld {
  const said: Said = {
    ...{ key: 1, pausedUntil: 0, concurrency: 8, cost: 1, sure: 1, surprises: 0, revision: 0 },
    ...{ estimates: 0, waiting: 7, isShapeOpen: false },
  };
  const told: Told = { late: [], sentAt: () => 1_000 * said.estimates, bestLate: undefined, windowMs: 0 };
  const asked: Asked[] = [];
  const clock = virtualClock();
  const backlog = new Backlog();
  const present = {
    get isShapeOpen() {
      return said.isShapeOpen;
    },
    get pausedUntil() {
      return said.pausedUntil;
    },
    costs: {
      mean: ({ cost = said.cost }: Pick<Ask, 'cost'>) => cost,
      surely: () => said.sure,
      get surprises() {
        return said.surprises;
      },
    },
    get revision() {
      return said.revision;
    },
    excess: (units: number): Reason | undefined => {
      if (units === undefined) throw new Error('No cost is stated.');
      return units > LIMIT ? { kind: 'window', why: 'it is too much.', window: 'minute' } : undefined;
    },
    estimate: (plans: readonly Plan[], _now: number, isBest = false): PlanEstimate | undefined => {
      said.estimates++;
      asked.push({ plans, isBest });
      const { windowMs, bestLate } = told;
      const late = isBest && bestLate ? bestLate(plans) : told.late;
      const sentAt = told.sentAt(plans.at(-1) as Plan, isBest);
      return late && { at: 0, sentAt, each: [], late, window: 'minute', windowMs };
    },
  };
  const books = {
    present,
    get key() {
      return said.key;
    },
  } as unknown as Books;
  const clientWide = {
    concurrency: {
      get limit() {
        return said.concurrency;
      },
    },
  } as ClientWide;
  const of = new QueueOutlook({ clock, books, clientWide, backlog, waiting: () => said.waiting, maxWaiting: 7 });
  const waiting = (ask: Partial<Ask> = {}, cost = 1, maxQueueMs?: number): BackloggedCall & PendingCall => {
    const call = { ask: { endpoint: 'GET /a', maxWaitMs: 0, ...ask }, maxQueueMs } as BackloggedCall & PendingCall;
    backlog.add(call, cost);
    return call;
  };
  return { said, told, asked, clock, backlog, waiting, of };
}
