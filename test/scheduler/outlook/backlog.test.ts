import { describe, expect, it } from 'vitest';
import { Backlog, type BackloggedCall } from '../../../src/scheduler/outlook/backlog.ts';
import { URGENT, USUAL } from '../../../src/share.ts';

/** Lets calls come. */
function calls(backlog: Backlog) {
  return (endpoint: string, options: { readonly cost?: number; readonly priority?: number } = {}): BackloggedCall => {
    const call = { ask: { endpoint, maxWaitMs: 0, ...options } } as BackloggedCall;
    backlog.add(call, options.cost ?? 1);
    return call;
  };
}

const A = { endpoint: 'GET /a', query: undefined, cost: undefined };
const B = { ...A, endpoint: 'GET /b' };

describe('the backlog', () => {
  it('counts the calls that wait, by kind, those of higher priority first', () => {
    const backlog = new Backlog();
    const call = calls(backlog);
    for (const cost of [undefined, 2, 2]) call('GET /a', cost ? { cost } : {});
    call('GET /b', { priority: 5 });
    call('GET /c', { priority: -1 });
    expect(backlog.aheadOf(0)).toEqual([
      { ...B, count: 1 },
      { ...A, count: 1 },
      { ...A, cost: 2, count: 2 },
    ]);
    expect(backlog.aheadOf(5)).toEqual([{ ...B, count: 1 }]);
  });

  it('counts the calls that wait by rank, and none that is sent, until it is queued again', () => {
    const backlog = new Backlog();
    const call = calls(backlog);
    const [first] = [1, 0, -1, undefined, 9].map((priority) =>
      call('GET /a', priority === undefined ? {} : { priority }),
    );
    const waiting = () => ([0, USUAL, URGENT] as const).map((rank) => backlog.waiting(rank));
    expect(waiting()).toEqual([5, 4, 2]);
    backlog.leave(first as BackloggedCall);
    expect(waiting()).toEqual([4, 3, 1]);
    backlog.queue(first as BackloggedCall);
    expect(waiting()).toEqual([5, 4, 2]);
    backlog.remove(first as BackloggedCall);
    expect(waiting()).toEqual([4, 3, 1]);
  });

  it('keeps the order in which kinds came, exactly of hundreds of calls, and of thousands in few stretches', () => {
    const backlog = new Backlog();
    const call = calls(backlog);
    for (const endpoint of ['GET /a', 'GET /b', 'GET /a']) for (let nth = 0; nth < 100; nth++) call(endpoint);
    expect(backlog.aheadOf(0).map(({ endpoint, count }) => [endpoint, count])).toEqual([
      ['GET /a', 100],
      ['GET /b', 100],
      ['GET /a', 100],
    ]);
    for (let nth = 0; nth < 400; nth++) call(nth % 2 ? 'GET /a' : 'GET /b');
    expect(
      backlog
        .aheadOf(0)
        .slice(3)
        .map(({ count }) => count),
    ).toEqual(Array(400).fill(1));
    for (let nth = 0; nth < 5_000; nth++) call(nth % 2 ? 'GET /a' : 'GET /b');
    expect(backlog.aheadOf(0).length).toBeLessThan(600);
  });

  it('takes calls that came in turns with those of other priorities for calls in a row, because they go so', () => {
    const backlog = new Backlog();
    const call = calls(backlog);
    for (let nth = 0; nth < 300; nth++) call(nth === 150 ? 'GET /b' : 'GET /a', { priority: nth % 3 });
    const counts = backlog.aheadOf(0).map(({ endpoint, count }) => [endpoint, count]);
    expect(counts).toEqual([
      ['GET /a', 100],
      ['GET /a', 100],
      ['GET /a', 50],
      ['GET /b', 1],
      ['GET /a', 49],
    ]);
  });

  it('tells queries apart, because their costs may be learned while they wait', () => {
    const backlog = new Backlog();
    for (const query of ['limit=1', 'limit=50', 'limit=1'])
      backlog.add({ ask: { endpoint: 'GET /a', query, maxWaitMs: 0 } } as BackloggedCall, 1);
    expect(backlog.aheadOf(0).map(({ query, count }) => [query, count])).toEqual([
      ['limit=1', 1],
      ['limit=50', 1],
      ['limit=1', 1],
    ]);
  });

  it('makes one kind of costs that are nearly the same, once there are many', () => {
    const backlog = new Backlog();
    for (let nth = 0; nth < 2_000; nth++) calls(backlog)('GET /a', { cost: 1 + (nth % 1_000) / 10 });
    const ahead = backlog.aheadOf(0);
    expect(ahead.length).toBeLessThan(600);
    expect(ahead.reduce((sum, { count, cost = 0 }) => sum + count * cost, 0)).toBeCloseTo(2 * 50_950, 3);
  });

  it('tells nearly the same costs from others, and kinds that come long after one another, also once there are many', () => {
    const backlog = new Backlog();
    const call = calls(backlog);
    for (let nth = 0; nth < 600; nth++) call(`GET /${nth}`, { priority: -1 });
    const runs = [20, 100, 20].map((cost) => [cost, 200] as const);
    for (const [cost, count] of runs) for (let nth = 0; nth < count; nth++) call('GET /a', { cost });
    expect(backlog.aheadOf(0).map(({ cost, count }) => [cost, count])).toEqual(runs);
  });

  it('tells a cost that the caller states from the same one that was learned', () => {
    const backlog = new Backlog();
    const call = calls(backlog);
    call('GET /a');
    call('GET /a', { cost: 1 });
    expect(backlog.aheadOf(0)).toEqual([
      { ...A, count: 1 },
      { ...A, cost: 1, count: 1 },
    ]);
  });

  it('weighs the calls that wait ahead of a priority: the units of each, and one for itself', () => {
    const backlog = new Backlog();
    const call = calls(backlog);
    call('GET /a', { cost: 3 });
    const other = call('GET /a', { cost: 3 });
    call('GET /b', { cost: 9, priority: -1 });
    const weights = () => [1, 0, -1].map((priority) => backlog.weightAheadOf(priority));
    expect(weights()).toEqual([0, 8, 18]);
    backlog.leave(other);
    expect(weights()).toEqual([0, 4, 14]);
  });

  it('counts the weight that has come and gone, so that an estimate is made anew after much of it', () => {
    const backlog = new Backlog();
    const first = calls(backlog)('GET /a', { cost: 3 });
    expect(backlog.moved).toBe(4);
    backlog.leave(first);
    expect(backlog.moved).toBe(8);
    backlog.queue(first);
    backlog.remove(first);
    expect(backlog.moved).toBe(16);
  });

  it('leaves out those under way, and counts them again where they return', () => {
    const backlog = new Backlog();
    const first = calls(backlog)('GET /a');
    calls(backlog)('GET /a');
    backlog.leave(first);
    expect(backlog.aheadOf(0)).toEqual([{ ...A, count: 1 }]);
    backlog.queue(first);
    expect(backlog.aheadOf(0)).toEqual([{ ...A, count: 2 }]);
  });

  it('counts a call once, however often it is said to wait, to leave or to be finished while it waits', () => {
    const backlog = new Backlog();
    const [first, second] = [calls(backlog)('GET /a'), calls(backlog)('GET /a')];
    for (let nth = 0; nth < 2; nth++) backlog.queue(first);
    expect(backlog.aheadOf(0)).toEqual([{ ...A, count: 2 }]);
    for (let nth = 0; nth < 2; nth++) backlog.leave(first);
    expect(backlog.aheadOf(0)).toEqual([{ ...A, count: 1 }]);
    const { moved } = backlog;
    backlog.remove(first);
    expect(backlog.moved).toBe(moved);
    backlog.remove(second);
    expect(backlog.aheadOf(0)).toEqual([]);
  });

  it('forgets calls that are over', () => {
    const backlog = new Backlog();
    const call = calls(backlog);
    const [first, second, third] = [call('GET /a'), call('GET /a'), call('GET /b', { cost: 3 })];
    backlog.remove(first);
    backlog.remove(third);
    expect(backlog.aheadOf(0)).toEqual([{ ...A, count: 1 }]);
    backlog.remove(second);
    expect(backlog.aheadOf(0)).toEqual([]);
  });

  it('forgets kinds that are over, so that the order stays exact however many have come and gone', () => {
    const backlog = new Backlog();
    const call = calls(backlog);
    for (let nth = 0; nth < 2_000; nth++) backlog.remove(call(`GET /${nth}`));
    for (let nth = 0; nth < 100; nth++) call(nth % 2 ? 'GET /b' : 'GET /a');
    expect(backlog.aheadOf(0).map(({ count }) => count)).toEqual(Array(100).fill(1));
    backlog.remove(call('GET /c'));
    call('GET /c');
    expect(backlog.aheadOf(0).at(-1)).toEqual({ ...A, endpoint: 'GET /c', count: 1 });
  });

  it('adds a call to the last of its kind where an earlier one has ended', () => {
    const backlog = new Backlog();
    const call = calls(backlog);
    const first = call('GET /a');
    for (const endpoint of ['GET /b', 'GET /a']) call(endpoint);
    backlog.remove(first);
    call('GET /a');
    expect(backlog.aheadOf(0)).toEqual([
      { ...B, count: 1 },
      { ...A, count: 2 },
    ]);
  });

  it('weighs the calls that overtake others, until none is left to be overtaken', () => {
    const backlog = new Backlog();
    const call = calls(backlog);
    const low = call('GET /a', { priority: -1 });
    backlog.remove(call('GET /b', { priority: -1 }));
    const high = call('GET /a', { cost: 3 });
    expect(backlog.overtaking).toBe(4);
    for (const one of [low, high]) backlog.remove(one);
    call('GET /a', { cost: 3 });
    expect(backlog.overtaking).toBe(4);
  });

  it('has nothing ahead where all calls are under way', () => {
    const backlog = new Backlog();
    backlog.leave(calls(backlog)('GET /a'));
    expect(backlog.aheadOf(0)).toEqual([]);
  });
});

