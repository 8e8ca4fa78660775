import { describe, expect, it } from 'vitest';
import type { QuotaSnapshot } from '../../../src/quota/headers/snapshot.ts';
import { EndpointCooldowns } from '../../../src/quota/limits/endpoint-cooldowns.ts';
import { charge, knownClock } from '../support/builders.ts';
import { flightOf } from '../support/flight.ts';

const A = charge({ endpoint: 'GET /a' });
const B = charge({ endpoint: 'GET /b' });

/** What the refusals say: of a minute with room, of one without, or of no window. */
const ROOM = { stacks: { cost: 2, minute: { limit: 10, remaining: 2 } } };
const TOO_LITTLE = { stacks: { cost: 2, minute: { limit: 10, remaining: 1 } } };
const NO_WINDOW = { stacks: {} };

/** Cooldowns of endpoints of which these have served. */
function cooldownsOf(served: readonly string[] = ['GET /a', 'GET /b', 'GET /c']) {
  const cooldowns = new EndpointCooldowns();
  const refuse = (endpoint: string, now: number, said: Partial<QuotaSnapshot>): boolean => {
    const quota = { receivedAt: now, stacks: {}, malformed: [], unrecognised: {}, ...said };
    return cooldowns.onRefused(flightOf(endpoint, now - 10), { quota, sentAt: now - 10 }, knownClock(), now);
  };
  const serve = (endpoint: string, sentAt: number): void => cooldowns.onServed(flightOf(endpoint, sentAt));
  for (const endpoint of served) serve(endpoint, 0);
  return { cooldowns, refuse, serve };
}

describe('an endpoint refuses alone', () => {
  it('if every window has room, and then holds back its own calls', () => {
    const { cooldowns, refuse } = cooldownsOf();
    expect(refuse('GET /a', 100, ROOM)).toBe(true);
    expect(cooldowns.check(A, 100)).toMatchObject({ until: 1_100, scope: 'endpoint', isFirm: true });
    expect(cooldowns.check(B, 100)).toBeUndefined();
    expect([cooldowns.untilOf('GET /a'), cooldowns.untilOf('GET /b'), cooldowns.until]).toEqual([
      1_100,
      -Infinity,
      1_100,
    ]);
  });

  it.each([
    ['a window has too little left', TOO_LITTLE],
    ['no window is stated', NO_WINDOW],
  ])('never before another one has served, if %s', (_, said) => {
    const { cooldowns, refuse } = cooldownsOf();
    expect([refuse('GET /a', 100, said), refuse('GET /a', 2_000, said)]).toEqual([false, false]);
    expect(cooldowns.check(A, 2_000)).toBeUndefined();
  });

  it('if one other has served, and never where none has', () => {
    expect(cooldownsOf(['GET /a', 'GET /b']).refuse('GET /a', 100, ROOM)).toBe(true);
    expect(cooldownsOf(['GET /a']).refuse('GET /a', 100, ROOM)).toBe(false);
  });

  it('never while another refuses, too', () => {
    const { refuse, serve } = cooldownsOf();
    expect([refuse('GET /a', 100, ROOM), refuse('GET /b', 110, ROOM)]).toEqual([true, false]);
    serve('GET /c', 105);
    expect(refuse('GET /a', 120, ROOM)).toBe(false);
    serve('GET /c', 130);
    expect(refuse('GET /b', 140, ROOM)).toBe(true);
  });

  it('if another one served between two of its refusals, which state no window, until another one refuses', () => {
    const { refuse, serve } = cooldownsOf();
    refuse('GET /a', 100, NO_WINDOW);
    serve('GET /b', 200);
    expect(refuse('GET /b', 300, NO_WINDOW)).toBe(false);
    serve('GET /b', 400);
    serve('GET /b', 450);
    expect(refuse('GET /a', 500, NO_WINDOW)).toBe(true);
    serve('GET /a', 2_000);
    expect(refuse('GET /a', 2_100, NO_WINDOW)).toBe(true);
    serve('GET /a', 3_000);
    expect(refuse('GET /b', 3_100, NO_WINDOW)).toBe(false);
    expect(refuse('GET /a', 3_200, NO_WINDOW)).toBe(false);
  });

  it('if a call of another one probes the service first, after a pause of all, and is served', () => {
    const { cooldowns, refuse, serve } = cooldownsOf();
    expect(refuse('GET /a', 100, NO_WINDOW)).toBe(false);
    cooldowns.letOthersProbe('GET /a', 1_100);
    expect(cooldowns.check(A, 1_150)).toMatchObject({ until: 1_200, scope: 'endpoint' });
    expect(cooldowns.check(B, 1_150)).toBeUndefined();
    serve('GET /b', 1_150);
    expect(refuse('GET /a', 1_300, NO_WINDOW)).toBe(true);
    const single = cooldownsOf(['GET /a']).cooldowns;
    single.letOthersProbe('GET /a', 1_100);
    expect(single.check(A, 1_150)).toBeUndefined();
  });
});

