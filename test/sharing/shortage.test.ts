import { describe, expect, it } from 'vitest';
import { aligned } from '../../src/quota/models/aligned.ts';
import { SHAPES } from '../../src/quota/models/all.ts';
import { firstRequest } from '../../src/quota/models/first-request.ts';
import type { Shape } from '../../src/quota/models/model.ts';
import { slidingLog } from '../../src/quota/models/sliding-log.ts';
import type { Member } from '../../src/share.ts';
import { Discovery } from '../../src/sharing/facts/discovery.ts';
import { CallNeeds } from '../../src/sharing/ledger/call-needs.ts';
import type { Ledger } from '../../src/sharing/ledger/ledger.ts';
import { Shortage } from '../../src/sharing/shortage.ts';
import { ask, demand, ledgerOf } from './support/ledgers.ts';
import { reading } from './support/small.ts';

interface World {
  readonly shortage: Shortage;
  readonly ledger: Ledger;
  readonly discovery: Discovery;
  readonly needs: CallNeeds;
  waiting: number;
}

interface First {
  readonly units?: number;
  readonly priority?: number;
  readonly maxWaitMs?: number;
}

/** A process with calls that wait, the first of which is such a one. */
function worldOf(
  limits: Parameters<typeof ledgerOf>[0],
  { waiting = 1, alive = [aligned], ...first }: First & { waiting?: number; alive?: readonly Shape[] } = {},
): World {
  const member = { waiting: () => world.waiting, concurrency: 32 };
  const needs = new CallNeeds(member as unknown as Member);
  const [ledger, discovery] = [ledgerOf(limits, { alive }), new Discovery()];
  const world: World = { shortage: new Shortage(needs, ledger, discovery), ledger, discovery, needs, waiting };
  const { units = 1, priority = 0 } = first;
  needs.ask({ endpoint: 'GET /a', priority, ...first, units }, units);
  return world;
}

describe('a process whose calls wait', () => {
  it('lacks units as long as it holds fewer than all of them need', () => {
    const world = worldOf({ second: 20 }, { waiting: 3 });
    expect(world.shortage.isNow(100)).toBe(true);
    ask(world.ledger, demand({ want: 3 }), [2], 100);
    expect(world.shortage.isNow(110)).toBe(true);
    world.waiting = 2;
    expect(world.shortage.isNow(110)).toBe(false);
  });

  it('lacks nothing that can be named while no window is known', () => {
    expect(worldOf({}, { waiting: 3 }).shortage.isNow(100)).toBe(false);
  });

  it('lacks units for an urgent call although a later second has them', () => {
    const [urgent, other] = [1, 0].map((priority) => worldOf({ second: 20 }, { priority }));
    for (const world of [urgent, other]) if (world) ask(world.ledger, demand({ want: 5 }), [0, 5], 100);
    expect([urgent?.shortage.isNow(110), other?.shortage.isNow(110)]).toEqual([true, false]);
    const there = worldOf({ second: 20 }, { priority: 1 });
    ask(there.ledger, demand(), [1], 100);
    expect(there.shortage.isNow(110)).toBe(false);
  });

  it('lacks units for a call that needs as many of one second as it holds of several', () => {
    const world = worldOf({ second: 20 }, { units: 5 });
    ask(world.ledger, demand({ want: 6 }), [2, 3], 100);
    expect(world.ledger.held(110)).toBe(5);
    expect(world.shortage.isNow(110)).toBe(true);
    ask(world.ledger, demand({ want: 5, need: 5 }), [5], 120);
    expect(world.shortage.isNow(130)).toBe(false);
  });

  it('asks for nothing ahead while a call waits for the second of which a unit is held: that trip would say nothing and be due again at the same instant', () => {
    const world = worldOf({ second: 1 }, { waiting: 0 });
    world.ledger.planner.isNear = true;
    // More than one call lately, and the only unit is of a second that is far.
    for (const at of [40, 55, 70]) world.ledger.book.settle(world.ledger.spend(1, at), 0);
    ask(world.ledger, demand({ want: 60 }), [0, 0, 0, 1], 100);
    const now = 1_700;
    expect(world.shortage.asksAheadAt(now)).toBe(now);
    world.waiting = 1;
    expect(world.shortage.isNow(now)).toBe(false);
    expect(world.shortage.asksAheadAt(now)).toBe(Infinity);
  });

  it('asks for nothing during its look, in which it sends without units', () => {
    const world = worldOf({ second: 20 }, { waiting: 3 });
    world.discovery.ask(true, 100);
    world.discovery.hear('granted', false, 101);
    expect(world.shortage.demand(200)).toMatchObject({ need: 1, want: 0 });
    expect(world.shortage.isNow(200)).toBe(false);
    expect(world.shortage.demand(2_000).want).toBe(3);
  });

  it('asks at once, and after a refusal when units may be there', () => {
    const world = worldOf({ second: 20 }, { waiting: 3 });
    expect(world.shortage.isAskDue(100)).toBe(true);
    ask(world.ledger, demand({ want: 3 }), [], 100);
    const at = world.ledger.policy.nextAt(0, false);
    expect(at).toBeGreaterThan(900);
    expect([at - 1, at].map((now) => world.shortage.isAskDue(now))).toEqual([false, true]);
    expect(world.shortage.endsAt(200)).toBe(at);
    world.waiting = 0;
    expect(world.shortage.isAskDue(at)).toBe(false);
  });

  it('asks for an urgent call when that is due, also while a unit that shows a shape is to be asked for: it asks for none', () => {
    const asks = (priority: number): boolean => {
      const world = worldOf({ second: 20 }, { waiting: 8, alive: [aligned, firstRequest], priority });
      // Five units are held of a slot that has not begun at 0.43 s, and a reading shows the first request of this second.
      ask(world.ledger, demand({ want: 8, isUrgent: priority > 0 }), [0, 5], 425);
      const news = { limit: 20, used: 1, shapes: { alive: [aligned, firstRequest], epoch: 0 } };
      world.ledger.read(reading({ period: 'second', ...news, sentAt: 400, receivedAt: 420 }));
      expect(world.ledger.choice.isProbing(430)).toBe(true);
      return world.shortage.isAskDue(430);
    };
    expect([asks(0), asks(1)]).toEqual([true, false]);
  });

  it('waits for the units that it holds of a later second, or for what it may ask for sooner', () => {
    const world = worldOf({ second: 20 }, { waiting: 5 });
    ask(world.ledger, demand({ want: 5 }), [0, 5], 100);
    expect(world.shortage.endsAt(110)).toBeCloseTo(1_000, 0);
    world.waiting = 6;
    // Whoever holds less than is needed may ask at once, in a millisecond.
    expect(world.shortage.endsAt(110)).toBe(111);
  });

  it('waits for the next second where nothing is held and nothing asked for', () => {
    const world = worldOf({ second: 20 }, { waiting: 0 });
    expect(world.shortage.endsAt(110)).toBeCloseTo(1_000, 0);
  });
});

