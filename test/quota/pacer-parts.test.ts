import { describe, expect, it } from 'vitest';
import type { Ask, Charge, Hold, Lease, RequestOutcome } from '../../src/quota/admission.ts';
import { ClientWide } from '../../src/quota/client-wide.ts';
import type { QuotaSnapshot } from '../../src/quota/headers/snapshot.ts';
import { aligned } from '../../src/quota/models/aligned.ts';
import { Pacer } from '../../src/quota/pacer.ts';
import { type ShareLimit, wholeShareLimit } from '../../src/quota/share-limit.ts';
import { type Answered, factsOf } from './support/builders.ts';

const HOUR_MS = 3_600_000;
const PATIENT = Number.POSITIVE_INFINITY;

/** What an answer says. */
function quota(stacks: QuotaSnapshot['stacks'] = {}, more: Partial<QuotaSnapshot> = {}): QuotaSnapshot {
  return { receivedAt: 0, stacks, malformed: [], unrecognised: {}, ...more };
}

/** A pacer, and what its share of the quota hears from it. */
function world(part: Partial<ShareLimit> = {}, concurrency: number | ClientWide = 10) {
  const heard: unknown[][] = [];
  const shareLimit: ShareLimit = {
    ...wholeShareLimit,
    onSent: ({ endpoint }, now) => heard.push(['sent', endpoint, now]),
    onEnded: (_lease, units, isServed) => heard.push(['ended', units, isServed]),
    tellCost: (endpoint, units) => heard.push(['cost', endpoint, units]),
    tellPause: (until) => heard.push(['pause', until]),
    tellTrial: (isServed) => heard.push(['trial', isServed]),
    ...part,
  };
  const pacer = new Pacer({ concurrency, leaseMs: 90_000, shareLimit: () => shareLimit });
  const ask = (now: number, more: Partial<Ask> = {}): Answered =>
    factsOf(pacer.admit({ endpoint: 'GET /a', maxWaitMs: PATIENT, ...more }, now));
  const send = (now: number, more?: Partial<Ask>): Lease => {
    const admission = ask(now, more);
    if (admission.kind !== 'granted') throw new Error(admission.reason.why);
    return admission.lease;
  };
  const answer = (lease: Lease, now: number, said = quota(), more: object = {}): void =>
    pacer.settle(lease, { kind: 'answered', quota: said, limited: false, ...more }, now);
  const all = (name: string): unknown[][] => heard.filter(([first]) => first === name).map((each) => each.slice(1));
  return { pacer, ask, send, answer, all };
}

const minute = (remaining: number, limit = 20) => ({ cost: 1, minute: { limit, remaining } });
const kindOf = (admission: Answered): string => (admission.kind === 'granted' ? 'granted' : admission.reason.kind);

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
    ['was answered by a cache', { kind: 'answered', quota: quota({}, { ageMs: 9_000 }), limited: false }, 0, true],
    ['was lost and may be counted', { kind: 'lost' }, 2, false],
    ['was never sent', { kind: 'unsent' }, 0, false],
  ])('of a request that %s', (_, outcome, units, isServed) => {
    const { pacer, send, all } = world();
    pacer.settle(send(1_000, { cost: 2 }), outcome, 1_100);
    expect(all('ended')).toEqual([[units, isServed]]);
  });

  it('of the dearest cost of an endpoint whenever one is stated', () => {
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
    expect(pacer.costOf({ endpoint: 'GET /b' })).toBe(1);
    pacer.learn({ costs: [['GET /b', 4]] }, 1_000);
    expect(pacer.costOf({ endpoint: 'GET /b' })).toBe(4);
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
    expect(pacer.triesAt).toBe(Number.NEGATIVE_INFINITY);
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

  it('goes alone', () => {
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
    expect(ask(1_200 + HOUR_MS, { cost: 21 }).kind).toBe('refused');
  });
});

describe('while all slots are taken', () => {
  function busy(concurrency: number | ClientWide = 1): ReturnType<typeof world> {
    const all = world({}, concurrency);
    all.send(1_000);
    all.pacer.learn({ pausedUntil: 1_000_000 }, 1_000);
    return all;
  }

  it('a call hears of a longer pause only where it waits for less than a minute', () => {
    const { ask } = busy();
    expect(ask(1_100, { maxWaitMs: 59_999 })).toMatchObject({ kind: 'refused', reason: { kind: 'cooldown' } });
    expect(ask(1_100, { maxWaitMs: 60_000 })).toMatchObject({ kind: 'wait', reason: { kind: 'concurrency' } });
  });

  it('an inspection passes the pause all the same', () => {
    expect(busy().ask(1_100, { isInspection: true }).kind).toBe('granted');
  });
});

