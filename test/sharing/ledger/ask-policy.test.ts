import { describe, expect, it } from 'vitest';
import { aligned } from '../../../src/quota/models/aligned.ts';
import { SHAPES } from '../../../src/quota/models/all.ts';
import type { Shape } from '../../../src/quota/models/model.ts';
import { slidingLog } from '../../../src/quota/models/sliding-log.ts';
import type { Period } from '../../../src/quota/time/periods.ts';
import { AskPolicy } from '../../../src/sharing/ledger/ask-policy.ts';
import type { Asked, Outcome } from '../../../src/sharing/ledger/room.ts';
import { type Slot, Slots } from '../../../src/sharing/slots/slots.ts';
import type { Instance, SharedWindow } from '../../../src/sharing/slots/window.ts';
import { SharedWindows } from '../../../src/sharing/slots/windows.ts';
import { BEGIN, calendar, exactly } from '../support/small.ts';

/** The timeline shows what our clock shows. */
const NOW = BEGIN + 100;

const HALF = 0.5;

function asked(windows: SharedWindows, rest: Partial<Asked> = {}): Asked {
  const slots = new Slots(windows);
  const all = [slots.at(exactly(NOW)), ...slots.after(exactly(NOW), 3)];
  return { want: 5, need: 1, slots: all, kept: () => 0, also: [], isSparing: false, isNear: false, ...rest };
}

function outcome(granted: readonly number[], { slots }: Asked, used: (instance: Instance) => number): Outcome {
  return { granted: (slot: Slot) => granted[slots.indexOf(slot)] ?? 0, used, surely: (time) => time, others: 0 };
}

const full = ({ limit }: Instance): number => limit;