describe('a process whose first call is passed by a cheaper one', () => {
  /** A call of four units, and one of one unit that asks after it, are the only ones that wait. */
  function passed(limits: Parameters<typeof ledgerOf>[0], before: (ledger: Ledger) => void = () => {}): World {
    const world = worldOf(limits, { units: 4, waiting: 2, maxWaitMs: 900 });
    before(world.ledger);
    world.needs.pass(1_000);
    world.needs.ask({ endpoint: 'GET /b', units: 1, priority: 0 }, 1);
    return world;
  }

  it('asks for what that one needs first', () => {
    expect(passed({ second: 20 }).shortage.demand(200)).toMatchObject({ need: 4, want: 5, maxWaitMs: 900 });
  });

  it('asks for what the cheaper one needs once the other has its units, which are not given back', () => {
    const world = passed({ second: 20 }, (ledger) => ask(ledger, demand({ need: 4, want: 4 }), [0, 4], 100));
    expect(world.shortage.demand(200)).toMatchObject({ need: 1, want: 5, maxWaitMs: Infinity });
  });

  it('asks for what the cheaper one needs while what is left of a window is of no use to the other', () => {
    const world = passed({ minute: 500 }, (ledger) =>
      ask(ledger, demand({ need: 4, want: 4 }), [], 100, { used: [497] }),
    );
    expect(world.shortage.demand(200)).toMatchObject({ need: 1, want: 2 });
  });
});

