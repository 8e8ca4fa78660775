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
    cooldown.onSent(scout);
    expect(untilOf(cooldown, CHARGE, 1_001)).toBe(1_000 + AGE_MS);
    expect(cooldown.check(CHARGE, 1_001)?.reason().kind).toBe('half-open');
    expect(cooldown.check(CHARGE, 1_001)?.isFirm).toBe(false);
    cooldown.onEnded(scout, true);
    cooldown.onSent(flightOf('GET /a', 1_100));
    expect(untilOf(cooldown, CHARGE, 1_125)).toBe(1_125);
  });

  it('a cooldown is followed by one request after the other, ever faster, and by none in the same millisecond as the next', () => {
    const cooldown = heldUntil(1_000);
    const scout = flightOf('GET /a', 1_000);
    cooldown.onSent(scout);
    cooldown.onEnded(scout, true);
    const sent = [1_050];
    for (let at = 1_050; sent.length < 20; at = untilOf(cooldown, CHARGE, at)) {
      cooldown.onSent(flightOf('GET /a', at));
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
    cooldown.onSent(scout);
    cooldown.onEnded(scout, false);
    expect(untilOf(cooldown, CHARGE, 1_200)).toBe(1_200);
    cooldown.onSent(second);
    expect(untilOf(cooldown, CHARGE, 1_201)).toBe(1_200 + AGE_MS);
  });

  it('a cooldown is not ended by the welcome of a request that was sent before it', () => {
    const cooldown = heldUntil(1_000);
    cooldown.onEnded(flightOf('GET /a', 900), true);
    cooldown.onSent(flightOf('GET /a', 1_000));
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
    cooldown.onEnded(flightOf('GET /a', cooldown.until), true);
    expect(pauses(cooldown, 2)).toEqual([1_000, 2_000]);
  });
});