describe('calls that are to be sent by an instant', () => {
  it('are in groups of about the same one, in the order in which they go, behind others of their stretch', () => {
    const backlog = new Backlog();
    const call = calls(backlog);
    const [a, b, c] = [call('GET /a'), call('GET /a'), call('GET /a')];
    call('GET /a');
    const urgent = call('GET /b', { priority: 1 });
    const bounds = [
      [a, 32_000],
      [b, 33_000],
      [c, 33_001],
      [urgent, 9],
    ] as const;
    const groups = backlog.groups(new Map(bounds.map(([one, by]) => [one, { by, since: 0 }])), () => 7, 0);
    const said = groups.map(({ endpoint, count, by, calls: own, cost }) => [endpoint, count, by, own, cost]);
    expect(said.filter(([, count]) => count !== 0)).toEqual([
      ['GET /b', 1, 9, [urgent], 7],
      ['GET /a', 1, undefined, [], 7],
      ['GET /a', 2, 32_000, [a, b], 7],
      ['GET /a', 1, 33_001, [c], 7],
    ]);
  });

  it('are in one group where they are the same, and in others where they are sooner, or later by more than a part of what is left', () => {
    const backlog = new Backlog();
    const instants = [32_000, 32_000, 31_999, 32_499, 32_498];
    const bounds = new Map(instants.map((by) => [calls(backlog)('GET /a'), { by, since: 0 }]));
    const groups = backlog.groups(bounds, () => 1, 16_000).slice(1);
    expect(groups.map(({ by, count }) => [by, count])).toEqual([
      [32_000, 2],
      [31_999, 1],
      [32_499, 1],
      [32_498, 1],
    ]);
  });

  it('are weighed anew only where they cost clearly more than they were weighed', () => {
    const backlog = new Backlog();
    calls(backlog)('GET /a', { cost: 15 });
    expect([16, 16.5, 16].map((cost) => backlog.reweigh(() => cost))).toEqual([false, true, false]);
    expect(backlog.weightAheadOf(0)).toBe(17.5);
  });
});
