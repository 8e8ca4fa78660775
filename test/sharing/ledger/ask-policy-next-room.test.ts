import { describe, expect, it } from 'vitest';
import { aligned } from '../../../src/quota/models/aligned.ts';
import { SHAPES } from '../../../src/quota/models/all.ts';
import type { Shape } from '../../../src/quota/models/model.ts';
import { slidingLog } from '../../../src/quota/models/sliding-log.ts';
import type { Period } from '../../../src/quota/time/periods.ts';
import { AskPolicy } from '../../../src/sharing/ledger/ask-policy.ts';
import { Slots } from '../../../src/sharing/slots/slots.ts';
import type { Instance } from '../../../src/sharing/slots/window.ts';
import { SharedWindows } from '../../../src/sharing/slots/windows.ts';
import { asked, full, NOW, outcome } from '../support/ask-policy.ts';
import { BEGIN, calendar, exactly } from '../support/small.ts';

describe('when it is worth asking the store', () => {
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
});
