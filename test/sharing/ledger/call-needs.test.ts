import { describe, expect, it } from 'vitest';
import type { Member } from '../../../src/share.ts';
import { CallNeeds } from '../../../src/sharing/ledger/call-needs.ts';

/** No call is passed by cheaper ones. */
const UNPASSED = [0, () => false, false] as const;

interface World {
  readonly needs: CallNeeds;
  waiting: number;
  urgentWaiting: number;
  /** Sends requests that cost so much each. */
  send(requests: number, units?: number): void;
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
      for (let count = 0; count < requests; count++) {
        needs.send();
        needs.take(cost);
      }
    },
  };
  needs.ask({ endpoint: 'GET /a', units, priority, ...(maxWaitMs === undefined ? {} : { maxWaitMs }) }, units);
  return world;
}

describe('what the calls of a process need', () => {
  it('is one unit before any call has asked', () => {
    const member = { waiting: () => 1, urgentWaiting: () => 1, concurrency: 32 };
    expect(new CallNeeds(member as unknown as Member).demand(false, ...UNPASSED)).toEqual({
      ...{ need: 1, want: 1, isUrgent: false, concurrency: 32, maxWaitMs: Number.POSITIVE_INFINITY },
    });
  });

  it('is what the first call costs, how long it waits, and whether it is urgent', () => {
    expect(worldOf({ units: 3, priority: 1, maxWaitMs: 900 }).needs.first).toEqual({
      ...{ units: 3, isUrgent: true, maxWaitMs: 900 },
    });
    expect(worldOf().needs.first).toEqual({ units: 1, isUrgent: false, maxWaitMs: Number.POSITIVE_INFINITY });
  });

  it('is nothing where no call waits, however many are under way', () => {
    const world = worldOf({ units: 3 });
    world.send(20);
    expect(world.needs.demand(true, ...UNPASSED)).toMatchObject({ need: 3, want: 0 });
  });

  it('is the cost of the first and the usual cost of each other', () => {
    const world = worldOf({ units: 3 });
    world.waiting = 5;
    expect(world.needs.demand(false, ...UNPASSED).want).toBe(3 + 4);
    // 0.05 of the way from 1 to 11.
    world.send(1, 11);
    expect(world.needs.demand(false, ...UNPASSED).want).toBe(3 + 4 * 1.5);
  });

  it('is one more for each request under way of a busy process, and for every second one of eight or more', () => {
    const world = worldOf();
    world.waiting = 1;
    world.send(7);
    expect([world.needs.demand(true, ...UNPASSED).want, world.needs.demand(false, ...UNPASSED).want]).toEqual([8, 1]);
    world.send(2);
    expect([world.needs.demand(true, ...UNPASSED).want, world.needs.demand(false, ...UNPASSED).want]).toEqual([10, 5]);
    world.needs.settle();
    expect([world.needs.demand(true, ...UNPASSED).want, world.needs.demand(false, ...UNPASSED).want]).toEqual([9, 5]);
  });

  it('is that of urgent calls alone where the first is urgent', () => {
    const urgent = worldOf({ priority: 1 });
    Object.assign(urgent, { waiting: 9, urgentWaiting: 2 });
    expect(urgent.needs.demand(false, ...UNPASSED)).toMatchObject({ want: 2, isUrgent: true });
    const other = worldOf();
    Object.assign(other, { waiting: 9, urgentWaiting: 2 });
    expect(other.needs.demand(false, ...UNPASSED)).toMatchObject({ want: 9, isUrgent: false });
  });

  it('is over when no call waits and none is under way', () => {
    const world = worldOf();
    expect(world.needs.isIdle).toBe(true);
    world.waiting = 1;
    expect(world.needs.isIdle).toBe(false);
    world.waiting = 0;
    world.send(1);
    expect(world.needs.isIdle).toBe(false);
    world.needs.settle();
    expect(world.needs.isIdle).toBe(true);
  });
});

describe('what the calls of a process need while cheaper ones pass the first', () => {
  /** A call of four units, and one of one unit that asks after it, are the only ones that wait. */
  function passed(priorities: { costly?: number; cheap?: number } = {}): World {
    const world = worldOf({ units: 4, priority: priorities.costly ?? 0, maxWaitMs: 900 });
    Object.assign(world, { waiting: 2, urgentWaiting: 2 });
    world.needs.pass(100);
    world.needs.ask({ endpoint: 'GET /b', units: 1, priority: priorities.cheap ?? 0 }, 1);
    return world;
  }

  const demand = (world: World, now: number, isHeld = false, isOver = false) =>
    world.needs.demand(false, now, (units) => isHeld && units === 4, isOver);

  it('is what that one needs first, until it asks again', () => {
    const world = passed();
    expect(demand(world, 99)).toMatchObject({ need: 4, want: 5, maxWaitMs: 900 });
    expect(demand(world, 100)).toMatchObject({ need: 1, want: 2 });
    world.needs.ask({ endpoint: 'GET /a', units: 4, priority: 0 }, 4);
    world.needs.ask({ endpoint: 'GET /b', units: 1, priority: 0 }, 1);
    expect(demand(world, 99)).toMatchObject({ need: 1, want: 2 });
  });

  it('is what the cheaper one needs once the other has its units, which are not given back', () => {
    expect(demand(passed(), 50, true)).toMatchObject({ need: 1, want: 5, maxWaitMs: Number.POSITIVE_INFINITY });
  });

  it('is what the cheaper one needs while what is left of a window is of no use to the other', () => {
    expect(demand(passed(), 50, false, true)).toMatchObject({ need: 1, want: 2 });
  });

  it('is what an urgent one needs that passes one that is not', () => {
    expect(demand(passed({ cheap: 1 }), 50)).toMatchObject({ need: 1, isUrgent: true });
    expect(demand(passed({ costly: 1 }), 50)).toMatchObject({ need: 4, isUrgent: true });
    expect(demand(passed({ costly: 1, cheap: 1 }), 50)).toMatchObject({ need: 4, isUrgent: true });
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
