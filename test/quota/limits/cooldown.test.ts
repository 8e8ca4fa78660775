import { describe, expect, it } from 'vitest';
import type { QuotaSnapshot } from '../../../src/quota/headers/snapshot.ts';
import { Cooldown } from '../../../src/quota/limits/cooldown.ts';
import { ServerClock } from '../../../src/quota/time/server-clock.ts';
import { charge, knownClock, untilOf } from '../support/builders.ts';
import { flightOf } from '../support/flight.ts';
import { AGE_MS } from '../support/script.ts';

const CHARGE = charge();

/** A cooldown after a refusal at an instant, by what the headers of that say. */
function refused(
  more: Partial<QuotaSnapshot>,
  { now = 1_000, clock = knownClock(), cooldown = new Cooldown() } = {},
  sentAt: number = now,
): Cooldown {
  const quota = { receivedAt: now, stacks: {}, malformed: [], unrecognised: {}, ...more };
  cooldown.onRefused({ quota, sentAt }, clock, now);
  return cooldown;
}

function heldUntil(instant: number): Cooldown {
  const cooldown = new Cooldown();
  cooldown.hold(instant, 'asked');
  return cooldown;
}

describe('cooldown', () => {
  it('a cooldown holds nothing before it was ordered', () => {
    expect(new Cooldown().check(CHARGE, 5)).toBeUndefined();
  });

  it('a cooldown holds everything until its end, which only time can bring', () => {
    const cooldown = heldUntil(1_000);
    expect(untilOf(cooldown, CHARGE, 999)).toBe(1_000);
    expect(cooldown.check(CHARGE, 999)?.isFirm).toBe(true);
    expect(cooldown.check(CHARGE, 999)?.reason()).toEqual({ kind: 'cooldown', why: 'asked' });
    expect(untilOf(cooldown, CHARGE, 1_000)).toBe(1_000);
    expect(cooldown.check(CHARGE, 1_000)).toBeUndefined();
  });

  it('a cooldown only grows: a shorter one that comes later changes neither its end nor its reason', () => {
    const cooldown = heldUntil(1_000);
    cooldown.hold(600, 'less');
    cooldown.hold(1_000, 'as much');
    expect([cooldown.until, cooldown.why]).toEqual([1_000, 'asked']);
    cooldown.hold(1_500, 'more');
    expect([cooldown.until, cooldown.why]).toEqual([1_500, 'more']);
  });

  it('a cooldown ends half-open: one request goes first, and the others follow when it is welcome', () => {
    const cooldown = heldUntil(1_000);
    const scout = flightOf('GET /a', 1_000);
    cooldown.onSent(scout, false);
    expect(untilOf(cooldown, CHARGE, 1_001)).toBe(1_000 + AGE_MS);
    expect(cooldown.check(CHARGE, 1_001)?.reason().kind).toBe('half-open');
    expect(cooldown.check(CHARGE, 1_001)?.isFirm).toBe(false);
    scout.isOver = true;
    cooldown.onServed(scout);
    cooldown.onSent(flightOf('GET /a', 1_100), false);
    expect(untilOf(cooldown, CHARGE, 1_125)).toBe(1_125);
  });

  it('a cooldown whose probes are refused again and again, each a second after it was told to, doubles from the fifth on', () => {
    const cooldown = new Cooldown();
    const pausesOf = (probes: number): number[] =>
      Array.from({ length: probes }, () => {
        const now = Math.max(0, cooldown.until);
        refused({ retryAfterMs: 1_000 }, { now, cooldown });
        return cooldown.until - now;
      });
    expect(pausesOf(9)).toEqual([1_000, 1_000, 1_000, 1_000, 2_000, 4_000, 7_500, 7_500, 7_500]);
    const { until } = cooldown;
    for (let nth = 0; nth < 9; nth++) refused({ retryAfterMs: 1_000 }, { now: until - 500, cooldown });
    expect(cooldown.until).toBe(until + 500);
    cooldown.onServed(flightOf('GET /a', cooldown.until));
    expect(pausesOf(2)).toEqual([1_000, 1_000]);
  });

  it('a cooldown from which other consumers return, too, is followed by its first request later, however patient a call is', () => {
    const cooldown = heldUntil(1_000);
    cooldown.delayFirst(700);
    expect(untilOf(cooldown, CHARGE, 999)).toBe(1_000);
    expect(untilOf(cooldown, CHARGE, 1_000)).toBe(1_700);
    const hold = cooldown.check(CHARGE, 1_000);
    expect([hold?.isFirm, hold?.reason().kind]).toEqual([false, 'half-open']);
    expect(cooldown.check(CHARGE, 1_700)).toBeUndefined();
  });

  it('a cooldown is followed by one request after the other, ever faster, and by none in the same millisecond as the next', () => {
    const cooldown = heldUntil(1_000);
    const scout = flightOf('GET /a', 1_000);
    cooldown.onSent(scout, false);
    scout.isOver = true;
    cooldown.onServed(scout);
    const sent = [1_050];
    for (let at = 1_050; sent.length < 20; at = untilOf(cooldown, CHARGE, at)) {
      cooldown.onSent(flightOf('GET /a', at), false);
      sent.push(untilOf(cooldown, CHARGE, at));
    }
    const gaps = sent.slice(1).map((at, nth) => at - (sent[nth] ?? 0));
    expect(gaps).toEqual(gaps.toSorted((a, b) => b - a));
    expect(Math.min(...gaps)).toBeGreaterThan(1);
    expect(sent.at(-1)).toBeLessThan(1_150);
  });

  it('a cooldown stays half-open when the one that went first is lost', () => {
    const cooldown = heldUntil(1_000);
    const [scout, second] = [flightOf('GET /a', 1_000), flightOf('GET /a', 1_200)];
    cooldown.onSent(scout, false);
    scout.isOver = true;
    expect(untilOf(cooldown, CHARGE, 1_200)).toBe(1_200);
    cooldown.onSent(second, false);
    expect(untilOf(cooldown, CHARGE, 1_201)).toBe(1_200 + AGE_MS);
  });

  it('a cooldown is not ended by the welcome of a request that was sent before it', () => {
    const cooldown = heldUntil(1_000);
    cooldown.onServed(flightOf('GET /a', 900));
    cooldown.onSent(flightOf('GET /a', 1_000), false);
    expect(untilOf(cooldown, CHARGE, 1_001)).toBe(1_000 + AGE_MS);
  });
});