describe('a window that is full', () => {
  /** A minute that is full by what the store said at 0.1 s. */
  function full(first: First): World {
    const world = worldOf({ minute: 500 }, first);
    ask(world.ledger, demand(), [], 100);
    return world;
  }

  it('is one for a call that waits until it ends, and for one that would fail sooner', () => {
    expect(full({}).shortage.full(200)?.instance.window.period).toBe('minute');
    expect(full({ maxWaitMs: 1_000 }).shortage.full(200)?.instance.window.period).toBe('minute');
    expect(worldOf({ minute: 500 }).shortage.full(200)).toBeUndefined();
  });

  it('is one for a call that waits just as long, and none for one that gives up a moment sooner', () => {
    const { shortage, ledger } = full({});
    const leftMs = ledger.timeline.surely(shortage.full(200)?.instance.end ?? 0, 200) - 200;
    expect(full({ maxWaitMs: leftMs }).shortage.full(200)).toBeDefined();
    expect(full({ maxWaitMs: leftMs - 0.001 }).shortage.full(200)).toBeUndefined();
  });

  it('is none for a call that would fail, where what is left was kept for the beginning of the next: it is asked for soon', () => {
    const kept = (maxWaitMs: number): World => {
      const world = worldOf({ minute: 100 }, { maxWaitMs, alive: [aligned, firstRequest] });
      const used = world.ledger.compose(demand(), 9_990, 1).windows.map(() => 99);
      ask(world.ledger, demand(), [], 10_000, { used });
      return world;
    };
    const hasty = kept(1_000);
    expect(hasty.ledger.full(10_010)?.isKept).toBe(true);
    expect(hasty.shortage.full(10_010)).toBeUndefined();
    // The answer came at 10.001 s.
    expect(hasty.shortage.endsAt(10_010)).toBe(10_101);
    expect(kept(60_000).shortage.endsAt(10_010)).toBeGreaterThan(59_000);
  });

  it('is asked for again at its end', () => {
    const { shortage, ledger } = full({});
    const end = shortage.full(200)?.instance.end ?? Number.NaN;
    expect(shortage.endsAt(200)).toBeCloseTo(ledger.timeline.surely(end, 200), 6);
  });

  it('is none for a call that waits for five seconds and not until it ends, while units may be given back', () => {
    const world = full({ maxWaitMs: 10_000 });
    expect(world.shortage.full(200)).toBeUndefined();
    expect(full({ maxWaitMs: 5_000 }).shortage.full(200)).toBeUndefined();
    expect(full({ maxWaitMs: 4_999 }).shortage.full(200)).toBeDefined();
    // What was full for five seconds stays so.
    ask(world.ledger, demand(), [], 5_099);
    expect(world.shortage.full(5_100)).toBeUndefined();
    ask(world.ledger, demand(), [], 5_100);
    expect(world.shortage.full(5_110)).toBeDefined();
  });
});

describe('a look', () => {
  const due = (world: World, now: number, isUnlimited = false): boolean =>
    world.shortage.isLookDue(isUnlimited, world.waiting, now);

  it('is due where calls wait and no window is known, unless there is none to learn', () => {
    expect(due(worldOf({}), 100)).toBe(true);
    expect(due(worldOf({}, { waiting: 0 }), 100)).toBe(false);
    expect(due(worldOf({}), 100, true)).toBe(false);
  });

  it('is due where four calls wait for units of a second whose shape is in doubt', () => {
    const world = worldOf({ second: 20 }, { waiting: 4, alive: SHAPES });
    expect(due(world, 100)).toBe(false);
    ask(world.ledger, demand({ want: 4 }), [], 100);
    expect(due(world, 200)).toBe(true);
    world.waiting = 3;
    expect(due(world, 200)).toBe(false);
    expect(due(worldOf({ second: 20 }, { waiting: 4 }), 200)).toBe(false);
  });

  it('is followed by another as long as any call waits', () => {
    const world = worldOf({ second: 20 }, { alive: SHAPES });
    world.discovery.ask(false, 100);
    world.discovery.hear('granted', false, 101);
    // The next one begins at its end.
    expect([due(world, 500), due(world, 1_000)]).toEqual([false, true]);
    world.waiting = 0;
    expect(due(world, 1_000)).toBe(false);
  });

  it.each([
    ['minute', aligned],
    ['minute', slidingLog],
    ['day', slidingLog],
  ] as const)('is not due while a longer window is full, by a single answer: a %s', (period, shape) => {
    const world = worldOf({ second: 20 }, { waiting: 4, alive: SHAPES });
    world.ledger.windows.open(period, 100, { alive: [shape], epoch: 0 });
    const { windows } = world.ledger.compose(demand({ want: 4 }), 90, 1);
    const used = windows.map(({ name }) => (name.startsWith(period) ? 100 : 0));
    ask(world.ledger, demand({ want: 4 }), [], 100, { used });
    expect(due(world, 200)).toBe(false);
  });
});
