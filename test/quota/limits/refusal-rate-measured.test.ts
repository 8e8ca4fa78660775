import { describe, expect, it } from 'vitest';
import { RefusalRate } from '../../../src/quota/limits/refusal-rate.ts';
import { charge, untilOf } from '../support/builders.ts';
import { flightOf } from '../support/flight.ts';
import { gapAt, refused } from '../support/refused-rate.ts';

/** Serves requests that are sent evenly, each answered 40 ms later. */
function serve(rate: RefusalRate, from: number, to: number, everyMs: number): void {
  for (let at = from; at < to; at += everyMs) {
    rate.onSent(flightOf('GET /a', at), at);
    rate.onServed(1, at + 40);
  }
}

describe('the rate', () => {
  const served = (rate: RefusalRate): void => serve(rate, 0, 1_000, 50);

  it('spaces nothing before the first refusal', () => {
    const rate = new RefusalRate();
    served(rate);
    expect(untilOf(rate, charge(), 1_000)).toBe(1_000);
    rate.onRefused(flightOf('GET /a', 990), 2_000, 1_000);
    rate.onSent(flightOf('GET /a', 2_000), 2_000);
    expect(untilOf(rate, charge(), 2_001)).toBeGreaterThan(2_050);
  });

  it('is that of the whole cycle after a long pause, is cut below it, and returns to it', () => {
    const rate = new RefusalRate();
    served(rate);
    rate.onRefused(flightOf('GET /a', 990), 10_000, 1_000);
    const gapAt = (now: number): number => {
      rate.onSent(flightOf('GET /a', now), now);
      return untilOf(rate, charge(), now) - now;
    };
    expect(gapAt(10_000)).toBeCloseTo(500 / 0.95, 0);
    const gap = gapAt(12_000);
    expect(gap).toBeCloseTo(500, 0);
    let at = 12_000 + gap;
    while (at < 14_000) at += gapAt(at);
    expect(gapAt(at)).toBeLessThan(480);
  });

  it('is cut once for all requests that were under way, and never to nothing', () => {
    const rate = new RefusalRate();
    served(rate);
    for (let refused = 0; refused < 5; refused++) rate.onRefused(flightOf('GET /a', 990), 2_000, 1_000 + refused);
    rate.onSent(flightOf('GET /a', 2_000), 2_000);
    expect(untilOf(rate, charge(), 2_000) - 2_000).toBeCloseTo(100 / 0.95, 0);
    for (let at = 2_000; at < 90_000_000; at *= 2) rate.onRefused(flightOf('GET /a', at), 2 * at, at);
    rate.onSent(flightOf('GET /a', 300_000_000), 300_000_000);
    expect(untilOf(rate, charge(), 300_000_000) - 300_000_000).toBeLessThan(70_000);
  });
});

