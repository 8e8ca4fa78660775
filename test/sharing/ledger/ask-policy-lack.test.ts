import { describe, expect, it } from 'vitest';
import { AskPolicy } from '../../../src/sharing/ledger/ask-policy.ts';
import type { Instance, SharedWindow } from '../../../src/sharing/slots/window.ts';
import type { SharedWindows } from '../../../src/sharing/slots/windows.ts';
import { asked, full, NOW, outcome } from '../support/ask-policy.ts';
import { BEGIN, calendar } from '../support/small.ts';

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

describe('that nothing but a second was too full', () => {
  /** Whether that is so after an answer that finds a window full, or with a unit of it granted. */
  const isPassing = (windows: SharedWindows, now: number, granted = 0): boolean => {
    const policy = new AskPolicy(() => 0);
    expect(policy.isPassing(NOW)).toBe(false);
    const ask = asked(windows);
    policy.hear(ask, outcome([granted], ask, full), NOW);
    return policy.isPassing(now);
  };

  it('is known for a second and a half, and not where a minute is full or all was granted', () => {
    const windows = calendar({ second: 20 });
    expect([NOW, NOW + 1_499, NOW + 1_500].map((now) => isPassing(windows, now))).toEqual([true, true, false]);
    expect(isPassing(calendar({ second: 20, minute: 100 }), NOW)).toBe(false);
    expect(isPassing(windows, NOW, 5)).toBe(false);
  });
});
