import { describe, expect, it } from 'vitest';
import { slidingCounter } from '../../../src/quota/models/sliding-counter.ts';
import type { Ledger } from '../../../src/sharing/ledger/ledger.ts';
import type { Answer } from '../../../src/sharing/store/store.ts';
import { ask, demand, kept, ledgerOf, TRIP_MS, wished } from '../support/ledgers.ts';
import { answering, BEGIN, reading } from '../support/small.ts';

/** The age of the store's memory, in milliseconds. */
const OLD = { urgent: { units: 0, forMs: 60_000 } };
const NEW = { urgent: { units: 0, forMs: 100 } };

/** Of a minute of 500 units and a second of 20 so much was used when the store was heard last, at 0.2 s; it lost its memory at 1 s. */
function losing({
  used = 20,
  processes = 4,
  others = 30,
  ...rest
}: Partial<{
  used: number;
  processes: number;
  others: number;
  granted: readonly number[];
}> = {}): Ledger {
  const ledger = ledgerOf({ second: 20, minute: 500 });
  const windows = ledger.compose(demand({ want: 9 }), 100, TRIP_MS).windows;
  ask(ledger, demand({ want: 9 }), [9], 200, { ...OLD, others, used: windows.map(() => used) });
  for (let nth = 0; nth < 9; nth++) ledger.book.settle(ledger.spend(1, 210), 0);
  answer(ledger, 1_100, processes, { ...NEW, granted: rest.granted ?? [] });
  return ledger;
}

function answer(ledger: Ledger, now: number, processes: number, rest: Partial<Answer>): void {
  const composed = ledger.compose(demand({ want: 9 }), now, TRIP_MS);
  const answered = answering({ sequence: 2, now: BEGIN + now, ...rest });
  ledger.receive(composed, answered, processes, now, now);
}

describe('a ledger whose store has lost its memory', () => {
  it('only tells while others may hold units, and asks again in a tenth of a second', () => {
    const ledger = losing();
    expect(ledger.isGathering(1_200)).toBe(true);
    expect(ledger.policy.nextAt(0, false)).toBe(1_200);
    // So many others ask for three seconds ahead.
    expect([4_099, 4_101].map((now) => ledger.isGathering(now))).toEqual([true, false]);
  });

  it('remembers what was used of the minute before, which the store has forgotten', () => {
    const ledger = ledgerOf({ minute: 100 }, { alive: [slidingCounter] });
    const { windows } = ledger.compose(demand(), 59_000, TRIP_MS);
    const used = windows.map(({ name }) => (name === `minute:${BEGIN / 1_000}` ? 60 : 0));
    ask(ledger, demand(), [1], 59_000, { ...OLD, used });
    ask(ledger, demand(), [0], 60_100, { ...NEW, used: [0, 0, 0, 0] });
    const { [`minute:${BEGIN / 1_000 + 60}`]: left } = kept(ledger.compose(demand(), 60_200, TRIP_MS));
    // It asks for slots from the third second on.
    expect(left).toBe(58);
  });

  it('asks for no second of which others may hold units, and spends none that it is granted', () => {
    const ledger = losing({ granted: [0, 5, 5] });
    expect(ledger.held(1_200)).toBe(0);
    expect(wished(ledger.compose(demand(), 1_200, TRIP_MS))[0]).toBe('5');
  });

  it('asks for the present second when all that were live have told', () => {
    const ledger = losing();
    ledger.told(3);
    expect(ledger.isGathering(1_200)).toBe(true);
    expect(wished(ledger.compose(demand(), 1_200, TRIP_MS))[0]).toBe('5');
    ledger.told(4);
    expect(ledger.isGathering(1_200)).toBe(false);
    expect(wished(ledger.compose(demand(), 1_210, TRIP_MS))[0]).toBe('1');
  });

  it('goes on at once where there was room for all', () => {
    const ledger = losing({ used: 0, others: 0, granted: [0, 5] });
    expect(ledger.isGathering(1_200)).toBe(false);
    expect(ledger.policy.isLimited).toBe(true);
    expect(ledger.held(1_200)).toBe(5);
    expect(wished(ledger.compose(demand({ want: 9 }), 1_200, TRIP_MS))[0]).toBe('1');
  });

  it('tells what it was told last of each window', () => {
    const ledger = losing({ used: 20 });
    const { windows } = ledger.compose(demand({ want: 9 }), 1_200, TRIP_MS);
    const minute = windows.find(({ limit }) => limit === 500);
    expect(minute?.reading).toBe(20);
  });

  // Else the units of the minute before, which the store has forgotten, would be told as if they were used of the present one, too.
  it('tells of the present minute no unit that the service estimates from the one before', () => {
    const ledger = ledgerOf({ minute: 50 }, { alive: [slidingCounter] });
    const shapes = { alive: [slidingCounter], epoch: 0 };
    const told = (now: number, used: number, rest: Partial<Answer>): readonly (readonly [number, string])[] => {
      ledger.read(reading({ limit: 50, used, shapes, sentAt: now - 50, receivedAt: now - 10 }));
      const composed = ledger.compose(demand({ want: 9 }), now, TRIP_MS);
      ledger.receive(composed, answering({ now: BEGIN + now, ...rest }), 4, now, now);
      return composed.windows.map(({ name, reading: units, bounds }) => [units, `${name} ${bounds}`]);
    };
    const [before, present] = [`minute:${BEGIN / 1_000}`, `minute:${BEGIN / 1_000 + 60}`];
    const windows = told(61_000, 26, { ...OLD, used: [22, 4] }).map(([, name]) => name);
    expect(windows).toEqual([`${before} below`, `${present} below`]);
    told(64_000, 25, { ...NEW, used: [0, 0] });
    // Five seconds into the minute the service still takes 21 of 22 units, in whole ones.
    expect(told(65_000, 26, OLD)).toEqual([
      [22, `${before} below`],
      [5, `${present} below`],
    ]);
  });

  it('holds nothing back where the store remembers', () => {
    const ledger = ledgerOf({ second: 20 });
    ask(ledger, demand({ want: 9 }), [9], 100, { ...OLD, others: 30 });
    expect(ledger.policy.isLimited).toBe(false);
    expect(ledger.isGathering(200)).toBe(false);
    expect(wished(ledger.compose(demand({ want: 20 }), 200, TRIP_MS))[0]).toBe('0');
  });
});
