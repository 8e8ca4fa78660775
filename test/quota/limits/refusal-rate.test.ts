import { describe, expect, it } from 'vitest';
import { createClient } from '../../../src/index.ts';
import { RefusalRate } from '../../../src/quota/limits/refusal-rate.ts';
import { createMockService, type MockServiceOptions, seeded, virtualClock } from '../../../src/testing/index.ts';
import { cases, DEEP, runs } from '../../support/deep.ts';
import { charge, untilOf } from '../support/builders.ts';
import { flightOf } from '../support/flight.ts';

const KEY = '0123456789abcdef0123456789abcdef';

/** Makes calls to a service that names no limit, all at once. */
async function callsTo(count: number, options: Partial<MockServiceOptions>) {
  const clock = virtualClock({ wall: Date.UTC(2026, 2, 10, 14, 0, 7, 300) });
  const headers = { family: false, generic: false, cost: false };
  const mock = createMockService({ clock, keys: [KEY], latencyMs: [40, 200], random: seeded(3), headers, ...options });
  const client = createClient({ baseUrl: mock.origin, apiKey: KEY, fetch: mock.fetch, clock, random: seeded(9) });
  await clock.run(Promise.all(Array.from({ length: count }, () => client.getInfo())));
  const later = mock.log.filter(({ at }) => at > 60_000);
  return {
    refused: mock.log.filter(({ limited }) => limited).length,
    refusedLater: later.filter(({ limited }) => limited).length / later.length,
    seconds: clock.now() / 1_000,
  };
}

const CALLS = runs(700, 2_000);

describe('a service that names no limit and refuses', () => {
  const services = cases<[string, Partial<MockServiceOptions>, number]>(
    [['10 a second, with nothing but 429', { keyed: { second: 10 }, limited: { retryAfter: 'none' } }, 10]],
    [
      ['20 a second, with nothing but 429', { keyed: { second: 20 }, limited: { retryAfter: 'none' } }, 20],
      ['20 a second, with retry-after', { keyed: { second: 20 } }, 20],
      ['20 a second by a sliding log', { keyed: { second: 20 }, windows: 'sliding-log' }, 20],
      ['500 a minute by a leaky bucket', { keyed: { minute: 500 }, windows: 'leaky' }, 500 / 60],
    ],
  );

  it.each(services)('is found and kept: %s', async (_, options, perSecond) => {
    const { refusedLater, seconds } = await callsTo(CALLS, options);
    expect(refusedLater).toBeLessThan(0.01);
    expect(seconds).toBeLessThan(CALLS / perSecond / 0.83);
  });
});

describe('a limit of 5 a second that no answer names', () => {
  it.runIf(DEEP)('is used again within three minutes after it was doubled', async () => {
    const clock = virtualClock({ wall: Date.UTC(2026, 2, 10, 14, 0, 7, 300) });
    const headers = { family: false, generic: false, cost: false };
    const mock = createMockService({ clock, keys: [KEY], keyed: { second: 5 }, latencyMs: 90, headers });
    const client = createClient({ baseUrl: mock.origin, apiKey: KEY, fetch: mock.fetch, clock, random: seeded(9) });
    clock.timer(300_000, () => mock.setLimits({ keyed: { second: 10 } }));
    await clock.run(Promise.all(Array.from({ length: 4_000 }, () => client.getInfo())));
    const late = mock.log.filter(({ at, limited }) => !limited && at > 480_000);
    const seconds = ((late.at(-1)?.at ?? 0) - 480_000) / 1_000;
    expect(seconds).toBeGreaterThan(10);
    expect(late.length / seconds).toBeGreaterThan(7.5);
  });
});

describe('a minute of 500 that no answer names', () => {
  it('is found with no more than twenty requests refused, although they follow each other as fast as they are served', async () => {
    const { refused } = await callsTo(600, { keyed: { minute: 500 } });
    expect(refused).toBeLessThanOrEqual(20);
  });
});

