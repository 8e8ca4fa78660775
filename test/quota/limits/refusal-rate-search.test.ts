import { describe, expect, it } from 'vitest';
import type { RefusalRate } from '../../../src/quota/limits/refusal-rate.ts';
import { charge, untilOf } from '../support/builders.ts';
import { flightOf } from '../support/flight.ts';
import { gapAt, refused } from '../support/refused-rate.ts';

describe('a rate that was refused at 10 a second', () => {
  /** Requests are sent as soon as they may, and served, until an instant. @returns the gap after the last. */
  function gapAfterAsking(rate: RefusalRate, from: number, to: number): number {
    let at = from;
    for (let next = from; next < to; next = untilOf(rate, charge(), at)) {
      at = next;
      rate.onSent(flightOf('GET /a', at), at);
      rate.onServed(1, at + 40);
    }
    return untilOf(rate, charge(), at) - at;
  }

  it('is searched from where it is known to be too low, once that has not been refused for six seconds', () => {
    const rate = refused();
    expect(gapAfterAsking(rate, 2_000, 8_100)).toBeCloseTo(1_000 / 17.1, 0);
    expect(gapAfterAsking(rate, untilOf(rate, charge(), 8_100), 14_100)).toBeCloseTo(1_000 / 30.8, 0);
  });

  it('is no higher after a time in which nothing was sent, or little: that shows nothing', () => {
    const idle = refused();
    expect(gapAt(idle, 900_000)).toBeCloseTo(100, 0);
    const quiet = refused();
    for (let at = 2_000; at < 900_000; at += 5_000) gapAt(quiet, at);
    expect(gapAt(quiet, 900_000)).toBeCloseTo(100, 0);
  });

  /** The gap after the rate that is tried was refused, at 4 s if not said otherwise, and a pause. */
  function gapAfter(rate: RefusalRate, pausedUntil: number, refusedAt = 4_000): number {
    for (let at = 2_000; at < refusedAt; at += 200) {
      rate.onSent(flightOf('GET /a', at), at);
      rate.onServed(1, at + 40);
    }
    rate.onRefused(flightOf('GET /a', refusedAt), pausedUntil, refusedAt);
    return gapAt(rate, pausedUntil);
  }

  it('is, where the pause after it was hardly a pause, nearly the one that was tried', () => {
    expect(gapAfter(refused(), 4_399)).toBeCloseTo(100 / 0.98 / 0.95, 2);
    // At 3 s it was not yet the one that was refused before.
    expect(gapAfter(refused(), 3_100, 3_000)).toBeCloseTo(100 / (1 - 0.05 * 0.5 ** 3) / 0.98 / 0.95, 2);
    // Ten were served in 2.4 s, or in 3 s.
    expect(gapAfter(refused(), 4_400)).toBeCloseTo(240 / 0.95, 2);
    expect(gapAfter(refused(), 5_000)).toBeCloseTo(300 / 0.95, 2);
  });

  it('falls by little where it is refused again at once, after it was accepted for long', () => {
    const rate = refused();
    gapAfter(rate, 4_300);
    rate.onServed(1, 4_340);
    rate.onRefused(flightOf('GET /a', 4_380), 4_700, 4_400);
    // Nine tenths of it are left, where one was served in 0.4 s, less the cut after each refusal.
    expect(gapAt(rate, 4_700)).toBeCloseTo(100 / 0.98 / 0.95 / 0.94 / 0.95, 0);
  });

  it('begins no burst after a pause, however long it was', () => {
    const rate = refused();
    const serve = (from: number, to: number, everyMs: number): void => {
      for (let at = from; at < to; at += everyMs) {
        rate.onSent(flightOf('GET /a', at), at);
        rate.onServed(1, at + 40);
      }
    };
    serve(2_000, 20_000, 1_000);
    rate.onRefused(flightOf('GET /a', 20_000), 23_000, 20_000);
    serve(23_000, 24_000, 10);
    rate.onRefused(flightOf('GET /a', 24_000), 44_000, 24_000);
    // 118 in 42 s, and not 100 in 21 s.
    expect(gapAt(rate, 44_000)).toBeCloseTo(42_000 / 118 / 0.95, 2);
  });

  /** When the tries of the refused rate were refused, within some time. */
  function triesWithin(ms: number, rate = refused()): number[] {
    const refusedAt: number[] = [];
    for (let at = 2_000; at < ms; ) {
      rate.onSent(flightOf('GET /a', at), at);
      const next = untilOf(rate, charge(), at);
      if (next - at < 99) {
        refusedAt.push(next);
        rate.onRefused(flightOf('GET /a', next), next + 200, next);
        at = next + 200;
      } else {
        rate.onServed(1, next);
        at = next;
      }
    }
    return refusedAt;
  }

  it('is tried five times in the first five minutes: after 2, 8 and 32 s, and then each two minutes', () => {
    expect(triesWithin(300_000)).toHaveLength(5);
  });

  it('is tried again ever later, and at last once in two minutes', () => {
    const later = triesWithin(1_800_000).filter((at) => at > 600_000);
    expect(later.length).toBeGreaterThan(8);
    expect(later.length).toBeLessThan(12);
  });

  it('is soon left behind where it is not refused any more, although it was for long', () => {
    const rate = refused();
    const refusedAt = triesWithin(600_000, rate);
    const from = refusedAt.at(-1) ?? Number.NaN;
    expect(gapAfterAsking(rate, from + 200, from + 180_000)).toBeLessThan(5);
  });

  it('is approached over the whole time until it is tried again', () => {
    const [, second = Number.NaN] = triesWithin(20_000);
    const rate = refused();
    triesWithin(second, rate);
    const first = gapAt(rate, second + 200);
    // Half of the 32 s later.
    expect(gapAt(rate, second + 16_200) / first).toBeCloseTo(0.95 / (1 - 0.05 * 0.5 ** 3), 4);
  });

  it('is tried again as soon as before where the first request after the pause is refused, too', () => {
    const rate = refused();
    rate.onSent(flightOf('GET /a', 2_000), 2_000);
    rate.onRefused(flightOf('GET /a', 2_000), 4_000, 2_040);
    expect(gapAt(rate, 6_000)).toBeCloseTo(200, 2);
  });
});
