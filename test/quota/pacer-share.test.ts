import { describe, expect, it } from 'vitest';
import type { Charge, Hold, RequestOutcome } from '../../src/quota/admission.ts';
import { aligned } from '../../src/quota/models/aligned.ts';
import type { ShareLimit } from '../../src/quota/share-limit.ts';
import { kindOf, minute, quota, world } from './support/world.ts';

const HOUR_MS = 3_600_000;

describe('the share of a process hears', () => {
  it('of each request when it is sent', () => {
    const { send, answer, all } = world();
    answer(send(1_000), 1_050);
    send(1_100, { endpoint: 'GET /b' });
    expect(all('sent')).toEqual([
      ['GET /a', 1_000],
      ['GET /b', 1_100],
    ]);
  });

  it.each<[string, RequestOutcome, number, boolean]>([
    ['was served, with what it cost', { kind: 'answered', quota: quota({ cost: 3 }), limited: false }, 3, true],
    ['was served, at what was held for it', { kind: 'answered', quota: quota(), limited: false }, 2, true],
    ['was refused', { kind: 'answered', quota: quota({ cost: 3 }), limited: true }, 2, false],
    [
      'was refused, as readings of all windows show',
      { kind: 'answered', quota: quota(minute(0)), limited: true },
      0,
      false,
    ],
    ['was answered by a cache', { kind: 'answered', quota: quota({}, { ageMs: 9_000 }), limited: false }, 0, true],
    ['was lost and may be counted', { kind: 'lost' }, 2, false],
    ['was never sent', { kind: 'unsent' }, 0, false],
  ])('of a request that %s', (_, outcome, units, isServed) => {
    const { pacer, send, all } = world();
    pacer.settle(send(1_000, { cost: 2 }), outcome, 1_100);
    expect(all('ended')).toEqual([[units, isServed]]);
  });

  it('of the highest cost of an endpoint whenever one is stated', () => {
    const { send, answer, all } = world();
    for (const cost of [3, 2]) answer(send(1_000), 1_100, quota({ cost }));
    answer(send(2_000), 2_100);
    expect(all('cost')).toEqual([
      ['GET /a', 3],
      ['GET /a', 3],
    ]);
  });

  it('of a pause that is ordered, and of none that is over at once', () => {
    const { send, answer, all } = world();
    answer(send(1_000), 1_100, quota({}, { retryAfterMs: 0 }));
    expect(all('pause')).toEqual([]);
    answer(send(1_200), 1_300, quota({}, { retryAfterMs: 2_000 }));
    expect(all('pause')).toEqual([[3_300]]);
  });
});

describe('what siblings have learned', () => {
  it('is a pause of the service', () => {
    const { pacer, ask } = world();
    pacer.learn({}, 1_000);
    expect(pacer.view(1_000).cooldown).toBeUndefined();
    pacer.learn({ pausedUntil: 5_000 }, 1_000);
    expect(ask(1_000)).toMatchObject({ until: 5_000, reason: { why: expect.stringContaining('another process') } });
  });

  it('is how far the clock of the service is ahead', () => {
    const { pacer } = world();
    pacer.learn({}, 1_000);
    expect(pacer.view(1_000).lead).toBeUndefined();
    pacer.learn({ lead: { least: -10, most: 30 } }, 1_000);
    expect(pacer.view(1_000).lead).toEqual({ least: -10, most: 30 });
  });

  it('is what an endpoint costs', () => {
    const { pacer } = world();
    pacer.learn({}, 1_000);
    expect(pacer.costs.mean({ endpoint: 'GET /b' })).toBe(1);
    pacer.learn({ costs: [['GET /b', 4]] }, 1_000);
    expect(pacer.costs.mean({ endpoint: 'GET /b' })).toBe(4);
  });

  it('is which shape a window has', () => {
    const shapes: (readonly string[])[] = [];
    const { pacer, send, answer } = world({
      read: (news) => shapes.push(news.shapes.alive.map(({ name }) => name)),
    });
    answer(send(1_000), 1_100, quota(minute(19)));
    pacer.learn({ shapes: [{ period: 'minute', alive: [aligned], epoch: 1 }] }, 1_200);
    answer(send(1_300), 1_400, quota(minute(18)));
    expect(shapes.map((names) => names.length > 1)).toEqual([true, false]);
    expect(shapes[1]).toEqual(['aligned']);
  });

  it('is that an hourly trial was served, or was not', () => {
    const { pacer, send, answer, ask } = world();
    answer(send(1_000), 1_100, quota());
    ask(1_200);
    expect(pacer.triesAt).toBe(1_100 + HOUR_MS);
    pacer.learn({ trial: { at: 9_000, isServed: false } }, 9_100);
    expect(pacer.triesAt).toBe(9_000 + HOUR_MS);
    pacer.learn({}, 9_100);
    expect(pacer.triesAt).toBe(9_000 + HOUR_MS);
    pacer.learn({ trial: { at: 9_500, isServed: true } }, 9_600);
    expect(pacer.triesAt).toBe(-Infinity);
  });
});