describe('a service whose first answer is a refusal', () => {
  it('is used as soon as it serves', async () => {
    const headers = { family: false, generic: false };
    const clock = virtualClock();
    const mock = createMockService({ clock, keys: [KEY], keyed: { second: 200 }, latencyMs: 50, headers });
    let requests = 0;
    mock.faults.when(() => (++requests === 1 ? { status: 429, headers: { 'retry-after': '3' } } : undefined));
    const client = createClient({ baseUrl: mock.origin, apiKey: KEY, fetch: mock.fetch, clock, random: seeded(9) });
    await clock.run(Promise.all(Array.from({ length: 40 }, () => client.getInfo())));
    expect(clock.now()).toBeLessThan(5_000);
  });
});

describe('the rate', () => {
  const served = (rate: RefusalRate): void => {
    for (let at = 0; at < 1_000; at += 50) {
      rate.onSent(flightOf('GET /a', at), at);
      rate.onServed(1, at + 40);
    }
  };

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
  /** The gap between two requests that are sent at an instant. */
  function gapAt(rate: RefusalRate, now: number): number {
    rate.onSent(flightOf('GET /a', now), now);
    return untilOf(rate, charge(), now) - now;
  }

  /** Twenty requests were served in the first second, and one was refused then; requests go on at an instant. */
  function refused(resumesAt = 2_000): RefusalRate {
    const rate = new RefusalRate();
    for (let at = 0; at < 1_000; at += 50) {
      rate.onSent(flightOf('GET /a', at), at);
      rate.onServed(1, at + 40);
    }
    rate.onRefused(flightOf('GET /a', 990), resumesAt, 1_000);
    return rate;
  }

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
    const gap = gapAt(rate, 4_700);
    expect(gap).toBeGreaterThan(100 / 0.98 / 0.95 / 0.94);
    expect(gap).toBeLessThan(100 / 0.98 / 0.95 / 0.94 / 0.94);
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

  it('is that of a burst, of which a quiet time before it tells nothing', () => {
    const rate = new RefusalRate();
    const serve = (from: number, count: number): void => {
      for (let at = from; at < from + 100 * count; at += 100) {
        rate.onSent(flightOf('GET /a', at), at);
        rate.onServed(1, at + 40);
      }
    };
    serve(0, 10);
    serve(200_000, 10);
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
    for (let at = 200_000; at < 201_000; at += 100) {
      rate.onSent(flightOf('GET /a', at), at);
      rate.onServed(1, at + 40);
    }
    rate.onRefused(flightOf('GET /a', 201_000), 202_000, 201_000);
    expect(gapAt(rate, 202_000)).toBeCloseTo(200 / 0.95, 2);
  });

  it('is, where a longer limit refuses than before, that of all that was served since the last pause that was long', () => {
    const rate = refused();
    const serve = (from: number, to: number): void => {
      for (let at = from; at < to; at += 50) {
        rate.onSent(flightOf('GET /a', at), at);
        rate.onServed(1, at + 40);
      }
    };
    serve(2_000, 20_000);
    rate.onRefused(flightOf('GET /a', 20_000), 21_000, 20_000);
    serve(21_000, 30_000);
    rate.onRefused(flightOf('GET /a', 30_000), 60_000, 30_000);
    // 540 in the 58 s.
    expect(gapAt(rate, 60_000)).toBeCloseTo(58_000 / 540 / 0.95, 2);
  });

  it('counts no time before the first request', () => {
    const rate = new RefusalRate();
    for (let at = 100_000; at < 101_000; at += 50) {
      rate.onSent(flightOf('GET /a', at), at);
      rate.onServed(1, at + 40);
    }
    rate.onRefused(flightOf('GET /a', 101_000), 102_000, 101_000);
    expect(gapAt(rate, 102_000)).toBeCloseTo(2_000 / 20 / 0.95, 2);
  });

  it('is lower where the first request after the pause is refused, too: the whole cycle has become longer', () => {
    const rate = refused();
    rate.onSent(flightOf('GET /a', 2_000), 2_000);
    rate.onRefused(flightOf('GET /a', 2_000), 4_000, 2_040);
    expect(gapAt(rate, 4_000)).toBeCloseTo(200 / 0.95, 2);
  });

  it('is tried again as soon as before where the first request after the pause is refused, too', () => {
    const rate = refused();
    rate.onSent(flightOf('GET /a', 2_000), 2_000);
    rate.onRefused(flightOf('GET /a', 2_000), 4_000, 2_040);
    expect(gapAt(rate, 6_000)).toBeCloseTo(200, 2);
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
