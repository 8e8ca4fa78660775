import { describe, expect, it } from 'vitest';
import { aligned } from '../../../src/quota/models/aligned.ts';
import { firstRequest } from '../../../src/quota/models/first-request.ts';
import type { Charged, Ledger } from '../../../src/sharing/ledger/ledger.ts';
import { ask, demand, ledgerOf, TRIP_MS, wished } from '../support/ledgers.ts';
import { reading } from '../support/small.ts';

describe('the ledger of a process', () => {
  it('asks for what it does not hold yet', () => {
    const ledger = ledgerOf({ second: 20 });
    ask(ledger, demand({ want: 6 }), [6], 100);
    expect(ledger.left(110)).toBe(6);
    expect(ledger.compose(demand({ want: 8 }), 120, TRIP_MS).want).toBe(2);
  });

  it('asks for a unit that shows the shape of a second as one that holds nothing: it is no part of what others must leave', () => {
    const ledger = ledgerOf({});
    const shapes = { alive: [aligned, firstRequest], epoch: 0 };
    ledger.read(reading({ period: 'second', limit: 20, used: 0, shapes, sentAt: 0, receivedAt: 20 }));
    ask(ledger, demand({ want: 8 }), [0, 0, 0, 0, 5], 100, { others: 1 });
    expect(ledger.compose(demand({ want: 8 }), 420, TRIP_MS)).toMatchObject({ want: 3, held: 5 });
    ledger.read(reading({ period: 'second', limit: 20, used: 1, shapes, sentAt: 400, receivedAt: 420 }));
    expect(ledger.choice.isProbing(430)).toBe(true);
    expect(ledger.compose(demand({ want: 8 }), 430, TRIP_MS)).toMatchObject({ want: 1, held: 0 });
    // It asks for none where no call waits.
    expect(ledger.compose(demand({ want: 0 }), 430, TRIP_MS)).toMatchObject({ want: 0 });
  });

  it('asks for an urgent call although units of a later second are held', () => {
    const ledger = ledgerOf({ second: 20 });
    ask(ledger, demand({ want: 5 }), [0, 5], 100);
    expect([ledger.left(110), ledger.held(110)]).toEqual([0, 5]);
    expect(ledger.compose(demand(), 120, TRIP_MS).want).toBe(0);
    const urgent = ledger.compose(demand({ isUrgent: true }), 130, TRIP_MS);
    expect([urgent.want, wished(urgent)]).toEqual([1, ['0']]);
  });

  it('asks for an urgent call that has no units for those of the next second, too', () => {
    expect(wished(ledgerOf({ second: 20 }).compose(demand({ isUrgent: true }), 100, TRIP_MS))).toEqual(['0', '1']);
  });

  it('sends at the end of a second on no unit of it: it may arrive in the next', () => {
    const ledger = ledgerOf({ second: 20 });
    ask(ledger, demand({ want: 6 }), [6], 100);
    expect(ledger.left(970)).toBe(6);
    // The slowest answer of late took 20 ms.
    expect(ledger.left(981)).toBe(0);
  });

  it('knows when the next units may be sent, and when the present second is over', () => {
    const ledger = ledgerOf({ second: 20 });
    ask(ledger, demand({ want: 5 }), [0, 5], 100);
    expect(ledger.nextHeld(110)).toBeCloseTo(1_000, 0);
    expect(ledger.nextSlot(110)).toBeCloseTo(1_000, 0);
  });
});

describe('what a ledger knows of the units that it holds', () => {
  it('when units are to be given back that nobody spent: a second after their own', () => {
    const ledger = ledgerOf({ second: 20 });
    expect(ledger.givesBackAt(100)).toBe(Infinity);
    ask(ledger, demand({ want: 2 }), [2], 100);
    expect(ledger.givesBackAt(110)).toBeCloseTo(2_000, 0);
    for (const now of [120, 130]) ledger.book.settle(ledger.spend(1, now), 0);
    expect(ledger.givesBackAt(140)).toBe(Infinity);
  });

  it('an urgent call takes what is held, and asks for none of it again', () => {
    const ledger = ledgerOf({ second: 20 });
    ask(ledger, demand({ want: 5 }), [5], 100);
    expect(ledger.compose(demand({ isUrgent: true, want: 5 }), 120, TRIP_MS).want).toBe(0);
  });

  it('a call that needs more than is held of any one slot asks for all of it, and what is held is given back', () => {
    for (const isUrgent of [false, true]) {
      const ledger = ledgerOf({ second: 20 });
      ask(ledger, demand({ want: 5 }), [5], 100);
      const { want, need, slots } = ledger.compose(demand({ isUrgent, want: 9, need: 9 }), 130, TRIP_MS);
      expect([want, need, slots.map(({ total }) => total)]).toEqual([9, 9, slots.map(() => 0)]);
    }
  });

  it('a call that needs more than is held of any one slot leaves what smaller calls need', () => {
    const ledger = ledgerOf({ second: 20 });
    ask(ledger, demand({ want: 5 }), [5], 100);
    const { want, need, slots } = ledger.compose(demand({ want: 12, need: 9 }), 130, TRIP_MS);
    expect([want, need, Math.max(...slots.map(({ total }) => total))]).toEqual([9, 9, 3]);
  });

  it('calls behind one that is covered ask for what they lack, and not for what that one needs', () => {
    const ledger = ledgerOf({ second: 20 });
    ask(ledger, demand({ want: 5, need: 5 }), [5], 100);
    expect(ledger.compose(demand({ want: 7, need: 5 }), 130, TRIP_MS)).toMatchObject({ want: 2, need: 2 });
    expect(ledger.held(140)).toBe(5);
  });

  it('units that no call waits for are given back', () => {
    const ledger = ledgerOf({ second: 20 });
    ask(ledger, demand({ want: 5 }), [5], 100);
    const { slots } = ledger.compose(demand({ want: 2 }), 120, TRIP_MS);
    expect(slots.map(({ total }) => total)).toContain(2);
    expect(ledger.held(130)).toBe(2);
  });
});

describe('a ledger whose requests are held up past the end of their second', () => {
  /** Two requests are under way that were sent at 0.9 s and 0.91 s, and `granted` units are held of the next second. */
  function heldUp(granted: number): { readonly ledger: Ledger; readonly requests: readonly Charged[] } {
    const ledger = ledgerOf({ second: 20 });
    const requests = [900, 910].map((now) => ledger.charge(1, now));
    ask(ledger, demand({ want: 5 }), [0, granted], 1_100);
    return { ledger, requests };
  }

  it('keeps a unit of the present second for each, as long as it may not have arrived', () => {
    const { ledger } = heldUp(5);
    expect([ledger.left(1_110), ledger.heldUp(1_110)]).toEqual([3, 2]);
    expect([3_910, 3_911].map((now) => ledger.heldUp(now))).toEqual([2, 0]);
    expect(heldUp(0).ledger.left(1_110)).toBe(0);
  });

  it('charges both to the present second once one is served, and nothing once one is refused', () => {
    for (const [isServed, owed] of [
      [true, 2],
      [false, 0],
    ] as const) {
      const { ledger, requests } = heldUp(0);
      ledger.settle(requests[0] as Charged, 1, isServed, 1_120);
      expect([ledger.book.owed, ledger.heldUp(1_130)]).toEqual([owed, isServed ? 0 : 1]);
    }
  });

  it('charges nothing for a request that ends while no window is known yet', () => {
    const ledger = ledgerOf({});
    ledger.settle(ledger.charge(1, 100), 1, true, 120);
    expect(ledger.book.owed).toBe(0);
  });
});
