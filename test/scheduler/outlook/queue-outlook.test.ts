import { describe, expect, it } from 'vitest';
import type { Call } from '../../../src/http/call.ts';
import type { Ask, Reason } from '../../../src/quota/admission.ts';
import type { Books } from '../../../src/quota/books.ts';
import type { ClientWide } from '../../../src/quota/client-wide.ts';
import type { Plan, PlanEstimate } from '../../../src/quota/forecast/estimate.ts';
import { Backlog, type BackloggedCall } from '../../../src/scheduler/outlook/backlog.ts';
import { QueueOutlook } from '../../../src/scheduler/outlook/queue-outlook.ts';
import type { PendingCall } from '../../../src/scheduler/queue/pending-call.ts';
import { virtualClock } from '../../../src/testing/index.ts';

const PLAN = { endpoint: 'GET /a', count: 1 };

/** No call may cost more units. */
const LIMIT = 100;

/** Plans that were estimated, and whether by the soonest that any shape allows. */
interface Asked {
  readonly plans: readonly Plan[];
  readonly isBest: boolean;
}

/** The outlook of a queue, whose estimates the test makes: each is a second after the one before. */
function outlook() {
  const said = {
    ...{ key: 1, pausedUntil: 0, concurrency: 8, cost: 1, sure: 1, surprises: 0, revision: 0 },
    ...{ estimates: 0, waiting: 7, isShapeOpen: false },
  };
  /** What else the estimates say; without `late` there is none. */
  const told: {
    late: readonly number[] | undefined;
    sentAt: (last: Plan, isBest: boolean) => number;
    bestLate: ((plans: readonly Plan[]) => readonly number[]) | undefined;
    windowMs: number;
  } = { late: [], sentAt: () => 1_000 * said.estimates, bestLate: undefined, windowMs: 0 };
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
  /** A call that waits. */
  const waiting = (ask: Partial<Ask> = {}, cost = 1, maxQueueMs?: number): BackloggedCall & PendingCall => {
    const call = { ask: { endpoint: 'GET /a', maxWaitMs: 0, ...ask }, maxQueueMs } as BackloggedCall & PendingCall;
    backlog.add(call, cost);
    return call;
  };
  return { said, told, asked, clock, backlog, waiting, of };
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
    expect(of.sentAt(usual)).toBe(-Infinity);
    waiting();
    expect(of.sentAt(urgent)).toBe(-Infinity);
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
    const why = 'the call would be sent after about 5 s, with 7 waiting';
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

describe('an estimate', () => {
  it('says never where the stated cost exceeds a whole window, but for what is sure, which a cost says that was never stated', () => {
    const { of } = outlook();
    const plan = { ...PLAN, cost: LIMIT + 1 };
    expect(of.estimate(plan, 0)).toMatchObject({ sentAt: Infinity, window: 'minute' });
    expect(of.estimate(plan, 0, 'sure')).toMatchObject({ sentAt: 1_000 });
  });

  it.each([
    ['likely', [undefined, 2, 9, 2]],
    ['sure', [3, 2, 9, 2]],
    // It may pass what costs more.
    ['best', [1, 2, 2]],
  ] as const)('that is %s reckons with what calls ahead cost', (reckoning, costs) => {
    const { said, asked, waiting, of } = outlook();
    said.sure = 3;
    waiting();
    waiting({ cost: 2 }, 2);
    waiting({ cost: 9 }, 9);
    of.estimate({ ...PLAN, cost: 2 }, 0, reckoning);
    expect(asked.map(({ isBest }) => isBest)).toEqual([reckoning === 'best']);
    expect(asked[0]?.plans.map(({ cost }) => cost)).toEqual(costs);
  });
});

describe('a call that is late by what is likely and by what is sure, while a window may have several shapes', () => {
  /** It would be sent after 9 s, and at the soonest after some time. */
  function doubtful(bestAt: number, windowMs: number, isShapeOpen = true) {
    const one = outlook();
    Object.assign(one.said, { isShapeOpen });
    Object.assign(one.told, { windowMs, sentAt: (_: Plan, isBest: boolean) => (isBest ? bestAt : 9_000) });
    const isRefused = (maxQueueMs: number): boolean =>
      one.of.latenessOf({ ask: { endpoint: 'GET /a' }, maxQueueMs } as Call) !== undefined;
    return { ...one, isRefused };
  }

  it.each([
    ['in time by more than a window', 5_000, 2_000, 5_000 - 3_000],
    ['within a window from now', 3_500, 2_000, 1_500],
  ])(
    'waits if the most favourable shape has it sent %s, and is looked at again soon',
    (_, maxQueueMs, windowMs, until) => {
      const { of, isRefused } = doubtful(until, windowMs);
      expect(isRefused(maxQueueMs)).toBe(false);
      expect(of.recheckAt).toBe(windowMs / 32);
      expect(doubtful(until + 1, windowMs).isRefused(maxQueueMs)).toBe(true);
    },
  );

  it('is looked at again when it can be in time no more, if that is sooner', () => {
    const { of, isRefused } = doubtful(1, 2_000);
    expect(isRefused(2_001)).toBe(false);
    expect(of.recheckAt).toBe(1);
  });

  it.each([
    ['no window binds', 5_000, 0, true],
    ['all shapes are known', 5_000, 2_000, false],
    ['its instant is no more than a window away', 2_000, 2_000, true],
  ])('is refused at once where %s', (_, maxQueueMs, windowMs, isShapeOpen) => {
    const { asked, isRefused } = doubtful(0, windowMs, isShapeOpen);
    expect(isRefused(maxQueueMs)).toBe(true);
    expect(asked.some(({ isBest }) => isBest)).toBe(false);
  });

  it('is reckoned by what it likely costs', () => {
    const { said, asked, isRefused } = doubtful(0, 2_000);
    Object.assign(said, { cost: 5, sure: 3 });
    isRefused(5_000);
    expect(asked.map(({ plans }) => plans.at(-1)?.cost)).toEqual([undefined, 3, 5]);
  });
});

describe('waiting calls that are late, while a window may have several shapes', () => {
  /** Calls of a cost each that wait since the beginning and are to be sent within 5 s, of windows of 2 s. */
  function late(costs: readonly number[], late: readonly number[], bestLate: readonly number[]) {
    const one = outlook();
    Object.assign(one.said, { isShapeOpen: true });
    Object.assign(one.told, { late, bestLate: () => bestLate, windowMs: 2_000, sentAt: () => 9_000 });
    const bounds = new Map(
      costs.map(
        (cost) => [one.waiting({ cost, endpoint: `GET /${cost}` }, cost, 5_000), { by: 5_000, since: 0 }] as const,
      ),
    );
    const refused = (): readonly (number | undefined)[] =>
      [...one.of.lateErrors(bounds).keys()].map(({ ask }) => ask.cost);
    return { ...one, refused };
  }

  it('are refused but for those that the most favourable shape has sent in time, which are looked at again', async () => {
    const { told, of, clock, refused, said } = late([1, 1, 1], [0, 3], [0, 1]);
    expect(refused()).toHaveLength(1);
    expect(of.recheckAt).toBe(2_000 / 32);
    const before = said.estimates;
    told.bestLate = () => [0, 2];
    await clock.advance(2_000 / 32 - 1);
    expect([refused().length, said.estimates]).toEqual([0, before]);
    await clock.advance(1);
    expect(refused()).toHaveLength(2);
  });

  it('of higher cost are passed by those of lower cost, each cost is reckoned once, and its own reckoning decides', () => {
    const { told, asked, refused } = late([1, 3, 1], [0, 1, 0, 1, 0, 1], []);
    // Where the costly one goes, too, it is late.
    told.bestLate = (plans) => (plans[3]?.count === 0 ? [0, 0, 0, 0, 0, 0] : [0, 0, 0, 1, 0, 0]);
    expect(refused()).toEqual([3]);
    const best = asked.filter(({ isBest }) => isBest);
    // Calls without an instant, and with one: of one unit, of three, and of one.
    expect(best.map(({ plans }) => plans.map(({ endpoint, count }) => `${endpoint} ${count}`))).toEqual([
      ['GET /1 0', 'GET /1 1', 'GET /3 0', 'GET /3 0', 'GET /1 0', 'GET /1 1'],
      ['GET /1 0', 'GET /1 1', 'GET /3 0', 'GET /3 1', 'GET /1 0', 'GET /1 1'],
    ]);
    expect(best[0]?.plans.map(({ by }) => by)).toEqual([undefined, 2_000, undefined, 2_000, undefined, 2_000]);
  });

  it('and have no chance any more are refused beside others like them that have one', async () => {
    const { said, told, clock, waiting, of } = outlook();
    Object.assign(said, { isShapeOpen: true });
    Object.assign(told, { late: [0, 1, 1], bestLate: () => [0, 0, 0], windowMs: 2_000, sentAt: () => 9_000 });
    const [first, second] = [waiting({}, 1, 5_000), waiting({}, 1, 8_000)];
    await clock.advance(2_000);
    const bounds = new Map([
      [first, { by: 5_000, since: 0 }],
      [second, { by: 8_000, since: 1_000 }],
    ]);
    expect([...of.lateErrors(bounds).keys()]).toEqual([first]);
  });

  it('are all refused where no shape is more favourable, and nothing is looked at again', () => {
    const { of, refused } = late([1, 1], [0, 2], [0, 2]);
    expect(refused()).toHaveLength(2);
    expect(of.recheckAt).toBe(Infinity);
  });

  it('are refused once their chance is over: a window before their instant, or a window after they came', async () => {
    const { asked, clock, refused } = late([1], [0, 1], [0, 0]);
    await clock.advance(2_000);
    expect(refused()).toHaveLength(1);
    expect(asked.some(({ isBest }) => isBest)).toBe(false);
  });

  it('are not estimated by the most favourable shape where none of them is late', () => {
    const { asked, refused } = late([1], [0, 0], [0, 0]);
    expect(refused()).toEqual([]);
    expect(asked.map(({ isBest }) => isBest)).toEqual([false]);
  });
});

describe('calls that wait and cost more than was known', () => {
  it('are looked at again once a cost has surprised, and not before', async () => {
    const { said, clock, waiting, of } = outlook();
    const bounds = new Map([[waiting(), { by: 9_000, since: 0 }]]);
    const look = async (): Promise<number> => {
      await clock.advance(1);
      of.lateErrors(bounds);
      return said.estimates;
    };
    expect(await look()).toBe(1);
    said.sure = 50;
    expect(await look()).toBe(1);
    said.surprises++;
    expect(await look()).toBe(2);
  });
});
