import { describe, expect, it } from 'vitest';
import { AskPolicy } from '../../../src/sharing/ledger/ask-policy.ts';
import type { Asked } from '../../../src/sharing/ledger/room.ts';
import type { Instance } from '../../../src/sharing/slots/window.ts';
import { asked, full, NOW, outcome } from '../support/ask-policy.ts';
import { BEGIN, calendar } from '../support/small.ts';

const HALF = 0.5;

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

  it('is in the second half where as much is left as the first call needs, or any unit once some were granted', () => {
    const isLate = (granted: number, used: number): boolean => {
      const policy = new AskPolicy(() => 0);
      const ask = asked(calendar({ second: 20 }), { need: 3 });
      policy.hear(
        ask,
        outcome([granted], ask, () => used),
        NOW,
      );
      return policy.isLate(BEGIN + 500);
    };
    expect([isLate(0, 17), isLate(0, 18), isLate(1, 19), isLate(1, 20)]).toEqual([true, false, true, false]);
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

describe('a process', () => {
  it('is busy for a while after the present second could not serve it, even if later ones could', () => {
    const policy = new AskPolicy(() => 0);
    const ask = asked(calendar({ second: 20 }));
    policy.hear(ask, outcome([0, 5], ask, full), NOW);
    expect([policy.isLimited, policy.isBusy(NOW + 1_499), policy.isBusy(NOW + 1_500)]).toEqual([false, true, false]);
  });
});