describe('an inspection', () => {
  /** Inspections of a long pause, of which the first was answered 100 ms after it was sent at 2 s. */
  function inspected(said: QuotaSnapshot, more?: object) {
    const all = world();
    all.pacer.learn({ pausedUntil: 1_000_000 }, 1_000);
    all.answer(all.send(2_000, { isInspection: true }), 2_100, said, more);
    all.answer(all.send(4_000, { isInspection: true }), 4_100, quota(minute(0)), { limited: true });
    return (now: number): Answered => all.ask(now, { isInspection: true });
  }

  it('is followed by another in two seconds, or in four where neither was served', () => {
    const refused = inspected(quota(minute(0)), { limited: true });
    expect(refused(7_999)).toMatchObject({ kind: 'wait', isFirm: false, until: 8_000, reason: { kind: 'inspection' } });
    expect(refused(8_000).kind).toBe('granted');
  });

  it.each([
    ['answered by a cache', quota(minute(9), { ageMs: 5_000 }), {}],
    ['answered for a service that failed', quota(), { failed: true }],
  ])('that was %s counts as one that was not served', (_, said, more) => {
    expect(inspected(said, more)(7_999).kind).toBe('wait');
  });

  it('waits for a pause of the caller, whose end may come any time', () => {
    const wide = new ClientWide(10);
    const { ask } = world({}, wide);
    wide.manualPause.set(50_000);
    expect(ask(1_000, { isInspection: true })).toMatchObject({
      kind: 'wait',
      isFirm: false,
      reason: { kind: 'paused' },
    });
  });
});

describe('failures in a row', () => {
  const fail = ({ send, pacer }: ReturnType<typeof world>, times: number, from: number): void => {
    for (let failure = 0; failure < times; failure++)
      pacer.settle(send(from + failure), { kind: 'lost', failed: true, code: 'ECONNRESET' }, from + failure);
  };

  it('end with an answer', () => {
    const all = world();
    fail(all, 4, 1_000);
    all.answer(all.send(1_010), 1_020);
    fail(all, 4, 1_100);
    expect(all.ask(1_200).kind).toBe('granted');
  });

  it('go on after a request that was aborted', () => {
    const all = world();
    fail(all, 4, 1_000);
    all.pacer.settle(all.send(1_010), { kind: 'unsent' }, 1_020);
    fail(all, 1, 1_100);
    expect(kindOf(all.ask(1_101))).toBe('outage');
    expect(all.pacer.view(1_101).cooldown?.why).toContain('ECONNRESET');
  });

  it('pause all requests, and then one goes first', () => {
    const all = world();
    all.answer(all.send(800), 900, quota(minute(19)));
    fail(all, 5, 1_000);
    all.send(2_100);
    expect(kindOf(all.ask(2_101))).toBe('half-open');
  });
});

describe('the cost of a request that was refused with nothing left', () => {
  const refusal = quota({ cost: 9, minute: { limit: 20, remaining: 0 } });

  it('is learned where the window had room by our own books', () => {
    const { pacer, send, answer } = world();
    answer(send(1_000), 1_100, quota(minute(19)));
    answer(send(1_200), 1_300, refusal, { limited: true });
    expect(pacer.costOf({ endpoint: 'GET /a' })).toBeGreaterThan(1);
  });

  it('is not learned where another answer has shown it full', () => {
    const { pacer, send, answer } = world();
    answer(send(1_000), 1_100, quota(minute(19)));
    answer(send(1_200), 1_250, quota(minute(0)));
    answer(send(1_300, { isInspection: true }), 1_350, refusal, { limited: true });
    expect(pacer.costOf({ endpoint: 'GET /a' })).toBe(1);
  });

  it('is not learned where no window was known', () => {
    const { pacer, send, answer } = world();
    answer(send(1_000), 1_100, refusal, { limited: true });
    expect(pacer.costOf({ endpoint: 'GET /a' })).toBe(1);
  });
});

describe('a window that only the headers of every API describe', () => {
  const triple = { limit: 13, remaining: 12, resetAt: 30_000, date: 0 };

  function known() {
    const all = world();
    all.answer(all.send(0), 100, quota({}, triple));
    const headroom = (now: number): number | undefined => all.pacer.view(now).windows.at(-1)?.headroom;
    expect(headroom(200)).toBe(12);
    return { ...all, headroom };
  }

  it.each([
    ['no limit', { remaining: 5 }],
    ['no remaining', { limit: 13 }],
    ['neither', {}],
  ])('counts a request whose answer names %s', (_, said) => {
    const { send, answer, headroom } = known();
    answer(send(200), 300, quota({}, said));
    expect(headroom(400)).toBe(11);
  });

  it('counts a request once that was answered after it was given up', () => {
    const { send, answer, headroom, pacer } = known();
    const lease = send(200);
    pacer.view(4_000);
    expect(headroom(4_000)).toBe(11);
    answer(lease, 4_100, quota());
    expect(headroom(4_200)).toBe(11);
  });

  it('does not count an answer of a cache', () => {
    const { send, answer, headroom } = known();
    answer(send(200), 300, quota({}, { ageMs: 9_000 }));
    expect(headroom(400)).toBe(12);
  });
});

describe('while no answer names a limit', () => {
  it('requests go more slowly than those that were refused, once the pause is over', () => {
    const { ask, send, answer } = world();
    for (let now = 1_000; now < 2_000; now += 100) answer(send(now), now + 50);
    answer(send(2_000), 2_050, quota(), { limited: true });
    const probe = send(3_100);
    answer(probe, 3_150);
    expect(ask(3_151)).toMatchObject({ kind: 'wait', reason: { kind: 'slow-start' } });
  });
});
