import { describe, expect, it } from 'vitest';
import { Cooldown } from '../../../src/quota/limits/cooldown.ts';
import { charge, untilOf } from '../support/builders.ts';
import { flightOf } from '../support/flight.ts';
import { AGE_MS } from '../support/script.ts';

const CHARGE = charge();

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
    expect([cooldown.until, cooldown.why]).toEqual([1_000, 'asked']);
    cooldown.hold(1_500, 'more');
    expect([cooldown.until, cooldown.why]).toEqual([1_500, 'more']);
  });

  it('a cooldown ends half-open: one request goes first, and the others follow when it is welcome', () => {
    const cooldown = heldUntil(1_000);
    const scout = flightOf('GET /a', 1_000);
    cooldown.take(scout);
    expect(untilOf(cooldown, CHARGE, 1_001)).toBe(1_000 + AGE_MS);
    expect(cooldown.check(CHARGE, 1_001)?.reason().kind).toBe('half-open');
    expect(cooldown.check(CHARGE, 1_001)?.isFirm).toBe(false);
    cooldown.settle(scout, true);
    cooldown.take(flightOf('GET /a', 1_100));
    expect(untilOf(cooldown, CHARGE, 1_101)).toBe(1_101);
  });

  it('a cooldown stays half-open when the one that went first is lost', () => {
    const cooldown = heldUntil(1_000);
    const [scout, second] = [flightOf('GET /a', 1_000), flightOf('GET /a', 1_200)];
    cooldown.take(scout);
    cooldown.settle(scout, false);
    expect(untilOf(cooldown, CHARGE, 1_200)).toBe(1_200);
    cooldown.take(second);
    expect(untilOf(cooldown, CHARGE, 1_201)).toBe(1_200 + AGE_MS);
  });

  it('a cooldown is not ended by the welcome of a request that was sent before it', () => {
    const cooldown = heldUntil(1_000);
    cooldown.settle(flightOf('GET /a', 900), true);
    cooldown.take(flightOf('GET /a', 1_000));
    expect(untilOf(cooldown, CHARGE, 1_001)).toBe(1_000 + AGE_MS);
  });
});

describe('a refusal that does not say for how long', () => {
  /** How long each of some refusals in a row pauses, each request sent at the end of the pause before. */
  function pauses(cooldown: Cooldown, many: number): number[] {
    return Array.from({ length: many }, () => {
      const now = Math.max(0, cooldown.until);
      cooldown.backOff(now);
      return cooldown.until - now;
    });
  }

  it('pauses for a second, then for twice as long each time, up to a minute', () => {
    expect(pauses(new Cooldown(), 8)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  });

  it('counts once, however many requests were under way', () => {
    const cooldown = new Cooldown();
    for (const now of [0, 5, 10]) cooldown.backOff(now);
    expect(cooldown.until).toBe(1_000);
  });

  it('begins again with a second after a welcome', () => {
    const cooldown = new Cooldown();
    pauses(cooldown, 3);
    cooldown.settle(flightOf('GET /a', cooldown.until), true);
    expect(pauses(cooldown, 2)).toEqual([1_000, 2_000]);
  });
});

describe('a service that does not answer', () => {
  const failing = (times: number, now = 0): Cooldown => {
    const cooldown = new Cooldown();
    for (let failure = 0; failure < times; failure++) cooldown.onFailure(now);
    return cooldown;
  };

  it('is asked on after a few failures', () => {
    expect(untilOf(failing(4), CHARGE, 0)).toBe(0);
  });

  it('is left alone after five in a row, then asked by one', () => {
    const cooldown = failing(5);
    expect(untilOf(cooldown, CHARGE, 0)).toBe(1_000);
    expect(cooldown.check(CHARGE, 0)?.reason()).toEqual({
      kind: 'outage',
      why: 'the last 5 requests failed',
    });
    cooldown.take(flightOf('GET /a', 1_000));
    expect(cooldown.check(CHARGE, 1_001)?.reason().kind).toBe('half-open');
  });

  it('has callers wait since it failed first, unless the service asked for the pause', () => {
    const cooldown = failing(5, 70);
    cooldown.onFailure(90);
    expect([cooldown.check(CHARGE, 80)?.isFirm, cooldown.check(CHARGE, 80)?.failingSince]).toEqual([true, 70]);
    cooldown.hold(5_000, 'asked');
    expect(cooldown.check(CHARGE, 90)?.failingSince).toBeUndefined();
  });

  it('is left alone for longer once, and then asked every two seconds', () => {
    const cooldown = failing(5);
    const pauses = Array.from({ length: 5 }, () => {
      const now = cooldown.until;
      cooldown.onFailure(now);
      return cooldown.until - now;
    });
    expect(pauses).toEqual([2_000, 2_000, 2_000, 2_000, 2_000]);
  });

  it('pauses once for all that fail together', () => {
    const cooldown = failing(32);
    expect(cooldown.until).toBe(1_000);
  });

  it('is down no more when anything is answered in between', () => {
    const cooldown = failing(4);
    cooldown.onAnswer();
    cooldown.onFailure(0);
    expect(untilOf(cooldown, CHARGE, 0)).toBe(0);
  });
});
