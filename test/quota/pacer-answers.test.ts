import { describe, expect, it } from 'vitest';
import { ClientWide } from '../../src/quota/client-wide.ts';
import type { QuotaSnapshot } from '../../src/quota/headers/snapshot.ts';
import type { Answered } from './support/builders.ts';
import { kindOf, minute, quota, world } from './support/world.ts';

const HOUR_MS = 3_600_000;

describe('while all slots are taken', () => {
  function busy(): ReturnType<typeof world> {
    const all = world({}, new ClientWide(1));
    all.send(1_000);
    all.pacer.learn({ pausedUntil: 1_000_000 }, 1_000);
    return all;
  }

  it('a call is told of a longer pause only if its maxWaitMs is less than a minute', () => {
    const { ask } = busy();
    expect(ask(1_100, { maxWaitMs: 59_999 })).toMatchObject({ kind: 'wait', reason: { kind: 'cooldown' } });
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

  it('is followed by another in two seconds where it was served, though it left nothing', () => {
    const served = inspected(quota(minute(0)));
    expect([served(5_999).kind, served(6_000).kind]).toEqual(['wait', 'granted']);
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

  it.each([19, 1])('is learned where the window had room by our own books: %i units', (remaining) => {
    const { pacer, send, answer } = world();
    answer(send(1_000), 1_100, quota(minute(remaining)));
    answer(send(1_200), 1_300, refusal, { limited: true });
    expect(pacer.costs.mean({ endpoint: 'GET /a' })).toBeGreaterThan(1);
  });

  it('is not learned where another answer has shown it full', () => {
    const { pacer, send, answer } = world();
    answer(send(1_000), 1_100, quota(minute(19)));
    answer(send(1_200), 1_250, quota(minute(0)));
    answer(send(1_300, { isInspection: true }), 1_350, refusal, { limited: true });
    expect(pacer.costs.mean({ endpoint: 'GET /a' })).toBe(1);
  });

  it('is not learned where no window was known', () => {
    const { pacer, send, answer } = world();
    answer(send(1_000), 1_100, refusal, { limited: true });
    expect(pacer.costs.mean({ endpoint: 'GET /a' })).toBe(1);
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
    ['a reset beyond any window', { limit: 13, remaining: 5, resetAt: 400 * 24 * HOUR_MS, date: 0 }],
  ])('counts a request whose answer names %s', (_, said) => {
    const { send, answer, headroom } = known();
    answer(send(200), 300, quota({}, said));
    expect(headroom(400)).toBe(11);
  });

  it('is read where an answer names no reset', () => {
    const { send, answer, headroom } = known();
    answer(send(200), 300, quota({}, { limit: 13, remaining: 5 }));
    expect(headroom(400)).toBe(5);
  });

  it('is none where a window of the second table is repeated, wherever a late clock puts its end', () => {
    const { pacer, send, answer } = world();
    const repeated = { limit: 20, remaining: 19, resetAt: 190_000, date: 0 };
    answer(send(0), 100, quota(minute(19), repeated));
    expect(pacer.view(200).windows.map(({ window }) => window)).toEqual(['minute']);
  });

  it('is known beside one of the second table, so that nothing has to be found out slowly', () => {
    const { ask, send, answer } = world();
    answer(send(0), 100, quota(minute(19), triple));
    expect(Array.from({ length: 8 }, () => ask(200).kind)).toEqual(Array(8).fill('granted'));
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

it('what a cache answered is not taken for the units of another consumer where the next answer counts it', () => {
  const isLeftToOthers = (said: QuotaSnapshot, times: number): boolean => {
    const { ask, send, answer } = world();
    answer(send(0), 100, quota(minute(99, 100), { date: 0 }));
    for (let time = 0; time < times; time++) answer(send(200), 250, said);
    answer(send(1_000), 1_100, quota(minute(90, 100), { date: 1_000 }));
    return ask(2_000, { cost: 89 }).kind === 'wait';
  };
  expect(isLeftToOthers(quota(), 0)).toBe(true);
  expect(isLeftToOthers(quota({}, { ageMs: 9_000 }), 8)).toBe(false);
});

describe('while no answer names a limit', () => {
  it('an answer lets two requests go together, and one of a cache does not', () => {
    const granted = (said: QuotaSnapshot): number => {
      const { ask, send, answer } = world();
      answer(send(0), 100, said);
      return Array.from({ length: 8 }, () => ask(200).kind).filter((kind) => kind === 'granted').length;
    };
    expect([granted(quota()), granted(quota({}, { ageMs: 9_000 }))]).toEqual([2, 1]);
  });

  it('requests go more slowly than those that were refused, once the pause is over', () => {
    const { ask, send, answer } = world();
    for (let now = 1_000; now < 2_000; now += 100) answer(send(now), now + 50);
    answer(send(2_000), 2_050, quota(), { limited: true });
    const probe = send(3_100);
    answer(probe, 3_150);
    expect(ask(3_151)).toMatchObject({ kind: 'wait', reason: { kind: 'slow-start' } });
  });
});

const second = (remaining: number): QuotaSnapshot['stacks'] => ({ cost: 1, second: { limit: 20, remaining } });

describe('the end of a second', () => {
  it.each([
    ['a date', 21_000, true],
    ['a date that has passed by our clock', 20_000, true],
    ['seconds left, counted from the answer', 21_100, false],
  ])('tells the time without a `date` if it is %s', (_, resetAt, isTelling) => {
    const { pacer, send, answer } = world();
    answer(send(0), 100, quota(second(19), { limit: 20, remaining: 19, resetAt, receivedAt: 20_100 }));
    expect(pacer.view(100).lead !== undefined).toBe(isTelling);
  });

  it('tells the time beside a date that is ahead of it, though it is whole seconds from the answer', () => {
    const { pacer, send, answer } = world();
    const said = { limit: 20, remaining: 19, resetAt: 21_100, receivedAt: 20_100, date: 25_000 };
    answer(send(0), 100, quota(second(19), said));
    expect(pacer.view(100).lead?.most).toBe(21_100);
  });
});

describe('after a refusal', () => {
  /** How long after a pause of a second the first request goes beside other consumers, which used a unit before, in milliseconds. */
  function returnsAfter(random: number): number {
    const { send, answer, ask } = world({}, new ClientWide(10), () => random);
    answer(send(1_000), 1_050, quota(second(18)));
    for (const at of [3_000, 9_000])
      answer(send(at), at + 50, quota(second(0), { retryAfterMs: 1_000 }), { limited: true });
    const admission = ask(10_050);
    if (admission.kind === 'wait') expect(admission).toMatchObject({ isFirm: false, reason: { kind: 'half-open' } });
    return admission.kind === 'wait' ? admission.until - 10_050 : 0;
  }

  it('beside other consumers the first request goes within our spacing, which is more than a second here: chance says when', () => {
    const [first = NaN, early = NaN, late = NaN] = [0, 0.25, 0.75].map(returnsAfter);
    expect(first).toBe(0);
    expect(early).toBeCloseTo(488.7, 1);
    expect(late).toBeCloseTo(3 * early, 6);
  });
});

describe('the end of a minute', () => {
  const reset = { limit: 50, remaining: 49, resetAt: 60_000, receivedAt: 20_100 };
  const said = quota({ minute: { limit: 50, remaining: 49 } }, reset);

  it('tells the time without a `date` where no second is limited', () => {
    const { pacer, send, answer } = world();
    answer(send(0), 100, said);
    expect(pacer.view(100).lead).toMatchObject({ least: -100, most: 60_000 });
  });

  it('does not where one is: it would say too little of that', () => {
    const { pacer, send, answer } = world();
    answer(send(0), 100, quota(second(19)));
    answer(send(200), 300, said);
    expect(pacer.view(300).lead).toBeUndefined();
  });
});

describe('a refusal of all requests', () => {
  /** When the first request of the refused endpoint may go after a pause of a second, and whether siblings are told of the pause. */
  const refused = (said: QuotaSnapshot, served = ['GET /a', 'GET /b']): unknown => {
    const { send, answer, ask, all } = world();
    for (const endpoint of served) answer(send(1_000, { endpoint }), 1_100, quota());
    answer(send(1_200), 2_000, said, { limited: true });
    let now = 2_950;
    while (ask(now).kind === 'wait') now += 50;
    return [now, all('pause').length > 0];
  };

  it.each<[string, QuotaSnapshot, unknown]>([
    ['leaves the first request after it to another endpoint', quota(), [3_100, false]],
    ['is told to siblings where the service asked for the pause', quota({}, { retryAfterMs: 1_000 }), [3_100, true]],
    ['is everybody’s where a window is full', quota(minute(0), { retryAfterMs: 1_000 }), [3_000, true]],
    ['or that without a time', quota(minute(0)), [62_050, true]],
    ['or nothing remains', quota({}, { remaining: 0, retryAfterMs: 1_000 }), [3_000, true]],
  ])('%s', (_, said, expected) => {
    expect(refused(said)).toEqual(expected);
  });

  it('is not told to siblings if its endpoint never served: they may call another one', () => {
    expect(refused(quota({}, { retryAfterMs: 1_000 }), [])).toEqual([3_000, false]);
  });
});
