import { describe, expect, it } from 'vitest';
import type { Member } from '../../../src/share.ts';
import { CallNeeds, type Demand } from '../../../src/sharing/ledger/call-needs.ts';

interface World {
  readonly needs: CallNeeds;
  waiting: number;
  urgentWaiting: number;
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
  const member = { waiting: () => world.waiting, urgentWaiting: () => world.urgentWaiting, concurrency: 32 };
  const needs = new CallNeeds(member as unknown as Member);
  const world: World = {
    needs,
    waiting: 0,
    urgentWaiting: 0,
    send(requests, cost = 1) {
      for (let count = 0; count < requests; count++) needs.onSent(cost);
    },
    demand: (isBusy) => needs.demand(needs.first, undefined, isBusy),
  };
  needs.ask({ endpoint: 'GET /a', units, priority, ...(maxWaitMs === undefined ? {} : { maxWaitMs }) }, units);
  return world;
}

describe('what the calls of a process need', () => {
  it('is one unit before any call has asked', () => {
    const member = { waiting: () => 1, urgentWaiting: () => 1, concurrency: 32 };
    const needs = new CallNeeds(member as unknown as Member);
    expect(needs.demand(needs.first, undefined, false)).toEqual({
      ...{ need: 1, want: 1, isUrgent: false, concurrency: 32, maxWaitMs: Infinity },
    });
  });

  it('is what the first call costs, how long it waits, and whether it is urgent', () => {
    expect(worldOf({ units: 3, priority: 1, maxWaitMs: 900 }).needs.first).toEqual({
      ...{ units: 3, isUrgent: true, maxWaitMs: 900 },
    });
    expect(worldOf().needs.first).toEqual({ units: 1, isUrgent: false, maxWaitMs: Infinity });
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
    world.needs.onEnded();
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

  it('is over when no call waits and none is under way', () => {
    const world = worldOf();
    expect(world.needs.isIdle).toBe(true);
    world.waiting = 1;
    expect(world.needs.isIdle).toBe(false);
    world.waiting = 0;
    world.send(1);
    expect(world.needs.isIdle).toBe(false);
    world.needs.onEnded();
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

  it('is none where an urgent call goes before one that is not', () => {
    expect([passedBy(1, 0), passedBy(0, 1), passedBy(1, 1)]).toEqual([undefined, 4, 4]);
  });

  it('counts with its units where they are held, and not by the usual cost', () => {
    const { needs } = Object.assign(worldOf({ units: 4 }), { waiting: 3 });
    needs.pass(100);
    needs.ask({ endpoint: 'GET /b', units: 2, priority: 0 }, 2);
    expect(needs.demand(needs.first, needs.passed(99), false)).toMatchObject({ need: 2, want: 2 + 4 + 1 });
  });
});

describe('the units of urgent calls that a store is told', () => {
  it('are those that were sent and those that wait, each once', () => {
    const world = worldOf({ priority: 1 });
    world.urgentWaiting = 2;
    world.send(3);
    expect(world.needs.urgentToTell).toBe(5);
    world.needs.toldUrgent(5);
    expect(world.needs.urgentToTell).toBe(0);
    world.urgentWaiting = 0;
    world.send(2);
    expect(world.needs.urgentToTell).toBe(0);
    world.send(1);
    expect(world.needs.urgentToTell).toBe(1);
  });

  it('are counted by the usual cost where they wait, rounded up', () => {
    const world = worldOf();
    world.send(1, 11);
    world.urgentWaiting = 3;
    expect(world.needs.urgentToTell).toBe(5);
  });

  it('are none of calls that are not urgent', () => {
    const world = worldOf();
    world.send(3);
    expect(world.needs.urgentToTell).toBe(0);
  });
});