describe('when it is worth asking the store', () => {
  it('is at once where the last ask was granted in full', () => {
    const policy = new AskPolicy(() => HALF);
    const ask = asked(calendar({ second: 20 }));
    policy.hear(
      ask,
      outcome([5], ask, () => 5),
      NOW,
    );
    expect([policy.isLimited, policy.isBusy(NOW), policy.isLate(BEGIN + 999)]).toEqual([false, false, false]);
    expect(policy.nextAt(0, false)).toBeLessThanOrEqual(NOW);
  });

  it('is when the next second comes within reach where all are full, and by chance a little later: none is always first', () => {
    const ask = asked(calendar({ second: 20 }));
    for (const [random, later] of [
      [0, 0],
      [1, 300],
    ] as const) {
      const policy = new AskPolicy(() => random);
      policy.hear(ask, outcome([], ask, full), NOW);
      expect(policy.nextAt(0, false)).toBe(BEGIN + 1_000 + later);
    }
  });

  it('is not before what is held is spent where less was granted than asked for', () => {
    const policy = new AskPolicy(() => HALF);
    const ask = asked(calendar({ second: 20 }));
    policy.hear(ask, outcome([0, 3], ask, full), NOW);
    expect(policy.nextAt(3, false)).toBe(Infinity);
    policy.spent(NOW + 1_500, 1_000);
    expect(policy.nextAt(0, false)).toBe(NOW + 1_500 + 150);
  });

  it('is in the second half of a second whose room was left to others: then it is free for all', () => {
    const policy = new AskPolicy(() => 0);
    const ask = asked(calendar({ second: 20 }));
    policy.hear(
      ask,
      outcome([2], ask, () => 15),
      NOW,
    );
    expect(policy.nextAt(2, false)).toBe(BEGIN + 500);
    expect([policy.isLate(BEGIN + 499), policy.isLate(BEGIN + 500)]).toEqual([false, true]);
  });

  it('is after 5 and 30 s where a minute is full, because others may have given something back, and at its end at the latest', () => {
    const policy = new AskPolicy(() => 0);
    const ask = asked(calendar({ minute: 100 }));
    let now = NOW;
    const waits: number[] = [];
    for (let count = 0; count < 3; count++) {
      policy.hear(ask, outcome([], ask, full), now);
      const at = policy.nextAt(0, false);
      waits.push(at - now);
      now = at;
    }
    // The first slot of the next minute comes within reach three seconds before it begins.
    expect(waits).toEqual([5_000, 30_000, BEGIN + 60_000 - 3_000 - (NOW + 35_000)]);
  });

  it('is after half of 5 s where the store is near, and no sooner than of another once a window is sure to be full', () => {
    const policy = new AskPolicy(() => 0);
    const ask = asked(calendar({ day: 100 }), { isNear: true });
    const waits = [NOW, NOW + 5_000].map((now) => {
      policy.hear(ask, outcome([], ask, full), now);
      return policy.nextAt(0, false) - now;
    });
    expect(waits).toEqual([2_500, 30_000]);
  });

  describe('where a window lacks only what is kept for urgent calls', () => {
    /** After how long, where others ask in turn. */
    function waits(period: Period, alive: readonly Shape[], { random = 0, others = 3, at = NOW } = {}): number {
      const policy = new AskPolicy(() => random);
      const windows = new SharedWindows({ isDated: true });
      windows.open(period, 100, { alive, epoch: 0 });
      const slots = new Slots(windows);
      const all = [slots.at(exactly(at)), ...slots.after(exactly(at), 3)];
      const ask = asked(windows, { kept: () => 10, slots: all });
      policy.hear(ask, { ...outcome([], ask, () => 99), others }, at);
      expect(policy.seemsFull(at)).toBeUndefined();
      return policy.nextAt(0, false) - at;
    }

    it('is in turn with the others, as what is kept shrinks, or in a second of the calendar with all', () => {
      expect(waits('second', [aligned])).toBe(1_000);
      expect(waits('minute', [aligned])).toBe(4_000);
      expect(waits('second', [slidingLog])).toBe(200);
      expect(waits('hour', [slidingLog], { others: 0 })).toBe(1_000);
    });

    it('is when the calendar frees it, if that is sooner, and by chance no later than others', () => {
      expect(waits('minute', [aligned], { random: 1, others: 0, at: BEGIN + 56_500 })).toBe(500 + 300);
    });
  });

  it('is as soon as the first call fits, where just as much is left', () => {
    const policy = new AskPolicy(() => 0);
    const ask = asked(calendar({ second: 20 }));
    policy.hear(
      ask,
      outcome([], ask, () => 19),
      BEGIN + 600,
    );
    expect(policy.nextAt(0, false)).toBe(BEGIN + 1_000);
  });

  it('is no later for answers within moments, as for urgent calls: only what is full for 5 s is asked for more seldom', () => {
    const policy = new AskPolicy(() => 0);
    const ask = asked(calendar({ day: 100 }));
    for (const now of [NOW, NOW + 100, NOW + 200]) policy.hear(ask, outcome([], ask, full), now);
    expect(policy.nextAt(0, false)).toBe(NOW + 5_200);
  });

  it('is soon where a window slides, because each step frees something', () => {
    const policy = new AskPolicy(() => 0);
    const windows = calendar({});
    windows.open('minute', 100, { alive: [slidingLog], epoch: 0 });
    const ask = asked(windows);
    policy.hear(ask, outcome([], ask, full), NOW);
    expect(policy.nextAt(0, false)).toBe(NOW + 1_000);
  });

  it('is when the step comes within reach that frees something of a minute that slides, if that is sooner', () => {
    const windows = calendar({});
    windows.open('minute', 100, { alive: [slidingLog], epoch: 0 });
    const now = BEGIN + 1_500;
    const slots = new Slots(windows);
    const ask = asked(windows, { slots: [slots.at(exactly(now)), ...slots.after(exactly(now), 1)] });
    // Of the stretches that later steps count in, only the one is full that ends with the step of the last slot.
    const used = ({ end, limit }: Instance): number => (end <= BEGIN + 4_000 ? limit : 0);
    for (const [random, later] of [
      [0, 0],
      [1, 500],
    ] as const) {
      const policy = new AskPolicy(() => random);
      policy.hear(ask, { ...outcome([], ask, used), others: 3 }, now + 1_000);
      // The last slot of the ask is a second ahead.
      expect(policy.nextAt(0, false)).toBe(BEGIN + 3_000 + later);
    }
  });

  it('is when a minute that slides frees something, if the store says when, although that is sooner than the next second or later than the next step', () => {
    const windows = calendar({});
    windows.open('minute', 100, { alive: [slidingLog], epoch: 0 });
    const slots = new Slots(windows);
    const ask = asked(windows, { slots: [slots.at(exactly(NOW)), ...slots.after(exactly(NOW), 1)] });
    for (const freesAt of [NOW + 200, NOW + 4_000]) {
      const policy = new AskPolicy(() => 0);
      policy.hear(ask, { ...outcome([], ask, full), freesAt }, NOW);
      expect(policy.nextAt(0, false)).toBe(freesAt);
    }
  });

  it('is soon after the step of an hour that slides comes within reach, by chance within two and a half seconds', () => {
    const windows = calendar({});
    windows.open('hour', 100, { alive: [slidingLog], epoch: 0 });
    const now = BEGIN + 118_500;
    const slots = new Slots(windows);
    const ask = asked(windows, { slots: [slots.at(exactly(now)), ...slots.after(exactly(now), 1)] });
    const ahead = (ask.slots[1]?.from ?? 0) - (ask.slots[0]?.from ?? 0);
    const policy = new AskPolicy(() => 1);
    policy.hear(
      ask,
      outcome([], ask, ({ end, limit }) => (end <= BEGIN + 120_000 ? limit : 0)),
      now,
    );
    expect(policy.nextAt(0, false)).toBe(BEGIN + 120_000 - ahead + 2_500);
  });

  it('is when the next minute of the calendar begins where it may slide: a unit is kept for the process that asks first then', () => {
    const policy = new AskPolicy(() => 0);
    const windows = calendar({});
    windows.open('minute', 100, { alive: SHAPES, epoch: 0 });
    const now = BEGIN + 59_000;
    const slots = new Slots(windows);
    const ask = asked(windows, { slots: [slots.at(exactly(now)), ...slots.after(exactly(now), 1)] });
    // Only the calendar's next minute has room.
    const used = ({ end, slides, limit }: Instance): number =>
      end > BEGIN + 60_000 && slides === undefined ? 0 : limit;
    policy.hear(ask, outcome([], ask, used), now);
    expect(policy.nextAt(0, false)).toBe(BEGIN + 60_000);
  });

  it('is a tenth of a second later at the latest for an urgent call, however full it looked', () => {
    const policy = new AskPolicy(() => HALF);
    const ask = asked(calendar({ minute: 100 }));
    policy.hear(ask, outcome([], ask, full), NOW);
    expect(policy.nextAt(0, true)).toBe(NOW + 100);
  });

  it('is half a second later for an urgent call that holds units of a later second, and at once where there is room', () => {
    const policy = new AskPolicy(() => 0);
    const ask = asked(calendar({ second: 20 }));
    policy.hear(
      ask,
      outcome([5], ask, () => 5),
      NOW,
    );
    expect([policy.nextAt(1, true), policy.nextAt(0, true)]).toEqual([NOW + 500, -Infinity]);
  });

  it('is when it is hastened to, at the latest', () => {
    const policy = new AskPolicy(() => 0);
    const ask = asked(calendar({ minute: 100 }));
    policy.hear(ask, outcome([], ask, full), NOW);
    policy.hasten(NOW + 100);
    expect([policy.nextAt(0, false), policy.isLimited]).toEqual([NOW + 100, true]);
    policy.hasten(NOW + 200);
    expect(policy.nextAt(0, false)).toBe(NOW + 100);
    const calm = new AskPolicy(() => 0);
    expect(calm.isLimited).toBe(false);
    calm.hasten(NOW);
    expect(calm.isLimited).toBe(true);
  });

  it('is when the next second begins where none of the room was granted in the second half of this one', () => {
    const policy = new AskPolicy(() => 0);
    const ask = asked(calendar({ second: 20 }));
    policy.hear(
      ask,
      outcome([], ask, () => 0),
      BEGIN + 600,
    );
    expect(policy.nextAt(0, false)).toBe(BEGIN + 1_000);
    const one = { ...ask, slots: ask.slots.slice(0, 1) };
    policy.hear(
      one,
      outcome([], one, () => 0),
      BEGIN + 600,
    );
    expect(policy.nextAt(0, false)).toBe(BEGIN + 1_000);
  });

  it('is when the second after the one that was asked for alone begins', () => {
    const policy = new AskPolicy(() => 0);
    const windows = calendar({ second: 20 });
    const ask = asked(windows, { slots: [new Slots(windows).at({ least: NOW, most: NOW + 1_000 })] });
    policy.hear(ask, outcome([], ask, full), NOW);
    expect(policy.nextAt(0, false)).toBe(BEGIN + 2_000);
  });

  it('is after 5 s where a month is full, however often a second was', () => {
    const policy = new AskPolicy(() => 0);
    const seconds = asked(calendar({ second: 20 }));
    for (let count = 0; count < 3; count++) policy.hear(seconds, outcome([], seconds, full), NOW);
    const month = asked(calendar({ month: 1_000 }));
    policy.hear(month, outcome([], month, full), NOW);
    expect(policy.nextAt(0, false)).toBe(NOW + 5_000);
  });

  it('is not delayed where all is spent of a grant in full', () => {
    const policy = new AskPolicy(() => 1);
    const ask = asked(calendar({ second: 20 }));
    policy.hear(
      ask,
      outcome([5], ask, () => 5),
      NOW,
    );
    policy.spent(NOW + 50, 1_000);
    expect(policy.nextAt(0, false)).toBe(-Infinity);
  });

  it('is at once for the call alone where it had asked for others that are expected', () => {
    const policy = new AskPolicy(() => 0);
    const ask = asked(calendar({ second: 20 }), { isSparing: true });
    policy.hear(ask, outcome([], ask, full), NOW);
    expect([policy.nextAt(0, false), policy.isLimited]).toEqual([-Infinity, true]);
  });

  it('is in the second half by chance later, if room was left in all windows, beyond what was kept, and it is the first half', () => {
    const lateAt = (rest: Partial<Asked>, used: (instance: Instance) => number, now = NOW): number => {
      const policy = new AskPolicy(() => 1);
      const ask = asked(calendar({ second: 20, minute: 100 }), rest);
      policy.hear(ask, outcome([2], ask, used), now);
      return policy.nextAt(2, false);
    };
    // Three tenths of a second.
    expect(lateAt({}, () => 15)).toBe(BEGIN + 800);
    expect(lateAt({ kept: () => 5 }, () => 15)).toBe(Infinity);
    expect(lateAt({}, ({ limit }) => (limit === 20 ? 20 : 15))).toBe(Infinity);
    expect(lateAt({}, () => 15, BEGIN + 499)).toBe(BEGIN + 800);
    expect(lateAt({}, () => 15, BEGIN + 500)).toBe(Infinity);
  });

  it('is in the second half, too, where units of later seconds were granted', () => {
    const policy = new AskPolicy(() => 0);
    const ask = asked(calendar({ second: 20 }));
    policy.hear(ask, outcome([0, 3], ask, full), NOW);
    // What is held is to be spent first, and nothing is due by chance.
    expect(policy.nextAt(0, false)).toBe(-Infinity);
  });

  it('is the later by chance the longer a minute has been full, and always after the same time', () => {
    const policy = new AskPolicy(() => 1);
    const ask = asked(calendar({ month: 1_000 }));
    const waits = [0, 1, 2, 3, 4, 5].map((count) => {
      const now = NOW + count * 9_000_000;
      policy.hear(ask, outcome([], ask, full), now);
      return policy.nextAt(0, false) - now;
    });
    // Three tenths of a second by chance.
    expect(waits).toEqual([5_300, 30_300, 180_300, 1_080_300, 1_080_300, 1_080_300]);
  });

  it('is at once again when something else has changed', () => {
    const policy = new AskPolicy(() => HALF);
    const ask = asked(calendar({ minute: 100 }));
    policy.hear(ask, outcome([], ask, full), NOW);
    policy.reset();
    expect([policy.isLimited, policy.nextAt(0, false), policy.full(NOW)]).toEqual([false, -Infinity, undefined]);
  });

  it('is not changed by a trip that asked for nothing', () => {
    const policy = new AskPolicy(() => HALF);
    const ask = asked(calendar({ second: 20 }));
    policy.hear(ask, outcome([], ask, full), NOW);
    policy.hear(
      { ...ask, want: 0, slots: [] },
      outcome([], ask, () => 0),
      NOW + 10,
    );
    expect(policy.isLimited).toBe(true);
  });
});

