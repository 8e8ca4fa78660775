import { createMockService, virtualClock } from 'stacks-quota/testing';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/index.ts';

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