describe('an hourly trial', () => {
  const month = (remaining: number) => ({ month: { limit: 100, remaining } });

  /** A month that was found used up at 1.1 s, by the clock of the service at the beginning of a month. */
  function usedUp(part?: Partial<ShareLimit>): ReturnType<typeof world> {
    const all = world(part);
    all.answer(all.send(1_000), 1_100, quota(month(0), { date: Date.UTC(2026, 5, 1, 12) }));
    return all;
  }

  it('goes after an hour without an answer, and tells whether it was served', () => {
    for (const [remaining, limited] of [
      [50, false],
      [0, true],
    ] as const) {
      const { ask, send, answer, all } = usedUp();
      expect(ask(1_099 + HOUR_MS).kind).toBe('wait');
      const trial = send(1_100 + HOUR_MS);
      expect(trial.isExempt).toBe(true);
      answer(trial, 1_200 + HOUR_MS, quota(month(remaining)), { limited });
      expect(all('trial')).toEqual([[!limited]]);
    }
  });

  it('goes an hour after the last answer, or the last trial', () => {
    const { ask, send, answer, pacer } = usedUp();
    const inspection = send(5_000, { isInspection: true });
    answer(inspection, 5_100, quota(month(0)), { limited: true });
    expect(ask(1_100 + HOUR_MS).kind).toBe('wait');
    const trial = send(5_100 + HOUR_MS);
    pacer.settle(trial, { kind: 'unsent' }, 5_200 + HOUR_MS);
    expect(ask(5_300 + HOUR_MS).kind).toBe('wait');
    expect(ask(5_100 + 2 * HOUR_MS).kind).toBe('granted');
  });

  it('is sent alone, so that another call waits', () => {
    const { ask, send } = usedUp();
    send(HOUR_MS, { isInspection: true });
    expect(ask(1_100 + HOUR_MS).kind).toBe('wait');
  });

  it('does not go while a sibling tries', () => {
    expect(usedUp({ mayTry: () => false }).ask(1_100 + HOUR_MS).kind).toBe('wait');
  });

  it('goes where the share of the process is used up, too', () => {
    const check = (_: Charge, now: number): Hold | undefined =>
      now < 2_000
        ? undefined
        : {
            ...{ until: now + HOUR_MS, isFirm: true, mayEndOnAnswer: true, scope: 'all', yieldsToPriority: false },
            reason: () => ({ kind: 'share', why: 'used up' }),
          };
    const { ask, send, answer } = world({ check });
    answer(send(1_000), 1_100);
    expect(kindOf(ask(3_000))).toBe('share');
    expect(ask(1_100 + HOUR_MS).kind).toBe('granted');
  });

  it('does not go where only some requests are held back', () => {
    const { ask, send, answer } = world();
    answer(send(1_000), 1_100, quota(minute(19)));
    expect(ask(1_200 + HOUR_MS, { cost: 21 }).kind).toBe('wait');
  });
});