describe('a rate that was refused at 10 a second', () => {
  it('says so, and is no firm bound', () => {
    const rate = refused();
    rate.onSent(flightOf('GET /a', 2_000), 2_000);
    const hold = rate.check(charge(), 2_000);
    expect(hold).toMatchObject({ isFirm: false, mayEndOnAnswer: true });
    expect(hold?.reason()).toEqual({
      kind: 'slow-start',
      why: 'no response names the limit, and more than 9.5 a second were refused',
    });
    expect(rate.check(charge({ units: 0 }), 2_000)).toBeUndefined();
  });

  it('is no credit for a time in which nothing was sent', () => {
    const rate = refused();
    rate.onSent(flightOf('GET /a', 2_000), 2_000);
    expect(untilOf(rate, charge(), 2_050)).toBeCloseTo(2_000 + 100 / 0.95, 2);
    rate.onSent(flightOf('GET /a', 3_000), 3_000);
    expect(untilOf(rate, charge(), 3_000)).toBeGreaterThan(3_050);
    // A timer that was late by less than a gap loses nothing, and the gap only shrinks.
    const due = untilOf(rate, charge(), 3_000);
    rate.onSent(flightOf('GET /a', due + 60), due + 60);
    expect(untilOf(rate, charge(), due + 60)).toBeLessThan(2 * due - 3_000);
  });

  it('is measured where no rate was tried before, however short the pause', () => {
    expect(gapAt(refused(1_050), 1_050)).toBeCloseTo(1_050 / 20 / 0.95, 2);
  });

  it('is no lower where timers are late by less than 20 ms', () => {
    const rate = new RefusalRate();
    for (let at = 0; at < 1_000; at += 10) {
      rate.onSent(flightOf('GET /a', at), at);
      rate.onServed(1, at + 5);
    }
    rate.onRefused(flightOf('GET /a', 990), 1_000, 1_000);
    const due = 1_000 + gapAt(rate, 1_000);
    expect(due).toBeLessThan(1_011);
    expect(gapAt(rate, due + 15)).toBe(0);
  });

  it('counts no time before an instant at which it was refused and no pause followed', () => {
    expect(gapAt(refused(900), 1_000)).toBeCloseTo(1_000 / 20 / 0.95, 2);
  });

  it('is that of all since the last pause that was long, where more were served before a burst than in it', () => {
    const rate = new RefusalRate();
    serve(rate, 100_000, 101_000, 100);
    serve(rate, 300_000, 300_500, 100);
    rate.onRefused(flightOf('GET /a', 300_500), 500_000, 300_500);
    expect(gapAt(rate, 500_000)).toBeCloseTo(400_000 / 15 / 0.95, 0);
  });

  it('counts nothing that was served before a pause that told of no rate', () => {
    const rate = new RefusalRate();
    for (let at = 0; at < 3_000; at += 100) {
      rate.onSent(flightOf('GET /a', at), at);
      rate.onServed(1, at + 40);
      if (at === 1_000) rate.onPaused(1_100);
    }
    rate.onRefused(flightOf('GET /a', 3_000), 4_100, 3_000);
    expect(gapAt(rate, 4_100)).toBeCloseTo(3_000 / 19 / 0.95, 2);
  });

  it('begins no burst with each request of which one goes in five seconds', () => {
    const rate = new RefusalRate();
    rate.onSent(flightOf('GET /a', 0), 0);
    rate.onServed(1, 40);
    rate.onRefused(flightOf('GET /a', 60), 5_000, 100);
    let at = 5_000;
    for (let nth = 0; nth < 3; nth++) {
      rate.onSent(flightOf('GET /a', at), at);
      rate.onServed(1, at + 40);
      if (nth < 2) at = untilOf(rate, charge(), at);
    }
    const until = at + 4_000;
    rate.onRefused(flightOf('GET /a', at), until, at + 60);
    expect(gapAt(rate, until + 5_000)).toBeCloseTo((until - 5_000) / 3, 0);
  });

  it('is that of a burst, of which a quiet time before it tells nothing', () => {
    const rate = new RefusalRate();
    serve(rate, 0, 1_000, 100);
    serve(rate, 200_000, 201_000, 100);
    rate.onRefused(flightOf('GET /a', 201_000), 202_000, 201_000);
    // Ten in the 2 s until requests go on, and not 20 in 202 s.
    expect(gapAt(rate, 202_000)).toBeCloseTo(200 / 0.95, 2);
    // Nor less, where it is refused for long, than of all the time.
    rate.onRefused(flightOf('GET /a', 202_000), 400_000, 202_000);
    expect(gapAt(rate, 400_000)).toBeCloseTo(400_000 / 20 / 0.95, 0);
  });

  it('is that of a burst, too, where a pause came before the quiet time that told of no rate', () => {
    const rate = new RefusalRate();
    rate.onSent(flightOf('GET /a', 0), 0);
    rate.onPaused(2_000);
    serve(rate, 200_000, 201_000, 100);
    rate.onRefused(flightOf('GET /a', 201_000), 202_000, 201_000);
    expect(gapAt(rate, 202_000)).toBeCloseTo(200 / 0.95, 2);
  });

  it('is, where a longer limit refuses than before, that of all that was served since the last pause that was long', () => {
    const rate = refused();
    serve(rate, 2_000, 20_000, 50);
    rate.onRefused(flightOf('GET /a', 20_000), 21_000, 20_000);
    serve(rate, 21_000, 30_000, 50);
    rate.onRefused(flightOf('GET /a', 30_000), 60_000, 30_000);
    // 540 in the 58 s.
    expect(gapAt(rate, 60_000)).toBeCloseTo(58_000 / 540 / 0.95, 2);
  });

  it('counts no time before the first request', () => {
    const rate = new RefusalRate();
    serve(rate, 100_000, 101_000, 50);
    rate.onRefused(flightOf('GET /a', 101_000), 102_000, 101_000);
    expect(gapAt(rate, 102_000)).toBeCloseTo(2_000 / 20 / 0.95, 2);
  });

  it('is lower where the first request after the pause is refused, too: the whole cycle has become longer', () => {
    const rate = refused();
    rate.onSent(flightOf('GET /a', 2_000), 2_000);
    rate.onRefused(flightOf('GET /a', 2_000), 4_000, 2_040);
    expect(gapAt(rate, 4_000)).toBeCloseTo(200 / 0.95, 2);
    // However short the second pause is: it continues the first.
    const soon = refused();
    soon.onRefused(flightOf('GET /a', 2_000), 2_100, 2_040);
    expect(gapAt(soon, 2_100)).toBeCloseTo(105 / 0.95, 2);
  });

  it('counts for the whole cycle what was served while requests paused', () => {
    const rate = refused();
    rate.onServed(5, 1_100);
    rate.onSent(flightOf('GET /a', 2_000), 2_000);
    rate.onRefused(flightOf('GET /a', 2_000), 4_000, 2_040);
    expect(gapAt(rate, 4_000)).toBeCloseTo(4_000 / 25 / 0.95, 2);
  });

  it('is not cut again for a request that was sent before the pause and refused after it', () => {
    const rate = refused();
    rate.onSent(flightOf('GET /a', 2_000), 2_000);
    rate.onServed(1, 2_050);
    rate.onRefused(flightOf('GET /a', 995), 9_000, 2_060);
    expect(gapAt(rate, 3_000)).toBeCloseTo(100 / (1 - 0.05 * 0.5 ** 3), 2);
  });
});

describe('a service that refuses', () => {
  it('the first request of all says nothing of a rate', () => {
    const rate = new RefusalRate();
    rate.onSent(flightOf('GET /a', 5_000), 5_000);
    rate.onRefused(flightOf('GET /a', 5_000), 6_000, 5_040);
    rate.onSent(flightOf('GET /a', 8_000), 8_000);
    expect(rate.check(charge(), 8_000)).toBeUndefined();
  });
});
