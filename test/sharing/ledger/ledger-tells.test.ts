import { describe, expect, it } from 'vitest';
import { aligned } from '../../../src/quota/models/aligned.ts';
import { firstRequest } from '../../../src/quota/models/first-request.ts';
import { leaky } from '../../../src/quota/models/leaky.ts';
import type { Shape } from '../../../src/quota/models/model.ts';
import { slidingCounter } from '../../../src/quota/models/sliding-counter.ts';
import { slidingLog } from '../../../src/quota/models/sliding-log.ts';
import type { Period } from '../../../src/quota/time/periods.ts';
import { ServerClock } from '../../../src/quota/time/server-clock.ts';
import type { Ledger } from '../../../src/sharing/ledger/ledger.ts';
import { ask, demand, kept, ledgerOf, TRIP_MS } from '../support/ledgers.ts';
import { BEGIN, reading } from '../support/small.ts';

const SECOND = BEGIN / 1_000;

describe('what an ask of a ledger tells', () => {
  it('is nothing where the store has booked all, unless the ask is to say so', () => {
    const ledger = ledgerOf({ second: 20 });
    ask(ledger, demand({ want: 2 }), [2], 100);
    expect(ledger.compose(demand({ want: 2 }), 120, TRIP_MS).slots).toEqual([]);
    expect(ledger.compose(demand({ want: 2 }), 130, TRIP_MS, false).slots).not.toEqual([]);
  });

  it('names the one second in which a request was sent, once the clock is known that well', () => {
    const clock = new ServerClock();
    clock.narrow(BEGIN - 500, BEGIN + 500, 0);
    const ledger = ledgerOf({ second: 20 }, { clock });
    for (const at of [700, 900]) ledger.book.settle(ledger.spend(1, at), 0);
    const told = (): (readonly [number, readonly string[]])[] => {
      const { slots, windows } = ledger.compose(demand({ want: 0 }), 950, TRIP_MS, false);
      return slots.map(({ total, windows: own }) => [total, own.map((index) => windows[index]?.name ?? '')]);
    };
    expect(told()).toEqual([[2, [`second:${SECOND}`, `second:${SECOND + 1}`]]]);
    clock.narrow(BEGIN, BEGIN, 950);
    expect(told().filter(([total]) => total > 0)).toEqual([[2, [`second:${SECOND}`]]]);
  });

  it('names the second of the last request where several were charged to one slot, and not one that is over', () => {
    const clock = new ServerClock();
    clock.narrow(BEGIN - 1_200, BEGIN + 1_200, 0);
    const ledger = ledgerOf({ second: 20 }, { clock });
    // At 1.3 s and 1.7 s any second from the first to the third is possible.
    for (const at of [1_300, 1_700]) ledger.book.settle(ledger.spend(1, at), 0);
    clock.narrow(BEGIN + 500, BEGIN + 500, 1_800);
    const { slots, windows } = ledger.compose(demand({ want: 0 }), 1_800, TRIP_MS, false);
    const names = slots.filter(({ total }) => total > 0).flatMap((slot) => slot.windows.map((at) => windows[at]?.name));
    expect(names).toEqual([`second:${SECOND + 2}`]);
  });

  it('names all steps of a minute that drains: those of the last minute, and of five seconds beyond the last slot', () => {
    const ledger = ledgerOf({ minute: 100 }, { alive: [leaky] });
    const { windows } = ledger.compose(demand(), 100, TRIP_MS);
    const step = BEGIN / 2_000;
    const named = windows.map(({ name }) => Number(name.split('-')[2]) - step);
    expect(windows[0]?.name).toBe(`minute-drain-${step - 32}`);
    // A request that is sent at 0.1 s arrives until 0.12 s, and five seconds later is the third step.
    expect(named.filter((each) => !Number.isNaN(each))).toEqual(Array.from({ length: 35 }, (_, nth) => nth - 32));
  });

  it('names as many steps as reach to the end of the last slot, where that is far', () => {
    const ledger = ledgerOf({ minute: 100 }, { alive: [leaky] });
    ledger.choice.askFrom(5_000);
    const { windows } = ledger.compose(demand(), 100, TRIP_MS);
    // To 7.0 s, in the fourth step.
    expect(windows.filter(({ drain }) => drain !== undefined).map(({ name }) => name)).toContain(
      `minute-drain-${BEGIN / 2_000 + 3}`,
    );
  });

  it('is a reading for itself two seconds after the answer, where most of a minute is used and may slide or be free again', () => {
    /** When it is told that a request has read `used`, after the store had counted 95 of 100. */
    const tells = (
      limits: Parameters<typeof ledgerOf>[0],
      shape: Shape,
      used: number,
    ): { ledger: Ledger; at: number } => {
      const ledger = ledgerOf(limits, { alive: [shape] });
      ask(ledger, demand(), [0], 100, { used: Array.from({ length: 99 }, () => 95) });
      for (const period of Object.keys(limits) as Period[])
        ledger.read(reading({ period, used, shapes: { alive: [shape], epoch: 0 }, sentAt: 200, receivedAt: 220 }));
      return { ledger, at: ledger.tellsAt };
    };
    expect(tells({ minute: 100 }, aligned, 60).at).toBe(2_220);
    expect(tells({ minute: 100 }, aligned, 95).at).toBe(Infinity);
    expect(tells({ hour: 100 }, slidingLog, 95).at).toBe(Infinity);
    expect(tells({ second: 100 }, slidingLog, 95).at).toBe(Infinity);
    expect(tells({ minute: 100 }, leaky, 95).at).toBe(Infinity);
    const { ledger, at } = tells({ minute: 100 }, slidingLog, 95);
    expect(at).toBe(2_220);
    const told = (now: number, isSilent = true): readonly number[] =>
      ledger.compose(demand({ want: 0 }), now, TRIP_MS, isSilent).windows.map((each) => each.reading);
    expect([told(2_219), ledger.tellsAt]).toEqual([[], 2_220]);
    expect(new Set(told(2_220))).toEqual(new Set([95]));
    expect(ledger.tellsAt).toBe(Infinity);
    expect([told(2_230), told(2_230, false)]).toEqual([[], []]);
    // An ask that is made anyway tells it sooner.
    expect(
      tells({ minute: 100 }, slidingLog, 95).ledger.compose(demand({ want: 0 }), 300, TRIP_MS, false).windows,
    ).not.toEqual([]);
  });

  it('says since when claims may be missing from its readings: fifteen seconds before the oldest, by the store’s clock', () => {
    const ledger = ledgerOf({ minute: 100 });
    expect(ask(ledger, demand(), [1], 100).recentSince).toBe(0);
    ledger.read(reading({ used: 1, sentAt: 150, receivedAt: 170 }));
    // The clock is known to a millisecond.
    expect(ledger.compose(demand({ want: 2 }), 200, TRIP_MS).recentSince).toBe(BEGIN - 1 + 150 - 15_000);
  });

  it('takes no reading for what is used of a stretch out of which much slides, by what the store counts of it and of the next', () => {
    const bounds = (used: readonly number[]): string | undefined => {
      const ledger = ledgerOf({ minute: 100 }, { alive: [slidingLog] });
      ask(ledger, demand(), [0], 100, { used });
      ledger.read(reading({ used: 60, shapes: { alive: [slidingLog], epoch: 0 }, sentAt: 150, receivedAt: 170 }));
      const { windows } = ledger.compose(demand(), 200, TRIP_MS);
      return windows.find(({ name }) => name === `minute-${BEGIN / 2_000}`)?.bounds;
    };
    expect([bounds([50, 50]), bounds([50, 0])]).toEqual(['both', 'above']);
  });

  it('says the smallest part of a slot: four units, or half of the window', () => {
    const chunk = (second: number): number => ledgerOf({ second }).compose(demand(), 100, TRIP_MS).chunk;
    expect([chunk(20), chunk(5)]).toEqual([4, 3]);
  });

  it('leaves free what drains in the steps that a slot of a second touches', () => {
    const { windows } = ledgerOf({ second: 20 }, { alive: [leaky] }).compose(demand(), 100, TRIP_MS);
    expect(windows.map((each) => each.kept)).toContain(4);
  });

  it('leaves free what the minute before may still take of this one, by what the store has said of it', () => {
    const ledger = ledgerOf({ minute: 100 }, { alive: [slidingCounter] });
    const { windows } = ledger.compose(demand(), 59_000, TRIP_MS);
    const used = windows.map(({ name }) => (name === `minute:${SECOND}` ? 60 : 0));
    ask(ledger, demand(), [1], 59_000, { used });
    expect(kept(ledger.compose(demand(), 60_100, TRIP_MS))[`minute:${SECOND + 60}`]).toBe(60);
    // At 15.2 s the slot asked for begins at 15.0 s, a quarter of a minute after that.
    expect(kept(ledger.compose(demand(), 75_200, TRIP_MS))[`minute:${SECOND + 60}`]).toBe(45);
  });

  it('leaves a unit for the beginning of the next minute by the slots that it asks for, unless its call fails before', () => {
    const open = (): Ledger => ledgerOf({ minute: 100 }, { alive: [aligned, firstRequest] });
    const one = (ledger: Ledger, now: number, maxWaitMs = Infinity): number | undefined =>
      kept(ledger.compose(demand({ maxWaitMs }), now, TRIP_MS))[`minute:${SECOND}`];
    // The first three seconds are the beginning.
    expect(one(open(), 2_500)).toBe(0);
    expect(one(open(), 3_500)).toBe(1);
    expect(one(open(), 3_500, 10_000)).toBe(0);
    expect(one(open(), 3_500, 57_000)).toBe(1);
    const later = open();
    later.choice.askFrom(3_500);
    expect(one(later, 2_500)).toBe(1);
  });
});
