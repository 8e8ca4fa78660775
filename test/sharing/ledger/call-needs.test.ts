import { describe, expect, it } from 'vitest';
import { type Member, type Rank, URGENT, USUAL } from '../../../src/share.ts';
import { CallNeeds, type Demand } from '../../../src/sharing/ledger/call-needs.ts';

interface World {
  readonly needs: CallNeeds;
  waiting: number;
  urgentWaiting: number;
  lowWaiting: number;
  /** Sends requests that cost so much each. */
  send(requests: number, units?: number): void;
  /** What is to be asked for where no call is passed. */
  demand(isBusy: boolean): Demand;
}

/** A process whose first call asks to be sent. */
function worldOf({
  units = 1,
  priority = 0,
  maxWaitMs,
}: {
  units?: number;
  priority?: number;
  maxWaitMs?: number;
} = {}): World {
  const member = {
    waiting: (rank?: Rank) => (rank === URGENT ? world.urgentWaiting : world.waiting - (rank ? world.lowWaiting : 0)),
    concurrency: 32,
  };
  const needs = new CallNeeds(member as unknown as Member);
  const world: World = {
    needs,
    waiting: 0,
    urgentWaiting: 0,
    lowWaiting: 0,
    send(requests, cost = 1) {
      for (let count = 0; count < requests; count++) needs.onSent(cost, 0);
    },
    demand: (isBusy) => needs.demand(needs.first, undefined, isBusy),
  };
  needs.ask({ endpoint: 'GET /a', units, priority, ...(maxWaitMs === undefined ? {} : { maxWaitMs }) }, units);
  return world;
}

describe('what the calls of a process need', () => {
  it('is one unit before any call has asked', () => {
    const member = { waiting: () => 1, concurrency: 32 };
    const needs = new CallNeeds(member as unknown as Member);
    expect(needs.demand(needs.first, undefined, false)).toEqual({
      ...{ need: 1, want: 1, rank: USUAL, isUrgent: false, concurrency: 32, maxWaitMs: Infinity },
    });
  });

  it('is what the first call costs, how long it waits, and whether it is urgent', () => {
    expect(worldOf({ units: 3, priority: 1, maxWaitMs: 900 }).needs.first).toEqual({
      ...{ units: 3, rank: URGENT, isUrgent: true, maxWaitMs: 900 },
    });
    expect(worldOf().needs.first).toEqual({ units: 1, rank: USUAL, isUrgent: false, maxWaitMs: Infinity });
  });

  it('is nothing where no call waits, however many are under way', () => {
    const world = worldOf({ units: 3 });
    world.send(20);
    expect(world.demand(true)).toMatchObject({ need: 3, want: 0 });
  });

  it('is the cost of the first and the usual cost of each other', () => {
    const world = worldOf({ units: 3 });
    world.waiting = 5;
    expect(world.demand(false).want).toBe(3 + 4);
    // 0.05 of the way from 1 to 11.
    world.send(1, 11);
    expect(world.demand(false).want).toBe(3 + 4 * 1.5);
  });

  it('is one more for each request under way of a busy process, and for every second one of eight or more', () => {
    const world = worldOf();
    world.waiting = 1;
    world.send(7);
    expect([world.demand(true).want, world.demand(false).want]).toEqual([8, 1]);
    world.send(2);
    expect([world.demand(true).want, world.demand(false).want]).toEqual([10, 5]);
    world.needs.onEnded(1);
    expect([world.demand(true).want, world.demand(false).want]).toEqual([9, 5]);
  });

  it('is that of urgent calls alone where the first is urgent', () => {
    const urgent = worldOf({ priority: 1 });
    Object.assign(urgent, { waiting: 9, urgentWaiting: 2 });
    expect(urgent.demand(false)).toMatchObject({ want: 2, isUrgent: true });
    const other = worldOf();
    Object.assign(other, { waiting: 9, urgentWaiting: 2 });
    expect(other.demand(false)).toMatchObject({ want: 9, isUrgent: false });
  });

  it('is that of usual and urgent calls where calls of a lower priority wait behind a usual one, which then is as urgent', () => {
    const member = { waiting: (rank = 0) => [9, 3, 1][rank], concurrency: 32 };
    const needs = new CallNeeds(member as unknown as Member);
    const first = (priority: number) => {
      needs.ask({ endpoint: 'GET /a', units: 1, priority }, 1);
      return needs.demand(needs.first, undefined, false);
    };
    expect(first(0)).toMatchObject({ want: 3, rank: USUAL, isUrgent: true });
    expect(first(-0.5)).toMatchObject({ want: 9, rank: 0, isUrgent: false });
  });

  it('is over when no call waits and none is under way', () => {
    const world = worldOf();
    expect(world.needs.isIdle).toBe(true);
    world.waiting = 1;
    expect(world.needs.isIdle).toBe(false);
    world.waiting = 0;
    world.send(1);
    expect(world.needs.isIdle).toBe(false);
    world.needs.onEnded(1);
    expect(world.needs.isIdle).toBe(true);
  });
});

