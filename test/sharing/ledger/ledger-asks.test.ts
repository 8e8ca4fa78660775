import { describe, expect, it } from 'vitest';
import { aligned } from '../../../src/quota/models/aligned.ts';
import type { Shape } from '../../../src/quota/models/model.ts';
import { slidingCounter } from '../../../src/quota/models/sliding-counter.ts';
import { slidingLog } from '../../../src/quota/models/sliding-log.ts';
import type { Ledger } from '../../../src/sharing/ledger/ledger.ts';
import { ask, demand, exactClock, ledgerOf, TRIP_MS, wished } from '../support/ledgers.ts';
import { answering, BEGIN, reading } from '../support/small.ts';

const SECOND = BEGIN / 1_000;

describe('how much a ledger asks for', () => {
  it('all that waits, if so much may be sent before the last second asked for is over', () => {
    expect(ledgerOf({ second: 100 }).compose(demand({ want: 50 }), 100, TRIP_MS).want).toBe(50);
  });

  it('as much as is sent until the last second asked for is over, less what is held', () => {
    const slow = (): Ledger => ledgerOf({ second: 1_000 }, { roundTripMs: 200 });
    // Four at once, a fifth of a second each, from 0.1 s to 2.0 s: 38, and one for the drift of the clocks.
    expect(slow().compose(demand({ want: 900, concurrency: 4 }), 100, TRIP_MS).want).toBe(39);
    // As many calls that cost five units.
    expect(slow().compose(demand({ want: 900, need: 5, concurrency: 4 }), 100, TRIP_MS).want).toBe(195);
    const holding = slow();
    ask(holding, demand({ want: 6, concurrency: 4 }), [6], 90);
    expect(holding.compose(demand({ want: 900, concurrency: 4 }), 100, TRIP_MS).want).toBe(33);
    const crowded = slow();
    ask(crowded, demand({ want: 900 }), [], 90, { others: 30 });
    // To 3.0 s, because 31 parts that are rounded up are more than a second: 58, and one.
    expect(crowded.compose(demand({ want: 900, concurrency: 4 }), 100, TRIP_MS).want).toBe(59);
  });

  it('nothing where no call waits, although the last one was urgent', () => {
    expect(ledgerOf({ second: 20 }).compose(demand({ want: 0, isUrgent: true }), 100, TRIP_MS).want).toBe(0);
  });

  it('nothing for an urgent call that costs just what is held of the present second', () => {
    const ledger = ledgerOf({ second: 20 });
    ask(ledger, demand(), [1], 100);
    expect(ledger.compose(demand({ isUrgent: true }), 120, TRIP_MS).want).toBe(0);
  });

  it('for an urgent call units of the second in which the answer arrives', () => {
    const ledger = ledgerOf({ second: 20 });
    ask(ledger, demand({ want: 5 }), [0, 5], 100);
    expect(wished(ledger.compose(demand({ isUrgent: true }), 130, 1_900))).toEqual(['2']);
  });

  it.for([
    [1, ['0']],
    [11, ['0', '1']],
  ] as const)(
    'one second for a call alone where half of it is free, and else two: %s of 20 are used',
    ([used, seconds]) => {
      const ledger = ledgerOf({ second: 20 });
      ask(ledger, demand(), [1], 100, { others: 30, used: [used, used] });
      ledger.spend(1, 150);
      expect(wished(ledger.compose(demand(), 200, TRIP_MS))).toEqual(seconds);
    },
  );

  it('for a call that costs several units tenths for more than two seconds, but where the service estimates the second', () => {
    const count = (shape: Shape, need: number): number =>
      wished(ledgerOf({ second: 20 }, { alive: [shape] }).compose(demand({ want: 20, need }), 100, TRIP_MS)).length;
    expect([count(slidingLog, 5), count(slidingLog, 1), count(slidingCounter, 5), count(aligned, 5)]).toEqual([
      25, 11, 11, 2,
    ]);
  });

  it('no second further than the next where two processes divide what it holds', () => {
    const ledger = ledgerOf({ second: 20 });
    ask(ledger, demand({ want: 50 }), [], 100, { others: 1 });
    expect(wished(ledger.compose(demand({ want: 50 }), 200, TRIP_MS))).toEqual(['0', '1']);
  });

  it('for a call alone as many seconds as for many, after a grant that was too small', () => {
    const ledger = ledgerOf({ second: 20 });
    ask(ledger, demand({ want: 9 }), [4], 100, { others: 30 });
    expect(wished(ledger.compose(demand({ want: 5 }), 200, TRIP_MS))).toEqual(['0', '1', '2', '3']);
    ledger.spend(4, 200);
    expect(wished(ledger.compose(demand(), 210, TRIP_MS))).toEqual(['0', '1', '2', '3']);
  });

  it('not the units that span two seconds, after a grant that was too small', () => {
    // What is sent at 990 ms may arrive in this second or in the next.
    expect(wished(ledgerOf({ second: 20 }).compose(demand({ want: 9 }), 990, TRIP_MS))).toEqual(['0+1', '1']);
    const ledger = ledgerOf({ second: 20 });
    ask(ledger, demand({ want: 9 }), [4], 100);
    expect(wished(ledger.compose(demand({ want: 9 }), 200, TRIP_MS))).toEqual(['0', '1']);
    expect(wished(ledger.compose(demand({ want: 9 }), 990, TRIP_MS))).toEqual(['1']);
  });

  it('the second that begins at the very instant from which it may ask', () => {
    const ledger = ledgerOf({ second: 20 }, { clock: exactClock(3_000) });
    ledger.choice.askFrom(3_000);
    expect(wished(ledger.compose(demand(), 3_100, TRIP_MS))).toEqual(['3', '4']);
  });

  it('the present second where the one from which it may ask is so far that the clock must have been set back', () => {
    const ledger = ledgerOf({ second: 20 }, { clock: exactClock(60_000) });
    ledger.choice.askFrom(75_000);
    // A slot so far would be dropped as over: the ask would name none, and be due again at once.
    expect(wished(ledger.compose(demand(), 60_100, TRIP_MS))[0]).toBe('60');
    ledger.choice.askFrom(62_000);
    expect(wished(ledger.compose(demand(), 60_100, TRIP_MS))[0]).toBe('63');
  });
});