describe('a refusal that does not say for how long', () => {
  /** How long each of some refusals in a row pauses, each request sent at the end of the pause before. */
  function pauses(cooldown: Cooldown, many: number): number[] {
    return Array.from({ length: many }, () => {
      const now = Math.max(0, cooldown.until);
      refused({}, { now, cooldown });
      return cooldown.until - now;
    });
  }

  it('pauses for a second, then for twice as long each time, up to a minute', () => {
    expect(pauses(new Cooldown(), 8)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  });

  it('counts once, however many requests were under way', () => {
    const cooldown = new Cooldown();
    for (const now of [0, 5, 10]) refused({}, { now, cooldown });
    expect(cooldown.until).toBe(1_000);
  });

  it('begins again with a second after a welcome', () => {
    const cooldown = new Cooldown();
    pauses(cooldown, 3);
    cooldown.onServed(flightOf('GET /a', cooldown.until));
    expect(pauses(cooldown, 2)).toEqual([1_000, 2_000]);
  });
});

describe('a refusal', () => {
  const HOUR_MS = 3_600_000;

  const pauseOf = ({ until, why }: Cooldown) => [Math.round(until / 100) * 100, why];
  const UNSAID = 'the service refused a request without saying when to retry';
  const FULL = { minute: { limit: 5, remaining: 0 } };

  it('pauses for as long as retry-after says, whatever else its headers say', () => {
    const why = 'the service refused a request and asked for a pause';
    expect(pauseOf(refused({ retryAfterMs: 5_000 }))).toEqual([6_000, why]);
    expect(pauseOf(refused({ retryAfterMs: 5_000, resetAt: 60_000, stacks: FULL }))).toEqual([6_000, why]);
  });

  it('pauses until the reset that it names, by the clock of the service or else by our own', () => {
    const why = 'the service refused a request until its window resets';
    expect(pauseOf(refused({ resetAt: 60_000 }))).toEqual([60_000, why]);
    const ours = refused({ receivedAt: 1_000_000, resetAt: 1_030_000 }, { clock: new ServerClock() });
    expect(pauseOf(ours)).toEqual([31_000, why]);
    expect(pauseOf(refused({ resetAt: 100 }))).toEqual([1_000, why]);
  });

  it('counts the time since the first of five in a row as waiting, and says how many there were', () => {
    const cooldown = new Cooldown('GET /a');
    const refuse = (): ReturnType<Cooldown['check']> => {
      const now = Math.max(1_000, cooldown.until);
      refused({ retryAfterMs: 1_000 }, { now, cooldown });
      // Refused together with the first: sent before the pause.
      refused({ retryAfterMs: 1_000 }, { now, cooldown }, now - 1);
      return cooldown.check(CHARGE, now);
    };
    const holds = Array.from({ length: 5 }, refuse);
    expect(holds.map((hold) => hold?.failingSince)).toEqual([undefined, undefined, undefined, undefined, 1_000]);
    expect([holds[0], holds[4]].map((hold) => hold?.reason().why)).toEqual([
      'the service refused a request of GET /a and asked for a pause',
      'the service refused the last 5 requests of GET /a and asked for a pause',
    ]);
    expect(cooldown.isRefusedAgain).toBe(true);
    cooldown.onServed(flightOf('GET /a', cooldown.until));
    expect([refuse()?.failingSince, cooldown.isRefusedAgain]).toEqual([undefined, false]);
  });

  it('is none in a row where it says that a window is full', () => {
    const cooldown = new Cooldown();
    for (const more of [{ stacks: FULL }, { remaining: 0 }])
      for (let time = 0; time < 6; time++)
        refused({ retryAfterMs: 1_000, ...more }, { now: Math.max(1_000, cooldown.until), cooldown });
    expect([cooldown.check(CHARGE, cooldown.until - 1)?.failingSince, cooldown.isRefusedAgain]).toEqual([
      undefined,
      false,
    ]);
  });

  it('leaves the pause to a window that is full, where the end of that is known', () => {
    expect(pauseOf(refused({ stacks: FULL }))).toEqual([1_000, 'a window is full']);
    expect(pauseOf(refused({ stacks: FULL }, { clock: new ServerClock() }))).toEqual([2_000, UNSAID]);
    expect(pauseOf(refused({ stacks: { minute: { limit: 5, remaining: 1 } } }))).toEqual([2_000, UNSAID]);
  });

  it('that asks for no pause is believed once, and a longer pause is always', () => {
    const cooldown = refused({ retryAfterMs: 0 });
    expect(cooldown.until).toBe(1_000);
    expect(pauseOf(refused({ retryAfterMs: 0 }, { now: 1_050, cooldown }))).toEqual([2_100, UNSAID]);
    expect(refused({ retryAfterMs: 5_000 }, { now: 3_000, cooldown }).until).toBe(8_000);
  });

  it('of a request that was sent before the pause is no news', () => {
    const cooldown = heldUntil(1_000);
    refused({}, { now: 1_100, cooldown }, 999);
    expect(cooldown.until).toBe(1_000);
    refused({}, { now: 1_100, cooldown }, 1_000);
    expect(cooldown.until).toBe(2_100);
  });

  it('that names the end of its pause lets the next request overrule the windows, once', () => {
    expect(new Cooldown().overrulesWindows).toBe(false);
    expect(refused({ resetAt: 60_000 }).overrulesWindows).toBe(false);
    const cooldown = refused({ retryAfterMs: 5_000 });
    cooldown.onSent(flightOf('GET /a', 5_999), false);
    expect(cooldown.overrulesWindows).toBe(true);
    cooldown.onSent(flightOf('GET /a', 6_000), false);
    expect(cooldown.overrulesWindows).toBe(false);
  });

  it('of a request that overruled a full window has our own reckoning decide for an hour', () => {
    const cooldown = refused({ retryAfterMs: 5_000 });
    const again = (now: number, sentAt: number): boolean => {
      const quota = { receivedAt: now, retryAfterMs: 1_000, stacks: {}, malformed: [], unrecognised: {} };
      cooldown.onRefused({ quota, sentAt }, knownClock(), now);
      return cooldown.overrulesWindows;
    };
    cooldown.onSent(flightOf('GET /a', 6_000), false);
    expect(again(6_100, 6_000)).toBe(true);
    cooldown.onSent(flightOf('GET /a', 8_000), true);
    expect(again(8_050, 7_000)).toBe(true);
    expect(again(8_100, 8_000)).toBe(false);
    expect(again(8_099 + HOUR_MS, 9_000)).toBe(false);
    expect(again(8_100 + HOUR_MS, 9_000)).toBe(true);
  });
});

describe('a pause during which a request was served', () => {
  it('is over at once, and half-open', () => {
    const cooldown = heldUntil(1_000);
    cooldown.end(400);
    expect(cooldown.check(CHARGE, 400)).toBeUndefined();
    cooldown.onSent(flightOf('GET /a', 400), false);
    expect(untilOf(cooldown, CHARGE, 401)).toBe(400 + AGE_MS);
  });

  it('ends the row of refusals: the next one counts as the first', () => {
    const cooldown = new Cooldown();
    for (const now of [1_000, 3_000]) refused({ retryAfterMs: 1_000 }, { now, cooldown });
    expect(cooldown.isRefusedAgain).toBe(true);
    cooldown.end(3_500);
    refused({ retryAfterMs: 1_000 }, { now: 3_600, cooldown });
    expect(cooldown.isRefusedAgain).toBe(false);
    expect(cooldown.check(CHARGE, 3_600)?.reason().why).toContain('refused a request');
  });

  it('lasts no longer for it, where it is over already', () => {
    const cooldown = heldUntil(1_000);
    cooldown.end(2_000);
    expect(cooldown.until).toBe(1_000);
  });
});
