import { createMockService, virtualClock } from 'stacks-quota/testing';
import { describe, expect, it } from 'vitest';
import { createClient, isQuotaExhausted } from '../../src/index.ts';

describe('a burst of urgent calls late in a month', () => {
  it('does not stop the other calls: what is reserved for more of them fades in seconds', async () => {
    const clock = virtualClock({ wall: Date.UTC(2026, 10, 22, 14) });
    const service = createMockService({ clock, keys: ['k'], latencyMs: 40, keepLog: false });
    // 120,000 of 150,000 units of the month are gone.
    service.spend(20, 'k');
    for (let minute = 0; minute < 240; minute++) {
      await clock.advance(60_000);
      for (let second = 0; second < 25; second++) {
        await clock.advance(1_000);
        service.spend(20, 'k');
      }
    }
    const client = createClient({ baseUrl: service.origin, apiKey: 'k', fetch: service.fetch, clock });
    await clock.advance(1_500);
    for (let call = 0; call < 30; call++) await clock.run(client.getInfo());
    const urgent = Array.from({ length: 12 }, () => client.getInfo({ priority: 10 }));
    const others = Array.from({ length: 300 }, () => client.getInfo());
    const from = clock.now();
    await clock.run(Promise.all([...urgent, ...others]));
    expect(clock.now() - from).toBeLessThan(180_000);
    expect(service.limited).toBe(0);
  });
});

describe('a call that may wait for five seconds', () => {
  it.each(['hour', 'day'] as const)(
    'fails in time where what is left of a %s is kept for urgent calls, however long for',
    async (period) => {
      const clock = virtualClock({ wall: Date.UTC(2026, 2, 10, 9, 12, 7) });
      const keyless = { second: 20, [period]: 200 };
      const service = createMockService({ clock, keyless, windows: 'sliding-log', latencyMs: 40 });
      const client = createClient({ baseUrl: service.origin, fetch: service.fetch, clock });
      await clock.run(Promise.all(Array.from({ length: 10 }, () => client.getInfo({ priority: 1 }))));
      const errors: unknown[] = [];
      let longestMs = 0;
      for (let call = 0; call < 200; call++) {
        await clock.advance(200);
        const from = clock.now();
        await clock.run(client.getInfo({ maxWaitMs: 5_000 }).catch((error) => errors.push(error)));
        longestMs = Math.max(longestMs, clock.now() - from);
      }
      expect(errors.length).toBeGreaterThan(0);
      expect(errors.every(isQuotaExhausted)).toBe(true);
      expect(longestMs).toBeLessThanOrEqual(5_000);
      // A quarter at most is kept.
      expect(service.requests).toBeGreaterThan(145);
      await client.close();
    },
  );
});
