import { describe, expect, it } from 'vitest';
import { SHAPES } from '../../../src/quota/models/all.ts';
import { slidingLog } from '../../../src/quota/models/sliding-log.ts';
import type { Period } from '../../../src/quota/time/periods.ts';
import { AskPolicy } from '../../../src/sharing/ledger/ask-policy.ts';
import type { Asked } from '../../../src/sharing/ledger/room.ts';
import { Slots } from '../../../src/sharing/slots/slots.ts';
import { asked, full, NOW, outcome } from '../support/ask-policy.ts';
import { BEGIN, calendar, exactly } from '../support/small.ts';

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