describe('the call that cheaper ones pass', () => {
  /** The units of a call of four units that one of one unit passes, which asks after it. */
  function passedBy(cheap: number, costly: number, now = 99): number | undefined {
    const { needs } = worldOf({ units: 4, priority: costly });
    needs.pass(100);
    needs.ask({ endpoint: 'GET /b', units: 1, priority: cheap }, 1);
    return needs.passed(now)?.units;
  }

  it('is passed until it asks again', () => {
    expect([passedBy(0, 0, 99), passedBy(0, 0, 100)]).toEqual([4, undefined]);
    const { needs } = worldOf({ units: 4 });
    needs.pass(100);
    expect(needs.passed(99)).toBeUndefined();
    needs.ask({ endpoint: 'GET /a', units: 4, priority: 0 }, 4);
    needs.ask({ endpoint: 'GET /b', units: 1, priority: 0 }, 1);
    expect(needs.passed(99)).toBeUndefined();
  });

  it('is none where a call of a higher rank goes before it', () => {
    expect([passedBy(1, 0), passedBy(0, -1), passedBy(0, 1), passedBy(1, 1), passedBy(-1, -2)]).toEqual([
      ...[undefined, undefined, 4, 4, 4],
    ]);
  });

  it('counts with its units where they are held, and not by the usual cost', () => {
    const { needs } = Object.assign(worldOf({ units: 4 }), { waiting: 3 });
    needs.pass(100);
    needs.ask({ endpoint: 'GET /b', units: 2, priority: 0 }, 2);
    expect(needs.demand(needs.first, needs.passed(99), false)).toMatchObject({ need: 2, want: 2 + 4 + 1 });
  });
});

describe('the units that a store is told', () => {
  it('are those that were sent and those that wait, each once, by rank', () => {
    const world = worldOf({ priority: 1 });
    Object.assign(world, { waiting: 9, urgentWaiting: 2, lowWaiting: 4 });
    world.send(3);
    expect(world.needs.toTell).toEqual({ usual: 3, urgent: 5 });
    world.needs.tell({ usual: 3, urgent: 5 });
    expect(world.needs.toTell).toEqual({ usual: 0, urgent: 0 });
    Object.assign(world, { waiting: 7, urgentWaiting: 0 });
    world.send(2);
    expect(world.needs.toTell).toEqual({ usual: 0, urgent: 0 });
    world.send(1);
    expect(world.needs.toTell).toEqual({ usual: 0, urgent: 1 });
    world.needs.ask({ endpoint: 'GET /a', units: 1, priority: 0 }, 1);
    world.send(2);
    expect(world.needs.toTell).toEqual({ usual: 2, urgent: 1 });
  });

  it('are counted by the usual cost where they wait, rounded up', () => {
    const world = worldOf({ priority: -1 });
    world.send(1, 11);
    Object.assign(world, { waiting: 4, urgentWaiting: 3 });
    expect(world.needs.toTell).toEqual({ usual: 2, urgent: 5 });
  });

  it('are none of calls whose priority is below 0', () => {
    const world = worldOf({ priority: -1 });
    Object.assign(world, { waiting: 2, lowWaiting: 2 });
    world.send(3);
    expect(world.needs.toTell).toEqual({ usual: 0, urgent: 0 });
  });
});
