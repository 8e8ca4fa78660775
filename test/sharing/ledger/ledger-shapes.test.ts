import { describe, expect, it } from 'vitest';
import { aligned } from '../../../src/quota/models/aligned.ts';
import { firstRequest } from '../../../src/quota/models/first-request.ts';
import { slidingCounter } from '../../../src/quota/models/sliding-counter.ts';
import { slidingLog } from '../../../src/quota/models/sliding-log.ts';
import type { Ledger } from '../../../src/sharing/ledger/ledger.ts';
import { ask, type Beginning, demand, kept, ledgerOf, TRIP_MS, wished } from '../support/ledgers.ts';
import { answering, BEGIN, reading } from '../support/small.ts';

const SECOND = BEGIN / 1_000;
const OPEN = [aligned, firstRequest];

/** A round trip that leaves it open in which part of a second a request arrives. */
const VAGUE = { roundTripMs: 650 };

/** A ledger of a second whose shape is open, which was granted so much of a tenth, and less than it had asked for. */
function busy(beginning: Beginning = {}): Ledger {
  const ledger = ledgerOf({ second: 20 }, { alive: OPEN, ...beginning });
  ask(ledger, demand({ want: 8 }), [5], 100);
  return ledger;
}

/** Hears of a request that was the first of its second. */
function hearFirst(ledger: Ledger, sentAt: number, roundTripMs = 20): void {
  const shapes = { alive: OPEN, epoch: 0 };
  ledger.read(reading({ period: 'second', limit: 20, used: 1, shapes, sentAt, receivedAt: sentAt + roundTripMs }));
}

describe('a ledger of a second whose shape is open', () => {
  it('needs a process that sends alone, unless the shape may be found out while all send', () => {
    expect(ledgerOf({ second: 20 }).needsLook(100)).toBe(false);
    expect(ledgerOf({ second: 20 }, { alive: OPEN }).needsLook(100)).toBe(false);
    expect(ledgerOf({ second: 20 }, { alive: OPEN, ...VAGUE }).needsLook(700)).toBe(true);
    expect(ledgerOf({ second: 20 }, { ...VAGUE }).needsLook(700)).toBe(false);
  });

  it('needs one where usage may slide, until there are no more looks', () => {
    const ledger = ledgerOf({ second: 20 }, { alive: [aligned, slidingLog] });
    expect(ledger.needsLook(100)).toBe(true);
    ledger.looksOver();
    expect(ledger.needsLook(100)).toBe(false);
  });

  it('asks for units that show it only while it lacks units, and after the first request of a second', () => {
    const calm = ledgerOf({ second: 20 }, { alive: OPEN });
    hearFirst(calm, 400);
    expect(calm.choice.isProbing(430)).toBe(false);
    expect(calm.compose(demand({ want: 8 }), 430, TRIP_MS).want).toBe(8);
    const ledger = busy();
    expect(ledger.choice.isProbing(430)).toBe(false);
    hearFirst(ledger, 400);
    expect(ledger.choice.isProbing(430)).toBe(true);
  });

  it('asks for none where it is not known in which part of a second a request arrives', () => {
    const ledger = busy(VAGUE);
    hearFirst(ledger, 300, 650);
    expect(ledger.choice.isProbing(960)).toBe(false);
  });

  describe('that has units to ask for that show it', () => {
    /** Five units are held of a slot that is over at 1.2 s. */
    function probing(): Ledger {
      const ledger = ledgerOf({ second: 20 }, { alive: OPEN });
      ask(ledger, demand({ want: 8 }), [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5], 100);
      hearFirst(ledger, 400);
      return ledger;
    }

    it('asks for one where calls wait that are not urgent, and it holds fewer units than they need', () => {
      expect(probing().compose(demand({ want: 8 }), 430, TRIP_MS)).toMatchObject({ want: 1, held: 0 });
      expect(probing().compose(demand({ want: 5 }), 430, TRIP_MS)).toMatchObject({ want: 0, held: 5 });
      expect(probing().compose(demand({ want: 8, isUrgent: true }), 430, TRIP_MS)).toMatchObject({ held: 5 });
    });

    it('asks for none whose answer would come after the second', () => {
      expect(probing().compose(demand({ want: 8 }), 900, 20)).toMatchObject({ want: 1, held: 0 });
      expect(probing().compose(demand({ want: 8 }), 980, 30)).toMatchObject({ want: 3, held: 5 });
    });

    it('leaves nothing for it to others', () => {
      const of = (want: number): number | undefined =>
        kept(probing().compose(demand({ want }), 430, TRIP_MS))[`second:${SECOND}`];
      expect([of(8), of(5)]).toEqual([0, undefined]);
    });
  });

  describe('leaves the beginning of each second and two units to the process that finds out', () => {
    const asked = (ledger: Ledger, rest = {}, now = 200): { readonly slots: string[]; readonly kept: number } => {
      const composed = ledger.compose(demand({ want: 9, ...rest }), now, TRIP_MS);
      return { slots: wished(composed), kept: Math.max(...Object.values(kept(composed))) };
    };

    it('where it lacks units', () => {
      const { slots, kept: left } = asked(busy());
      expect(slots[0]).toBe('f4');
      expect(left).toBe(2);
    });

    it('not where it lacks none', () => {
      const { slots, kept: left } = asked(ledgerOf({ second: 20 }, { alive: OPEN }));
      expect(slots[0]).toBe('f2');
      expect(left).toBe(0);
    });

    it('not for a call that is alone, after a grant in full', () => {
      const ledger = busy();
      ask(ledger, demand({ want: 8 }), [0, 0, 0, 3], 150);
      expect([ledger.policy.isBusy(200), ledger.policy.isLimited]).toEqual([true, false]);
      expect(asked(ledger, { want: 9, need: 9 }).kept).toBe(0);
      expect(asked(ledger, { want: 9, need: 1 }).kept).toBe(2);
    });

    it('not where it is not known in which part of a second a request arrives', () => {
      expect(asked(busy(VAGUE)).kept).toBe(0);
    });

    it('not for an urgent call', () => {
      expect(asked(busy(), { isUrgent: true }).kept).toBe(0);
    });
  });
});

describe('a ledger of a minute that the service estimates from two counters', () => {
  const NOW = 15_500;

  /** Units that are held of the first slot and of all, by an answer that says that 8 were used of the minute before. */
  function held(granted: readonly number[]): readonly number[] {
    const ledger = ledgerOf({ minute: 10 }, { alive: [slidingCounter] });
    const composed = ledger.compose(demand({ want: 8 }), NOW, TRIP_MS);
    const total = granted.reduce((sum, units) => sum + units, 0);
    const used = composed.windows.map(({ name }) => (name === `minute:${SECOND}` ? total : 8));
    ledger.receive(composed, answering({ now: BEGIN + NOW, granted, used }), 1, NOW, NOW + TRIP_MS);
    // What is not used is returned with the next ask.
    const { slots } = ledger.compose(demand({ want: 8 }), NOW + TRIP_MS, TRIP_MS);
    expect(slots.reduce((sum, slot) => sum + slot.total, 0)).toBe(ledger.held(NOW + TRIP_MS));
    return [ledger.left(NOW + TRIP_MS), ledger.held(NOW + TRIP_MS)];
  }

  it('uses no more of a grant than what the answer says of the minute before leaves, the earliest first', () => {
    // Three quarters of the minute are left, so 6 of the 8 still count.
    expect(held([3])).toEqual([3, 3]);
    expect(held([8])).toEqual([4, 4]);
    expect(held([3, 5])).toEqual([3, 4]);
    expect(held([5, 3])).toEqual([4, 4]);
  });
});
