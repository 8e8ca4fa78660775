import { describe, expect, it } from 'vitest';
import type { Call } from '../../src/http/call.ts';
import type { Ask, Reason } from '../../src/quota/admission.ts';
import type { Books } from '../../src/quota/books.ts';
import type { ClientWide } from '../../src/quota/client-wide.ts';
import type { Plan, PlanEstimate } from '../../src/quota/forecast/estimate.ts';
import { Backlog, type BackloggedCall } from '../../src/scheduler/backlog.ts';
import type { PendingCall } from '../../src/scheduler/gate.ts';
import { QueueOutlook } from '../../src/scheduler/queue-outlook.ts';
import { virtualClock } from '../../src/testing/index.ts';

const PLAN = { endpoint: 'GET /a', count: 1 };

/** No call may cost more units. */
const LIMIT = 100;

/** The outlook of a queue, whose estimates the test makes: each is a second after the one before. */
function outlook() {
  const said = { key: 1, pausedUntil: 0, concurrency: 8, cost: 1, revision: 0, estimates: 0, waiting: 7 };
  /** What else the estimates say; without `late` there is none. */
  const told: {
    late: readonly number[] | undefined;
    sentAt: (last: Plan) => number;
  } = { late: [], sentAt: () => 1_000 * said.estimates };
  const clock = virtualClock();
  const backlog = new Backlog();
  const present = {
    isShapeOpen: false,
    get pausedUntil() {
      return said.pausedUntil;
    },
    costs: { mean: () => said.cost, surely: () => said.cost, surprises: 0 },
    get revision() {
      return said.revision;
    },
    excess: (units: number): Reason | undefined =>
      units > LIMIT ? { kind: 'window', why: 'it is too much.', window: 'minute' } : undefined,
    estimate: (plans: readonly Plan[]): PlanEstimate | undefined => {
      said.estimates++;
      const { late, sentAt } = told;
      return late && { at: 0, sentAt: sentAt(plans.at(-1) as Plan), each: [], late, window: 'minute', windowMs: 0 };
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
  /** A call that waits. */
  const waiting = (ask: Partial<Ask> = {}, cost = 1, maxQueueMs?: number): BackloggedCall & PendingCall => {
    const call = { ask: { endpoint: 'GET /a', maxWaitMs: 0, ...ask }, maxQueueMs } as BackloggedCall & PendingCall;
    backlog.add(call, cost);
    return call;
  };
  return { said, told, clock, backlog, waiting, of };
}

describe('an estimate behind much work', () => {
  type Said = ReturnType<typeof outlook>['said'];

  it.each<[string, Partial<Plan & Said>, number]>([
    ['of another endpoint', { endpoint: 'GET /b' }, 0],
    ['of more calls', { count: 2 }, 0],
    ['of another priority', {}, 1],
    ['of calls that cost twice as much', { cost: 2 }, 0],
    ['for another key', { key: 2 }, 0],
    ['with another pause', { pausedUntil: 5_000 }, 0],
    ['with another concurrency', { concurrency: 9 }, 0],
  ])('is made anew %s, and not otherwise', (_, { endpoint, count, ...other }, priority) => {
    const { said, waiting, of } = outlook();
    waiting({ priority: 9 }, 100_000);
    const first = of.estimate(PLAN, 0);
    expect(of.estimate(PLAN, 0)).toBe(first);
    Object.assign(said, other);
    expect(of.estimate({ endpoint: endpoint ?? 'GET /a', count: count ?? 1 }, priority)).not.toBe(first);
    expect(said.estimates).toBe(2);
  });

  it('is made anew when the work ahead has changed or some time has passed', async () => {
    const { said, clock, waiting, of } = outlook();
    waiting({}, 10_000);
    of.estimate(PLAN, 0);
    waiting({}, 10_000);
    of.estimate(PLAN, 0);
    await clock.advance(1_000);
    of.estimate(PLAN, 0);
    expect(said.estimates).toBe(3);
  });
});

describe('a call that is turned away', () => {
  it('is not ahead of the next one', () => {
    const { backlog, waiting, of } = outlook();
    of.leave(waiting());
    expect(of.overflowOf(waiting())).toMatchObject({ limit: 7, retryAfterMs: 1_000 });
    expect(backlog.aheadOf(0)).toEqual([]);
  });

  it('would be sent behind the calls of its priority and of higher ones, and at any time where none of them waits', () => {
    const { waiting, of } = outlook();
    const [urgent, usual] = [{ ask: { priority: 1 } }, { ask: {} }] as [PendingCall, PendingCall];
    expect(of.sentAt(usual)).toBe(Number.NEGATIVE_INFINITY);
    waiting();
    expect(of.sentAt(urgent)).toBe(Number.NEGATIVE_INFINITY);
    expect(of.sentAt(usual)).toBe(1_000);
  });

  it('is one with a maxQueueMs that is too short, unless it is an inspection', async () => {
    const { said, clock, of } = outlook();
    const latenessOf = (maxQueueMs?: number, isInspection = false): Error | undefined =>
      of.latenessOf({ ask: { endpoint: 'GET /a', isInspection }, maxQueueMs } as Call);
    expect(latenessOf(0, true)).toBeUndefined();
    expect(latenessOf()).toBeUndefined();
    expect(said.estimates).toBe(0);
    expect(latenessOf(1_000)).toBeUndefined();
    // Each but the first estimate of a call is looked at again with the costs that are sure.
    expect(latenessOf(1_999)).toMatchObject({ window: 'minute', retryAfterMs: 2_000 });
    await clock.advance(0.25);
    expect(latenessOf(1)).toMatchObject({ retryAfterMs: 4_000 });
  });

  it('is one that is late by the costs that are sure, too, and not one that is just in time by them', () => {
    const { told, of } = outlook();
    const latenessOf = (maxQueueMs: number): Error | undefined =>
      of.latenessOf({ ask: { endpoint: 'GET /a' }, maxQueueMs } as Call);
    told.sentAt = ({ cost }) => (cost === undefined ? 2_000 : 1_000);
    expect(latenessOf(999)).toBeDefined();
    expect(latenessOf(1_000)).toBeUndefined();
  });

  it('is one that costs more than a whole window where others wait; where none does, the pacer answers', () => {
    const { said, of } = outlook();
    const latenessOf = (cost: number): Error | undefined =>
      of.latenessOf({ ask: { endpoint: 'GET /a', cost }, request: { url: 'https://a.test/a' } } as Call);
    expect(latenessOf(LIMIT)).toBeUndefined();
    expect(latenessOf(LIMIT + 1)).toMatchObject({ window: 'minute', why: 'it is too much.' });
    said.waiting = 0;
    expect(latenessOf(LIMIT + 1)).toBeUndefined();
  });
});

describe('calls that wait with a maxQueueMs', () => {
  it('are looked at again when the windows change, and no sooner again than after 10 ms for a thousand of them', async () => {
    const { said, clock, waiting, of } = outlook();
    const bounds = new Map(Array.from({ length: 1_000 }, () => [waiting(), { by: 9_000, since: 0 }] as const));
    const look = (): number => {
      of.lateErrors(bounds);
      return said.estimates;
    };
    expect([look(), look()]).toEqual([1, 1]);
    await clock.advance(9);
    said.revision++;
    expect(look()).toBe(1);
    await clock.advance(1);
    expect([look(), look()]).toEqual([2, 2]);
  });

  it('are looked at again when much has come before them', async () => {
    const { said, clock, waiting, of } = outlook();
    const bounds = new Map(Array.from({ length: 16 }, () => [waiting(), { by: 9_000, since: 0 }] as const));
    of.lateErrors(bounds);
    const lookAfter = async (priority: number): Promise<number> => {
      waiting({ priority });
      await clock.advance(1);
      of.lateErrors(bounds);
      return said.estimates;
    };
    expect(await lookAfter(0)).toBe(1);
    // One that overtakes 17 is less than a sixteenth of all; two are more.
    expect(await lookAfter(1)).toBe(1);
    expect(await lookAfter(1)).toBe(2);
  });

  it('are turned away with one estimate for all of a kind and the time that each has waited, and are ahead of no other then', async () => {
    const { said, told, clock, backlog, waiting, of } = outlook();
    const [short, long] = [4_000, 6_000];
    const calls = [short, short, long].map((ms) => waiting({}, 1, ms));
    const other = waiting({ endpoint: 'GET /b' }, 1, short);
    await clock.advance(3_000);
    const bounds = new Map(
      [...calls, other].map((call) => [call, { by: call.maxQueueMs ?? Number.NaN, since: 0 }] as const),
    );
    // The plans are those without an instant and those of each instant, for each endpoint.
    Object.assign(told, { late: [0, 2, 1, 0, 0], sentAt: () => 5_000 });
    const errors = of.lateErrors(bounds);
    expect([...errors.keys()]).toEqual(calls);
    const why = 'the call would be sent after about 5 s, with 7 waiting.';
    expect([...errors.values()]).toMatchObject(
      calls.map(({ maxQueueMs }) => ({ maxQueueMs, why, retryAfterMs: 2_000 })),
    );
    // Of all calls that wait, and of a call like those that are late.
    expect(said.estimates).toBe(2);
    expect(backlog.aheadOf(0)).toMatchObject([{ endpoint: 'GET /b', count: 1 }]);
  });

  it('are not turned away while no limit is known', () => {
    const { told, waiting, of } = outlook();
    told.late = undefined;
    expect(of.lateErrors(new Map([[waiting(), { by: 1, since: 0 }]])).size).toBe(0);
  });
});