describe('what a ledger asks for calls that are expected', () => {
  /** A process that has spent a unit at this interval for ten seconds, and was told that nothing else is used. */
  function steady(everyMs: number, clock = exactClock(10_000)): Ledger {
    const ledger = ledgerOf({ second: 100 }, { clock });
    for (let at = 0; at < 10_000; at += everyMs) ledger.spend(1, at);
    ask(ledger, demand(), [...ledger.compose(demand(), 9_800, TRIP_MS).slots.map(() => 0), 0].fill(1, -3, -2), 9_800);
    return ledger;
  }

  it('is as many units as are likely to be spent within two seconds', () => {
    // 1.5 are expected, beside the one that waits.
    expect(steady(1_000).compose(demand(), 10_100, TRIP_MS).want).toBe(2);
  });

  it('is nothing, and of no longer slot, where less than a unit is likely', () => {
    const composed = steady(250).compose(demand(), 30_100, TRIP_MS);
    expect(composed.want).toBe(1);
    expect(composed.slots.map(({ wish }) => wish)).not.toContain(3);
  });

  it('is nothing where several calls wait', () => {
    expect(steady(250).compose(demand({ want: 3 }), 10_100, TRIP_MS).want).toBe(3);
  });

  it('is of the slot in which the answer arrives', () => {
    const { slots } = steady(250).compose(demand(), 10_100, 1_000);
    expect(slots.filter(({ wish }) => wish === 3).map(({ name }) => name)).toEqual([`${SECOND + 11}+2`]);
  });

  it('is nothing of a slot before the one that may be asked for, and something of that one', () => {
    const ledger = steady(250);
    ledger.choice.askFrom(10_000);
    expect(ledger.compose(demand(), 10_100, TRIP_MS).want).toBe(5);
    ledger.choice.askFrom(11_000);
    const composed = ledger.compose(demand(), 10_200, TRIP_MS);
    expect([composed.want, wished(composed)[0]]).toEqual([1, '12']);
  });

  it('is asked for no second time, and the call alone at the next beginning of a second, where nothing was granted', () => {
    const ledger = ledgerOf({ second: 20 });
    ask(ledger, demand(), [], 100);
    expect(ledger.policy.nextAt(0, false)).toBeCloseTo(1_000, 0);
  });
});

describe('what a ledger learns from an answer', () => {
  it('which window is full until its end', () => {
    const ledger = ledgerOf({ minute: 500 });
    expect(ledger.full(200)).toBeUndefined();
    ask(ledger, demand(), [], 100);
    expect(ledger.full(200)?.instance.name).toBe(`minute:${SECOND}`);
    expect(ledger.full(60_100)).toBeUndefined();
  });

  it('that there is room, only if all windows have it', () => {
    const ledger = ledgerOf({ second: 20, minute: 500 });
    const { windows } = ledger.compose(demand(), 100, TRIP_MS);
    ask(ledger, demand(), [1], 100, { used: windows.map(({ limit }) => (limit === 500 ? 450 : 1)) });
    expect(ledger.policy.isAmple(200)).toBe(false);
  });

  it('nothing of the room from an ask for nothing', () => {
    const ledger = ledgerOf({ second: 20 });
    ask(ledger, demand(), [1], 100, { used: [18, 18] });
    const composed = ledger.compose(demand({ want: 0 }), 200, TRIP_MS, false);
    const { slots, windows } = composed;
    const answer = answering({ now: BEGIN + 200, granted: slots.map(() => 0), used: windows.map(() => 0) });
    ledger.receive(composed, answer, 1, 200, 201);
    expect(ledger.policy.isAmple(300)).toBe(false);
  });

  it('the clock of the store', () => {
    const ledger = ledgerOf({ second: 20 });
    expect(ledger.timeline.storeOffset).toBeUndefined();
    ask(ledger, demand(), [1], 100);
    expect(ledger.timeline.storeOffset?.least).toBeCloseTo(BEGIN, -1);
  });

  it('to ask later by chance, when all is spent of a grant that was too small', () => {
    const ledger = ledgerOf({ second: 20 }, { random: 1 });
    const { windows } = ledger.compose(demand({ want: 5 }), 100, TRIP_MS);
    ask(ledger, demand({ want: 5 }), [2], 100, { used: windows.map(({ limit }) => limit) });
    ledger.spend(1, 200);
    expect(ledger.policy.nextAt(0, false)).toBe(-Infinity);
    ledger.spend(1, 210);
    // Three tenths of a second.
    expect(ledger.policy.nextAt(0, false)).toBeCloseTo(510, 9);
  });

  it('how long a request takes, by when it was sent', () => {
    const ledger = ledgerOf({ second: 20 });
    for (const sentAt of [300, 400])
      ledger.read(reading({ period: 'second', limit: 20, sentAt, receivedAt: sentAt + 40 }));
    expect(ledger.timeline.roundTripMs).toBe(40);
  });

  it('that a second is not over sooner than in a millisecond', () => {
    const ledger = ledgerOf({ second: 20 }, { roundTripMs: 0 });
    expect(ledger.nextSlot(999.5)).toBe(1_000.5);
  });
});
