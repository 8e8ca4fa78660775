import { describe, expect, it } from 'vitest';
import type { Demand } from '../../../src/sharing/ledger/call-needs.ts';
import type { Composed, Ledger } from '../../../src/sharing/ledger/ledger.ts';
import { ask, demand, kept, ledgerOf, TRIP_MS } from '../support/ledgers.ts';
import { answering, BEGIN, reading } from '../support/small.ts';

describe('the ledger of a process', () => {
  it('asks for the present second alone for a call that comes alone, and for the one after it, into which it may fall', () => {
    const { slots, want } = ledgerOf({ second: 20 }).compose(demand(), 100, TRIP_MS);
    expect(slots.map(({ name }) => Number(name) - BEGIN / 1_000)).toEqual([0, 1]);
    expect(want).toBe(1);
  });

  it('asks for the present second alone where half of every window is free', () => {
    const ledger = ledgerOf({ second: 20 });
    ask(ledger, demand(), [1], 100);
    ledger.spend(1, 110);
    const { slots } = ledger.compose(demand(), 200, TRIP_MS);
    expect(slots.map(({ name, wish }) => [Number(name) - BEGIN / 1_000, wish])).toEqual([[0, 1]]);
  });

  describe('asks for the calls that will likely follow, by its rate', () => {
    /** A process that has spent four units a second, and was told how much of each window is used. */
    function steady(limit: number, used = 0, others = 0): Ledger {
      const ledger = ledgerOf({ second: limit });
      for (let at = 0; at < 10_000; at += 250) ledger.book.settle(ledger.spend(1, at), 0);
      const composed = ledger.compose(demand(), 9_800, TRIP_MS);
      const granted = composed.slots.map(({ name }) => (name === String(BEGIN / 1_000 + 9) ? 1 : 0));
      const counts = composed.windows.map(() => used);
      const answer = answering({ now: BEGIN + 9_800, granted, used: counts, others });
      ledger.receive(composed, answer, 1, 9_800, 9_801);
      ledger.book.settle(ledger.spend(1, 9_801), 0);
      return ledger;
    }
    const wanted = (ledger: Ledger, rest: Partial<Demand> = {}, at = 10_100): number =>
      ledger.compose(demand(rest), at, TRIP_MS).want;

    it('for a slot that lasts two seconds longer, four units at most', () => {
      const { slots, want } = steady(100).compose(demand(), 10_100, TRIP_MS);
      expect(want).toBe(5);
      expect(slots.filter(({ wish }) => wish === 3).map(({ name }) => name)).toEqual([`${BEGIN / 1_000 + 10}+2`]);
    });

    it('not where half of a window is used, others lack units, or the call is urgent', () => {
      expect(wanted(steady(20, 11))).toBe(1);
      expect(wanted(steady(20, 0, 1))).toBe(1);
      expect(wanted(steady(20), { isUrgent: true })).toBe(1);
    });

    it('not where calls have become rare', () => {
      expect(wanted(steady(20), {}, 30_100)).toBe(1);
    });

    it('and once more for the call alone, at once, where that slot has no room', () => {
      const ledger = steady(20);
      const composed = ledger.compose(demand(), 10_100, TRIP_MS);
      const used = composed.windows.map(({ limit }) => limit);
      const granted = composed.slots.map(() => 0);
      ledger.receive(composed, answering({ now: BEGIN + 10_101, granted, used }), 1, 10_100, 10_101);
      expect(ledger.policy.nextAt(0, false)).toBeLessThanOrEqual(10_101);
      const { slots, want } = ledger.compose(demand(), 10_101, TRIP_MS);
      expect(want).toBe(1);
      expect(slots.filter(({ wish }) => wish === 1).map(({ name }) => name)[0]).toBe(`${BEGIN / 1_000 + 10}`);
    });

    describe('where the store is near', () => {
      function near(): Ledger {
        const ledger = steady(100);
        ledger.planner.isNear = true;
        return ledger;
      }

      /** Asks although no call waits, and is granted all that it wants, or nothing. */
      function askAhead(ledger: Ledger, at: number, isFree = true): Composed {
        const composed = ledger.compose(demand({ want: 0 }), at, TRIP_MS);
        const granted = composed.slots.map(({ wish }) => (wish > 0 && isFree ? composed.want : 0));
        const used = composed.windows.map(() => 0);
        ledger.receive(composed, answering({ now: BEGIN + at, granted, used }), 1, at, at + 1);
        return composed;
      }

      it('before any call, for no part of what it needs and for half of no window; elsewhere it does not', () => {
        expect(askAhead(steady(100), 10_100).want).toBe(0);
        const composed = askAhead(near(), 10_100);
        expect([composed.want, composed.need, kept(composed)]).toEqual([
          4,
          4,
          { [`second:${BEGIN / 1_000 + 10}`]: 50, [`second:${BEGIN / 1_000 + 11}`]: 50 },
        ]);
      });

      it('not where calls wait for more than one unit: they get what is free, whoever else may need it', () => {
        const composed = near().compose(demand({ want: 6 }), 10_100, TRIP_MS);
        expect([composed.want, composed.need]).toEqual([6, 1]);
        expect(new Set(Object.values(kept(composed)))).toEqual(new Set([0]));
      });

      it('and two seconds later again where it was granted nothing', () => {
        const ledger = near();
        askAhead(ledger, 10_100, false);
        expect(ledger.planner.asksAheadAt(11_700)).toBe(12_101);
      });

      it('and keeps what it was granted until it asks again, when its slot ends', () => {
        const ledger = near();
        askAhead(ledger, 10_100);
        expect(ledger.compose(demand({ want: 0 }), 10_200, TRIP_MS)).toMatchObject({ want: 0, held: 4 });
        const at = ledger.planner.asksAheadAt(10_200);
        expect(at).toBeCloseTo(11_979, 0);
        const { slots, want } = ledger.compose(demand({ want: 0 }), at, TRIP_MS);
        expect([want, slots.map(({ total }) => total), ledger.held(at)]).toEqual([3, [0, 0], 0]);
      });
    });
  });

  it('asks further ahead the more processes need units, to three seconds', () => {
    const ledger = ledgerOf({ second: 20 });
    const last = (now: number): number => {
      const { slots } = ledger.compose(demand({ want: 50 }), now, TRIP_MS);
      return Number(slots.at(-1)?.name) - (BEGIN + now) / 1_000;
    };
    expect(last(0)).toBe(1);
    ask(ledger, demand({ want: 50 }), [], 0, { others: 30 });
    expect(last(1_000)).toBeGreaterThan(2);
    // What was said of the others long ago is no reason to book ahead of them.
    expect(last(30_000)).toBeLessThan(2);
  });

  it('asks as far ahead after three seconds in which it spent what it had: the others need units as before', () => {
    const ledger = ledgerOf({ second: 20 });
    ask(ledger, demand({ want: 50 }), [], 0, { others: 30 });
    const { slots } = ledger.compose(demand({ want: 50 }), 3_000, TRIP_MS);
    expect(Number(slots.at(-1)?.name) - (BEGIN + 3_000) / 1_000).toBeGreaterThan(2);
  });

  it('asks for no more than it could send in the time asked for', () => {
    const ledger = ledgerOf({ second: 1_000 });
    for (const sentAt of [100, 110])
      ledger.read(reading({ period: 'second', limit: 1_000, sentAt, receivedAt: sentAt + 500 }));
    const { want } = ledger.compose(demand({ want: 900, concurrency: 4 }), 700, TRIP_MS);
    // Four at once, half a second each, for a little more than three seconds: 900 wait.
    expect(want).toBeLessThan(30);
  });
});
