import { describe, expect, it } from 'vitest';
import { aligned } from '../../../src/quota/models/aligned.ts';
import type { Shape } from '../../../src/quota/models/model.ts';
import { slidingLog } from '../../../src/quota/models/sliding-log.ts';
import type { Period } from '../../../src/quota/time/periods.ts';
import { URGENT, USUAL } from '../../../src/share.ts';
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

    it('knows no spacing before a second is known', () => {
      expect(ledgerOf({ minute: 100 }).spacedFrom(1, 2_100, 2_110)).toBe(2_110);
    });

    it('does so no more a few minutes later', () => {
      const ledger = refused();
      ledger.spend(1, 300_000);
      expect(ledger.spacedFrom(1, 300_000, 300_001)).toBe(300_001);
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

    it('not while another request of the slot is under way', () => {
      const ledger = ledgerOf({ second: 20 }, { alive: [slidingLog], roundTripMs: 800 });
      ask(ledger, demand({ want: 2 }), [2], 1_000, { others: 1, used: Array.from({ length: 40 }, () => 15) });
      const entry = ledger.spend(1, 1_010);
      ledger.spend(1, 1_010);
      ledger.settle({ entry, units: 1 }, 1, true, 1_110);
      expect(ledger.tellsAt).toBe(Infinity);
    });

    it('and that its slot ends then, unless half of every window is free', () => {
      const own = (told?: Told): readonly number[] =>
        answered(100, told)
          .compose(demand({ want: 0 }), 1_111, TRIP_MS, false)
          .slots.flatMap(({ name, to }) => (name.startsWith('own:') ? to - BEGIN : []));
      expect(own().map(Math.floor)).toEqual([1_111]);
      expect(own({ used: 10 })).toEqual([]);
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

  it('knows how many units of a second are its own: of the calendar’s since that began, and of the last second of what may slide', () => {
    /** Units that are left to strangers, after readings of each second that count two units and say nothing of strangers if both are of this process. */
    const left = (shape: Shape, sentAt: number): number => {
      const ledger = ledgerOf({ second: 20 }, { alive: [shape] });
      const told = { period: 'second', limit: 20, shapes: { alive: [shape], epoch: 0 } } as const;
      ledger.read(reading({ ...told, used: 20, isRefused: true, sentAt: 900, receivedAt: 940 }));
      for (let second = 2_000; second < 10_000; second += 1_000) {
        ledger.spend(1, second + 100);
        ledger.spend(1, second + sentAt);
        ledger.read(reading({ ...told, used: 2, sentAt: second + sentAt, receivedAt: second + sentAt + 40 }));
      }
      return ledger.strangers.units({ period: 'second', limit: 20 }, 10_000);
    };
    expect([left(aligned, 500), left(aligned, 1_010), left(slidingLog, 1_010)]).toEqual([0, 1, 0]);
  });

  it('explains a refusal by strangers where units are left to them, unless readings count much more than the store', () => {
    const ledger = ledgerOf({ second: 20, minute: 100 });
    expect(ledger.isForStrangers('minute', 100)).toBe(false);
    const refuse = (sentAt: number): void =>
      ledger.read(reading({ limit: 100, used: 100, isRefused: true, sentAt, receivedAt: sentAt + 40 }));
    refuse(100);
    expect(['second', 'minute', 'hour'].map((each) => ledger.isForStrangers(each as Period, 150))).toEqual([
      false,
      true,
      false,
    ]);
    ask(ledger, demand(), [1], 200);
    refuse(300);
    expect(ledger.isForStrangers('minute', 350)).toBe(false);
  });

  it('leaves nothing to strangers of what slides while nothing is granted of it: other processes leave them less', () => {
    for (const [shape, left] of [
      [aligned, [2, 2]],
      [slidingLog, [2, 0]],
    ] as const) {
      const ledger = ledgerOf({ minute: 100 }, { alive: [shape] });
      const shapes = { alive: [shape], epoch: 0 };
      ledger.read(reading({ used: 100, isRefused: true, shapes, sentAt: 100, receivedAt: 140 }));
      const kept = (now: number): number =>
        Math.max(...ask(ledger, demand(), [], now).windows.map((each) => each.kept));
      expect([kept(200), kept(5_300), kept(5_400)]).toEqual([left[0], left[0], left[1]]);
    }
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
});
