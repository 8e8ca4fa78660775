import { describe, expect, it } from 'vitest';
import { Breaker } from '../../../src/quota/recovery/breaker.ts';

/** A breaker that opens with the third failure, after so many of them at these instants. */
function failed(...instants: readonly number[]): Breaker {
  const breaker = new Breaker({ failures: 3, firstMs: 100, longestMs: 400 });
  for (const instant of instants) breaker.onFailure(instant);
  return breaker;
}

describe('a breaker', () => {
  it('is closed until so many failures have followed each other', () => {
    const breaker = failed(1, 2);
    expect([breaker.isOpen(3), breaker.isHalfOpen(3), breaker.failingSince]).toEqual([false, false, 1]);
    breaker.onSuccess();
    expect([breaker.onFailure(4), breaker.failingSince]).toEqual([false, 4]);
  });

  it('is open for a pause, then half-open until a success closes it', () => {
    const breaker = failed(1, 2, 3);
    expect([breaker.isOpen(102), breaker.isHalfOpen(102)]).toEqual([true, false]);
    expect([breaker.isOpen(103), breaker.isHalfOpen(103)]).toEqual([false, true]);
    breaker.onSuccess(103);
    expect([breaker.isOpen(104), breaker.isHalfOpen(104), breaker.failingSince]).toEqual([false, false, undefined]);
  });

  it('opens again for longer with one failure while it is half-open, and not for failures while it is open', () => {
    const breaker = failed(0, 0, 0);
    const pauses = Array.from({ length: 4 }, () => {
      const now = breaker.openUntil;
      expect(breaker.onFailure(now - 1)).toBe(false);
      expect(breaker.onFailure(now)).toBe(true);
      return breaker.openUntil - now;
    });
    expect(pauses).toEqual([200, 400, 400, 400]);
  });

  it('is not closed by a success of a request that was sent before the pause was over', () => {
    const breaker = failed(0, 0, 0);
    breaker.onSuccess(99);
    expect([breaker.isOpen(99), breaker.failures, breaker.failingSince]).toEqual([true, 0, 0]);
  });

  it('pauses for longer by the factor that it is told, and for the first pause again after a success', () => {
    const breaker = failed(0, 0);
    breaker.onFailure(0, 3);
    expect(breaker.openUntil).toBe(300);
    breaker.onFailure(300);
    expect(breaker.openUntil).toBe(500);
    breaker.onSuccess(500);
    for (const now of [500, 500, 500]) breaker.onFailure(now);
    expect(breaker.openUntil).toBe(600);
  });
});