describe('a window without room before its end', () => {
  const hearTwice = (policy: AskPolicy, ask: Asked, apartMs: number): void => {
    for (const now of [NOW, NOW + apartMs]) policy.hear(ask, outcome([], ask, full), now);
  };

  it('is believed at once of a minute, which is over soon', () => {
    const policy = new AskPolicy(() => 0);
    const ask = asked(calendar({ minute: 100 }));
    policy.hear(ask, outcome([], ask, full), NOW);
    expect(policy.full(NOW)?.instance.window.period).toBe('minute');
    expect(policy.full(BEGIN + 60_000)).toBeUndefined();
  });

  it('is believed of a month only by two answers 5 s apart: a call fails for it, and what others hold is given back by then', () => {
    const ask = asked(calendar({ month: 100 }));
    const [sure, unsure] = [new AskPolicy(() => 0), new AskPolicy(() => 0)];
    hearTwice(sure, ask, 5_000);
    hearTwice(unsure, ask, 4_999);
    expect(sure.full(NOW)?.instance.window.period).toBe('month');
    expect(unsure.full(NOW)).toBeUndefined();
  });

  it.each([
    // Of the last of four slots, which is in the second step.
    ['minute', 64_000, 1_000],
    ['day', 1_488 * 60_000, 30_000],
  ] as const)(
    'is one of a %s that slides until its last full stretch ends, and a long one, which takes two answers 5 s apart, is asked for ever more rarely',
    (period, lastsMs, nextMs) => {
      const policy = new AskPolicy(() => 0);
      const windows = calendar({});
      windows.open(period, 100, { alive: [slidingLog], epoch: 0 });
      const ask = asked(windows);
      policy.hear(ask, outcome([], ask, full), NOW);
      expect([policy.seemsFull(NOW)?.end, policy.full(NOW)?.end]).toEqual([
        BEGIN + lastsMs,
        period === 'day' ? undefined : BEGIN + lastsMs,
      ]);
      policy.hear(ask, outcome([], ask, full), NOW + 5_000);
      expect(policy.full(NOW)?.end).toBe(BEGIN + lastsMs);
      expect(policy.nextAt(0, false)).toBe(NOW + 5_000 + nextMs);
    },
  );

  it.each([
    ['minute', BEGIN + 3_700],
    ['hour', BEGIN + 20_000],
  ] as const)(
    'is a %s that slides only until what has to slide out has, if the store says when, and is asked for then',
    (period, freesAt) => {
      const policy = new AskPolicy(() => 0);
      const windows = calendar({ day: 200 });
      windows.open(period, 100, { alive: [slidingLog], epoch: 0 });
      const ask = asked(windows);
      policy.hear(ask, { ...outcome([], ask, ({ window }) => (window.period === period ? 100 : 0)), freesAt }, NOW);
      expect(policy.seemsFull(NOW)?.end).toBe(freesAt);
      expect(policy.nextAt(0, false)).toBe(Math.min(freesAt, NOW + 5_000));
      const ofDay = new AskPolicy(() => 0);
      ofDay.hear(ask, { ...outcome([], ask, full), freesAt }, NOW);
      expect(ofDay.seemsFull(NOW)?.end).toBe(Date.UTC(2026, 2, 11));
    },
  );

  it('is one of a minute that may slide until the calendar says, when a request is sent that shows whether it does', () => {
    const policy = new AskPolicy(() => 0);
    const windows = calendar({});
    windows.open('minute', 100, { alive: SHAPES, epoch: 0 });
    const ask = asked(windows);
    hearTwice(policy, ask, 5_000);
    expect(policy.full(NOW)?.end).toBe(BEGIN + 60_000);
    windows.open('hour', 100, { alive: SHAPES, epoch: 0 });
    const both = asked(windows);
    const ofHour = new AskPolicy(() => 0);
    ofHour.hear(
      both,
      outcome([], both, ({ window }) => (window.period === 'hour' ? 100 : 0)),
      NOW,
    );
    expect(ofHour.seemsFull(NOW)?.end).toBe(BEGIN + 3_600_000);
  });

  it('is none of a second, which needs no explanation', () => {
    const policy = new AskPolicy(() => 0);
    const ask = asked(calendar({ second: 20 }));
    hearTwice(policy, ask, 10_000);
    expect(policy.full(NOW)).toBeUndefined();
  });

  it('is believed of a long one anew once it has ended, or where another is full', () => {
    const windows = calendar({ hour: 100, day: 100 });
    const isFull = (ms: number, then: Period): boolean => {
      const policy = new AskPolicy(() => 0);
      for (const [at, period] of [
        [NOW, 'hour'],
        [NOW + ms, then],
      ] as const) {
        const ask = asked(windows, { slots: [new Slots(windows).at(exactly(at))] });
        policy.hear(
          ask,
          outcome([], ask, ({ window }) => (window.period === period ? 100 : 0)),
          at,
        );
      }
      return policy.full(NOW + ms) !== undefined;
    };
    expect(isFull(5_000, 'hour')).toBe(true);
    expect(isFull(5_000, 'day')).toBe(false);
    expect(isFull(3_600_000, 'hour')).toBe(false);
  });

  it('is forgotten with the first unit that is granted', () => {
    const policy = new AskPolicy(() => 0);
    const ask = asked(calendar({ month: 100 }));
    hearTwice(policy, ask, 5_000);
    policy.hear(ask, outcome([1], ask, full), NOW + 6_000);
    expect(policy.full(NOW)).toBeUndefined();
  });

  it('is a minute of which the last unit is kept, because it may slide', () => {
    const policy = new AskPolicy(() => 0);
    const windows = calendar({});
    windows.open('minute', 100, { alive: SHAPES, epoch: 0 });
    const now = BEGIN + 10_000;
    const ask = asked(windows, { kept: () => 1, slots: [new Slots(windows).at(exactly(now))] });
    policy.hear(
      ask,
      outcome([], ask, () => 99),
      now,
    );
    expect(policy.full(NOW)).toMatchObject({ instance: { name: `minute:${BEGIN / 1_000}` }, isKept: true });
    policy.hear(ask, outcome([], ask, full), now);
    expect(policy.full(NOW)?.isKept).toBe(false);
  });

  it('is none that lacks only what is kept for urgent calls, because that shrinks', () => {
    const policy = new AskPolicy(() => 0);
    const ask = asked(calendar({ minute: 100 }), { kept: () => 10 });
    policy.hear(
      ask,
      outcome([], ask, () => 95),
      NOW,
    );
    expect(policy.full(NOW)).toBeUndefined();
    expect(policy.nextAt(0, false)).toBeLessThanOrEqual(NOW + 2_000);
  });
});

