import { describe, expect, it } from 'vitest';
import { aligned } from '../../../src/quota/models/aligned.ts';
import { firstRequest } from '../../../src/quota/models/first-request.ts';
import { slidingLog } from '../../../src/quota/models/sliding-log.ts';
import { URGENT, USUAL } from '../../../src/share.ts';
import type { Demand } from '../../../src/sharing/ledger/call-needs.ts';
import type { Ledger } from '../../../src/sharing/ledger/ledger.ts';
import type { Answer } from '../../../src/sharing/store/store.ts';
import { ask, demand, ledgerOf, TRIP_MS } from '../support/ledgers.ts';
import { answering, BEGIN, reading } from '../support/small.ts';

interface Told {
  readonly others?: number;
  readonly used?: number;
  readonly limits?: Parameters<typeof ledgerOf>[0];
}

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

  describe('where strangers have taken what was granted of a second', () => {
    /** A process that was refused by a full second of 20 units. */
    function refused(): Ledger {
      const ledger = ledgerOf({ second: 20 });
      ledger.read(reading({ period: 'second', limit: 20, used: 20, isRefused: true, sentAt: 900, receivedAt: 940 }));
      return ledger;
    }

    it('spaces the requests of a slot evenly over the rest of it', () => {
      const ledger = refused();
      ask(ledger, demand({ want: 4 }), [4], 2_000);
      ledger.spend(1, 2_100);
      const free = ledger.nextSlot(2_100) - 2_100;
      expect(ledger.spacedFrom(1, 2_100, 2_110)).toBeCloseTo(2_100 + free / 4);
      // Of three units two are one request.
      expect(ledger.spacedFrom(2, 2_100, 2_110)).toBeCloseTo(2_100 + (2 * free) / 5);
    });

    it('leaves them none, and spaces no more, once readings count none but requests of this process', () => {
      const ledger = refused();
      for (let at = 2_500; at < 8_000; at += 1_000) {
        ledger.spend(1, at);
        ledger.read(reading({ period: 'second', limit: 20, used: 1, sentAt: at, receivedAt: at + 40 }));
      }
      expect(ask(ledger, demand({ want: 4 }), [4], 9_000).size).toBe(20);
      ledger.spend(1, 9_100);
      expect(ledger.spacedFrom(1, 9_100, 9_110)).toBe(9_110);
    });

    it('leaves them units, and divides the others among the processes', () => {
      const composed = ask(refused(), demand({ want: 4 }), [4], 2_000);
      expect(composed.size).toBe(19);
      expect(composed.windows.map((each) => each.kept)).toEqual([1, 1]);
    });

    it('spaces none where responses take so long that its units can be spent for a small part of a slot only', () => {
      const ledger = refused();
      for (let nth = 0; nth < 9; nth++) ledger.timeline.addRoundTrip(700);
      ask(ledger, demand({ want: 4 }), [4], 2_000);
      ledger.spend(1, 2_100);
      expect(ledger.left(2_110)).toBe(3);
      expect(ledger.spacedFrom(1, 2_100, 2_110)).toBe(2_110);
    });

    it('does so no more a few minutes later', () => {
      const ledger = refused();
      ledger.spend(1, 300_000);
      expect(ledger.spacedFrom(1, 300_000, 300_001)).toBe(300_001);
    });
  });

  describe('asks for the calls that will likely follow, by its rate', () => {
    /** A process that has spent four units a second, and was told how much of each window is used. */
    function steady(limit: number, used = 0, others = 0): Ledger {
      const ledger = ledgerOf({ second: limit });
      for (let at = 0; at < 10_000; at += 250) ledger.spend(1, at);
      const composed = ledger.compose(demand(), 9_800, TRIP_MS);
      const granted = composed.slots.map(({ name }) => (name === String(BEGIN / 1_000 + 9) ? 1 : 0));
      const counts = composed.windows.map(() => used);
      const answer = answering({ now: BEGIN + 9_800, granted, used: counts, others });
      ledger.receive(composed, answer, 1, 9_800, 9_801);
      ledger.spend(1, 9_801);
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
  });

  describe('tells at once that a request was answered long before its slot ends', () => {
    /** A process whose request took so long, of up to 0.8 s, was told before that of each window `used` are, and that `others` lack units. */
    function answered(tookMs: number, { others = 1, used = 15, limits = { second: 20 } }: Told = {}): Ledger {
      const ledger = ledgerOf(limits, { alive: [slidingLog], roundTripMs: 800 });
      ask(ledger, demand(), [1], 1_000, { others, used: Array.from({ length: 40 }, () => used) });
      ledger.settle({ entry: ledger.spend(1, 1_010), units: 1 }, 1, true, 1_010 + tookMs);
      return ledger;
    }

    it('where others lack units of a second, and once', () => {
      const ledger = answered(100);
      expect(ledger.tellsAt).toBe(-Infinity);
      const { slots } = ask(ledger, demand({ want: 0 }), [], 1_111);
      expect(slots.map(({ name, total }) => [name.startsWith('own:'), total])).toContainEqual([true, 1]);
      expect(ledger.tellsAt).toBe(Infinity);
    });

    it.each<[string, number, Told]>([
      ['no other process lacks units', 100, { others: 0 }],
      ['half of every window is free', 100, { used: 10 }],
      ['its slot is nearly over', 700, {}],
      ['only a longer window limits', 100, { limits: { minute: 20 } }],
    ])('not where %s', (_, tookMs, told) => {
      expect(answered(tookMs, told).tellsAt).toBe(Infinity);
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

  it('leaves to urgent calls what they will need, unless it asks for one', () => {
    const ledger = ledgerOf({ second: 20, minute: 500 });
    const composed = ledger.compose(demand(), 100, TRIP_MS);
    const urgent = { units: 60, forMs: 600_000 };
    ledger.receive(
      composed,
      answering({ now: BEGIN + 100, granted: [1], used: composed.windows.map(() => 1), urgent }),
      1,
      100,
      101,
    );
    const kept = (isUrgent: boolean, need = 1): number => {
      const { windows } = ledger.compose(demand({ want: Math.max(need, 9), need, isUrgent }), 1_200, TRIP_MS);
      return windows.find(({ limit }) => limit === 500)?.kept ?? 0;
    };
    expect(kept(false)).toBeGreaterThan(50);
    expect(kept(true)).toBe(0);
    // One that needs all of it, or nearly all, would wait as long as urgent calls come.
    expect([490, 500].map((need) => kept(false, need))).toEqual([10, 0]);
  });

  it('leaves room for calls of higher ranks: usual and urgent ones, or urgent ones alone', () => {
    const keptAfter = (news: Partial<Answer>): number[] => {
      const ledger = ledgerOf({ second: 20, minute: 500 });
      const composed = ledger.compose(demand(), 100, TRIP_MS);
      const used = composed.windows.map(() => 1);
      ledger.receive(composed, answering({ now: BEGIN + 100, granted: [1], used, ...news }), 1, 100, 101);
      return ([0, USUAL, URGENT] as const).map((rank) => {
        const { windows } = ledger.compose(demand({ want: 9, rank }), 1_200, TRIP_MS);
        return windows.find(({ limit }) => limit === 500)?.kept ?? 0;
      });
    };
    const urgent = { units: 2, forMs: 600_000 };
    const [low, usual] = keptAfter({ urgent, usual: 20 });
    expect(low).toBeGreaterThan(30);
    expect(usual).toBeGreaterThan(6);
    expect(usual).toBeLessThan(20);
    expect(keptAfter({ urgent: { ...urgent, units: 0 }, usual: 22 })).toEqual([low, 0, 0]);
    // A store of an earlier version counts no usual units.
    expect(keptAfter({ urgent })).toEqual([usual, usual, 0]);
  });

  it('has nothing to tell where nothing has changed', () => {
    expect(ledgerOf({ second: 20 }).compose(demand({ want: 0 }), 100, TRIP_MS).slots).toEqual([]);
  });

  it('counts a request that costs more than a window as all of it, because it would never be sent otherwise', () => {
    const ledger = ledgerOf({ second: 20, minute: 500 });
    expect([ledger.units(2.5), ledger.units(80)]).toEqual([3, 20]);
  });

  it('divides what the shortest window holds, not the longest', () => {
    expect(ledgerOf({ second: 20, month: 5_000 }).compose(demand(), 100, TRIP_MS).size).toBe(20);
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

  it('sends readings with its asks, so that the store knows what strangers use', () => {
    const ledger = ledgerOf({ minute: 500 });
    ledger.read(reading({ period: 'minute', limit: 500, used: 120, sentAt: 50, receivedAt: 70 }));
    const { windows } = ledger.compose(demand(), 100, TRIP_MS);
    expect(windows.map((window) => window.reading)).toContain(120);
  });
});

describe('what a ledger knows of the share', () => {
  /** Asks, and hears that this part of each window is used. */
  function told(part: number, others = 0): Ledger {
    const ledger = ledgerOf({ second: 20, minute: 500 });
    const composed = ledger.compose(demand(), 100, TRIP_MS);
    const used = composed.windows.map(({ limit }) => Math.round(limit * part));
    const granted = composed.slots.map((_, nth) => (nth === 0 ? 1 : 0));
    ledger.receive(composed, answering({ now: BEGIN + 100, granted, used, others }), 1, 100, 101);
    return ledger;
  }

  it('calls are likely to fit where half of every window is free, and as likely as not where nothing was said for long', () => {
    expect(ledgerOf({ second: 20 }).policy.isAmple(100)).toBe(false);
    expect([told(0.5), told(0.55)].map((ledger) => ledger.policy.isAmple(200))).toEqual([true, false]);
    expect([10_101, 10_102].map((now) => told(0.55).policy.isAmple(now))).toEqual([false, true]);
  });

  it('calls are not likely to fit where fewer units were granted than asked for, however much is free', () => {
    const ledger = ledgerOf({ second: 20 });
    const composed = ledger.compose(demand(), 100, TRIP_MS);
    ledger.receive(composed, answering({ now: BEGIN + 100, used: composed.windows.map(() => 0) }), 1, 100, 101);
    expect([200, 60_000].map((now) => ledger.policy.isAmple(now))).toEqual([false, true]);
  });

  it('others lack units by the last answer, for as long as they would ask again', () => {
    const ledger = told(0, 3);
    // An ask for three seconds ahead that was not granted in full a second and a half ago.
    expect([200, 4_601, 4_602].map((now) => ledger.policy.others(now))).toEqual([3, 3, 0]);
  });

  it('how much of the calendar’s window has passed, by the service’s clock', () => {
    const ledger = ledgerOf({ minute: 500 });
    expect(ledger.elapsed('minute', 5_000)).toBeCloseTo(5_000, -2);
    expect(ledger.elapsed('minute', 65_000)).toBeCloseTo(5_000, -2);
  });

  it('when units are to be given back that nobody spent: a second after their own', () => {
    const ledger = ledgerOf({ second: 20 });
    expect(ledger.givesBackAt(100)).toBe(Infinity);
    ask(ledger, demand({ want: 2 }), [2], 100);
    expect(ledger.givesBackAt(110)).toBeCloseTo(2_000, 0);
    for (const now of [120, 130]) ledger.book.settle(ledger.spend(1, now), 0);
    expect(ledger.givesBackAt(140)).toBe(Infinity);
  });

  it('which slots others may have been granted: it asks for none that begins before', () => {
    const ledger = ledgerOf({ second: 20 });
    ledger.choice.askFrom(4_500);
    for (const want of [1, 50]) {
      const { slots } = ledger.compose(demand({ want }), 100, TRIP_MS);
      expect(Number(slots[0]?.name) - BEGIN / 1_000).toBeGreaterThan(4);
    }
    const { slots } = ledger.compose(demand({ want: 50 }), 6_000, TRIP_MS);
    expect(Number(slots[0]?.name) - BEGIN / 1_000).toBe(5);
  });

  it.each([
    ['nothing but later slots', 100, [2]],
    ['the present slot where the loss was so long ago that those of that time are over', 5_000, [0, 1]],
  ])('a store has lost its memory: it asks for %s', (_, forMs, seconds) => {
    const ledger = ledgerOf({ second: 20 });
    const hear = (sinceMs: number, used: number, at: number): void => {
      const composed = ledger.compose(demand(), at, TRIP_MS);
      const counts = composed.windows.map(() => used);
      const told = { now: BEGIN + at, urgent: { units: 0, forMs: sinceMs }, used: counts, granted: [0, 0] };
      ledger.receive(composed, answering(told), 4, at, at + TRIP_MS);
    };
    hear(600_000, 15, 0);
    hear(forMs, 0, 9_000);
    const begins = ledger.compose(demand(), 9_010, TRIP_MS).slots.filter(({ wish }) => wish > 0);
    expect(begins.map(({ name }) => Number(name) - BEGIN / 1_000 - 9)).toEqual(seconds);
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
