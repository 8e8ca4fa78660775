import { describe, expect, it } from 'vitest';
import { aligned } from '../../../src/quota/models/aligned.ts';
import { firstRequest } from '../../../src/quota/models/first-request.ts';
import { ask, demand, ledgerOf, TRIP_MS } from '../support/ledgers.ts';
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
  });

  it('asks for an urgent call although units of a later second are held', () => {
    const ledger = ledgerOf({ second: 20 });
    ask(ledger, demand({ want: 5 }), [0, 5], 100);
    expect([ledger.left(110), ledger.held(110)]).toEqual([0, 5]);
    expect(ledger.compose(demand(), 120, TRIP_MS).want).toBe(0);
    expect(ledger.compose(demand({ isUrgent: true }), 130, TRIP_MS).want).toBe(1);
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
