import { describe, expect, it } from 'vitest';
import { createClient } from '../../../src/index.ts';
import { RefusalRate } from '../../../src/quota/limits/refusal-rate.ts';
import { createMockService, type MockServiceOptions, seeded, virtualClock } from '../../../src/testing/index.ts';
import { runs } from '../../support/deep.ts';
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
    refusedLater: later.filter(({ limited }) => limited).length / later.length,
    seconds: clock.now() / 1_000,
  };
}

describe('a service that names no limit and refuses', () => {
  const services: [string, Partial<MockServiceOptions>, number][] = [
    ['20 a second, with retry-after', { keyed: { second: 20 } }, 20],
    ['20 a second, with nothing but 429', { keyed: { second: 20 }, limited: { retryAfter: 'none' } }, 20],
    ['20 a second by a sliding log', { keyed: { second: 20 }, windows: 'sliding-log' }, 20],
    ['500 a minute by a leaky bucket', { keyed: { minute: 500 }, windows: 'leaky' }, 500 / 60],
  ];

  it.each(services.slice(0, runs(2, 4)))('is found and kept: %s', async (_, options, perSecond) => {
    const { refusedLater, seconds } = await callsTo(2_000, options);
    expect(refusedLater).toBeLessThan(0.02);
    expect(seconds).toBeLessThan(2_000 / perSecond / 0.7);
  });
});

describe('the rate', () => {
  const served = (rate: RefusalRate): void => {
    for (let at = 0; at < 1_000; at += 50) {
      rate.onSent(flightOf('GET /a', at), at);
      rate.onServed(1, at + 40);
    }
  };

  it('spaces nothing before the first refusal, and nothing where a window is known', () => {
    let isKnown = false;
    const rate = new RefusalRate(() => isKnown);
    served(rate);
    expect(untilOf(rate, charge(), 1_000)).toBe(1_000);
    rate.onRefused(flightOf('GET /a', 990), 2_000, 1_000);
    for (const at of [2_000, 2_000]) rate.onSent(flightOf('GET /a', at), at);
    expect(untilOf(rate, charge(), 2_001)).toBeGreaterThan(2_050);
    isKnown = true;
    expect(untilOf(rate, charge(), 2_001)).toBe(2_001);
  });

  it('is that of the whole cycle after a long pause, is cut below it, and returns to it', () => {
    const rate = new RefusalRate(() => false);
    served(rate);
    rate.onRefused(flightOf('GET /a', 990), 10_000, 1_000);
    const gapAt = (now: number): number => {
      for (const at of [now, now]) rate.onSent(flightOf('GET /a', at), at);
      return untilOf(rate, charge(), now) - now;
    };
    expect(gapAt(10_000)).toBeCloseTo(500 / 0.9, 0);
    expect(gapAt(12_000)).toBeCloseTo(500, 0);
    expect(gapAt(14_000)).toBeLessThan(480);
  });

  it('is cut once for all requests that were under way, and never to nothing', () => {
    const rate = new RefusalRate(() => false);
    served(rate);
    for (let refused = 0; refused < 5; refused++) rate.onRefused(flightOf('GET /a', 990), 2_000, 1_000 + refused);
    for (const at of [2_000, 2_000]) rate.onSent(flightOf('GET /a', at), at);
    expect(untilOf(rate, charge(), 2_000) - 2_000).toBeCloseTo(100 / 0.9, 0);
    for (let at = 2_000; at < 90_000_000; at *= 2) rate.onRefused(flightOf('GET /a', at), 2 * at, at);
    for (const at of [300_000_000, 300_000_000]) rate.onSent(flightOf('GET /a', at), at);
    expect(untilOf(rate, charge(), 300_000_000) - 300_000_000).toBeLessThan(70_000);
  });
});