describe('an endpoint that has served nothing, although others have', () => {
  it('refuses alone, whatever else refuses, unless a window is full', () => {
    const { cooldowns, refuse, serve } = cooldownsOf([]);
    serve('GET /b', 10);
    expect([refuse('GET /a', 100, NO_WINDOW), refuse('GET /c', 110, NO_WINDOW)]).toEqual([true, true]);
    expect(refuse('GET /a', 120, TOO_LITTLE)).toBe(false);
    expect(['GET /a', 'GET /b'].map((endpoint) => cooldowns.isBarred(endpoint))).toEqual([true, false]);
    serve('GET /a', 2_000);
    expect(cooldowns.isBarred('GET /a')).toBe(false);
  });

  it('refuses alone while another refuses, and has not kept that one from doing so', () => {
    const { refuse } = cooldownsOf(['GET /b', 'GET /c']);
    expect(refuse('GET /a', 100, NO_WINDOW)).toBe(true);
    expect([refuse('GET /b', 110, ROOM), refuse('GET /a', 120, NO_WINDOW)]).toEqual([true, true]);
  });

  it('is barred no more than another where none has served', () => {
    const { cooldowns, refuse } = cooldownsOf([]);
    expect([refuse('GET /a', 100, NO_WINDOW), cooldowns.isBarred('GET /a')]).toEqual([false, false]);
  });

  it('is one of a bounded number', () => {
    const { cooldowns, serve } = cooldownsOf([]);
    for (let endpoint = 0; endpoint < 1_002; endpoint++) serve(`GET /${endpoint}`, endpoint);
    expect(['GET /0', 'GET /1001'].map((endpoint) => cooldowns.isBarred(endpoint))).toEqual([true, false]);
  });
});

describe('the pause of an endpoint', () => {
  it('doubles up to eight seconds, whatever reset a window with room has', () => {
    const { cooldowns, refuse } = cooldownsOf();
    const pauses: number[] = [];
    for (let now = 1_000; pauses.length < 6; now = cooldowns.untilOf('GET /a') + 10) {
      refuse('GET /a', now, { ...ROOM, remaining: 2, resetAt: now + 60_000 });
      pauses.push(cooldowns.untilOf('GET /a') - now);
    }
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
  });

  it('lasts as long as the service asks, or until the reset of a full window of its own', () => {
    const { cooldowns, refuse } = cooldownsOf();
    refuse('GET /a', 1_000, { ...ROOM, retryAfterMs: 30_000 });
    expect(cooldowns.untilOf('GET /a')).toBe(31_000);
    const other = cooldownsOf();
    other.refuse('GET /a', 1_000, { ...ROOM, limit: 5, remaining: 0, resetAt: 41_000 });
    expect(other.cooldowns.untilOf('GET /a')).toBeGreaterThan(20_000);
  });

  it('ends half-open, for its own calls, which follow one by one once the first is served', () => {
    const { cooldowns, refuse } = cooldownsOf();
    refuse('GET /a', 100, ROOM);
    const probe = flightOf('GET /a', 1_100);
    cooldowns.onSent(probe);
    cooldowns.onSent(flightOf('GET /b', 1_100));
    expect(cooldowns.check(A, 1_200)).toMatchObject({ scope: 'endpoint', isFirm: false });
    probe.isOver = true;
    cooldowns.onServed(probe);
    expect(cooldowns.check(A, 1_300)).toBeUndefined();
    cooldowns.onSent(flightOf('GET /a', 1_300));
    expect(cooldowns.check(A, 1_300)?.until).toBe(1_325);
  });

  it('ends before its time if a request is served meanwhile, half-open', () => {
    const { cooldowns, refuse } = cooldownsOf();
    refuse('GET /a', 100, { ...ROOM, retryAfterMs: 60_000 });
    cooldowns.end(flightOf('GET /a', 5_000), 5_100);
    expect(cooldowns.check(A, 5_100)).toBeUndefined();
    cooldowns.onSent(flightOf('GET /a', 5_200));
    expect(cooldowns.check(A, 5_300)).toMatchObject({ until: 8_200, scope: 'endpoint' });
  });

  it('is one of a bounded number', () => {
    const { cooldowns, refuse, serve } = cooldownsOf();
    refuse('GET /a', 100, { ...ROOM, retryAfterMs: 60_000 });
    for (let other = 0; other < 64; other++) {
      serve('GET /served', 200 + 20 * other);
      refuse(`GET /${other}`, 210 + 20 * other, ROOM);
    }
    expect(cooldowns.untilOf('GET /a')).toBe(-Infinity);
    expect(cooldowns.untilOf('GET /63')).toBeGreaterThan(0);
  });
});