describe('a lack of units', () => {
  const kept = (): number => 10;

  /** Whether there is a lack after each of these answers: when it came, and how much of 100 units was used. */
  function lacks(answers: readonly (readonly [ms: number, used: number, granted?: number])[]): readonly boolean[] {
    const policy = new AskPolicy(() => 0);
    const ask = asked(calendar({ second: 20, minute: 100 }), { kept });
    return answers.map(([ms, used, granted = 0]) => {
      const usedOf = ({ window }: Instance): number => (window.isShort ? 0 : used);
      policy.hear(ask, outcome([granted], ask, usedOf), NOW + ms);
      return policy.isLacking;
    });
  }

  it('is certain by answers in a row over 5 s, also of units that are only kept for other calls', () => {
    expect(
      lacks([
        [0, 95],
        [4_999, 95],
        [5_000, 95],
      ] as const),
    ).toEqual([false, false, true]);
  });

  it('is none by an answer that shows room, although another process was granted it', () => {
    expect(
      lacks([
        [0, 95],
        [3_000, 80],
        [6_000, 80],
        [7_000, 95],
      ] as const),
    ).toEqual([false, false, false, true]);
  });

  it('is none before an answer lacked units, nor where as many are left as the first call needs', () => {
    expect(
      lacks([
        [0, 80],
        [5_000, 95],
        [5_001, 95],
      ] as const),
    ).toEqual([false, false, false]);
    expect(
      lacks([
        [0, 89],
        [5_000, 89],
      ] as const),
    ).toEqual([false, false]);
    expect(
      lacks([
        [0, 95],
        [10_000, 95],
      ] as const),
    ).toEqual([false, true]);
  });

  it('is one of a later step of a window that drains, which was named beside the slots', () => {
    const windows = calendar({ minute: 100 });
    const window = windows.of('minute') as SharedWindow;
    const isLackingBy = (rest: Partial<Instance>): boolean => {
      const policy = new AskPolicy(() => 0);
      const step = { name: 'later', end: NOW + 9_000, window, limit: 100, ...rest };
      const ask = asked(windows, { also: [step] });
      for (const now of [NOW, NOW + 5_000])
        policy.hear(
          ask,
          outcome([], ask, ({ name }) => (name === 'later' ? 100 : 0)),
          now,
        );
      return policy.isLacking;
    };
    expect(isLackingBy({ drain: 1_000 })).toBe(true);
    expect(isLackingBy({})).toBe(false);
    expect(isLackingBy({ drain: 1_000, end: BEGIN })).toBe(false);
  });

  it('begins anew with a grant, and where answers are more than 10 s apart', () => {
    expect(
      lacks([
        [0, 95],
        [3_000, 95, 5],
        [6_000, 95],
        [10_999, 95],
        [11_000, 95],
      ] as const).at(-2),
    ).toBe(false);
    expect(
      lacks([
        [0, 95],
        [10_001, 95],
      ] as const),
    ).toEqual([false, false]);
  });

  it('is none of a second, and is over when limits or shapes have changed', () => {
    const policy = new AskPolicy(() => 0);
    const second = asked(calendar({ second: 20 }));
    for (const now of [NOW, NOW + 5_000]) policy.hear(second, outcome([], second, full), now);
    expect(policy.isLacking).toBe(false);
    const minute = asked(calendar({ minute: 100 }));
    for (const now of [NOW, NOW + 5_000]) policy.hear(minute, outcome([], minute, full), now);
    expect(policy.isLacking).toBe(true);
    policy.reset();
    expect(policy.isLacking).toBe(false);
  });
});

describe('a process', () => {
  it('is busy for a while after the present second could not serve it, even if later ones could', () => {
    const policy = new AskPolicy(() => 0);
    const ask = asked(calendar({ second: 20 }));
    policy.hear(ask, outcome([0, 5], ask, full), NOW);
    expect([policy.isLimited, policy.isBusy(NOW + 1_499), policy.isBusy(NOW + 1_500)]).toEqual([false, true, false]);
  });
});
