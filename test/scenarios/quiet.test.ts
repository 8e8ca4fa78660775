import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/index.ts';
import { createMockService, virtualClock, type WindowKind } from '../../src/testing/index.ts';

const LATENCY_MS = 30;
const KINDS: readonly WindowKind[] = ['aligned', 'first-request', 'sliding-log', 'sliding-counter', 'leaky'];

describe('a client with few calls', () => {
  it.each(KINDS)(
    'sends four at once every three seconds without delay, although it cannot know that a window is %s',
    async (windows) => {
      const clock = virtualClock({ wall: Date.UTC(2026, 2, 10, 14, 0, 7, 300) });
      const service = createMockService({
        clock,
        keyless: { second: 20, minute: 500 },
        windows,
        latencyMs: LATENCY_MS,
      });
      const client = createClient({ baseUrl: service.origin, fetch: service.fetch, clock });
      await clock.run(client.getInfo());
      const took: number[] = [];
      const call = async (): Promise<void> => {
        const from = clock.now();
        await client.getInfo();
        took.push(clock.now() - from);
      };
      for (let burst = 0; burst < 20; burst++) {
        await clock.advance(3_010);
        await clock.run(Promise.all(Array.from({ length: 4 }, call)));
      }
      expect(Math.max(...took)).toBeLessThanOrEqual(LATENCY_MS + 1);
      expect(service.requests).toBe(81);
      await client.close();
    },
  );
});

describe('a client that waits for hours', () => {
  it.each([
    [39, 10],
    [39, 40],
    [80, 1],
  ])(
    'is refused nothing of %d an hour that are estimated from two of the calendar, from minute %d on',
    async (hour, from) => {
      const clock = virtualClock({ wall: Date.UTC(2026, 2, 3, 9, from) });
      const service = createMockService({ clock, keyless: { hour }, windows: 'sliding-counter', latencyMs: [5, 50] });
      const client = createClient({
        baseUrl: service.origin,
        fetch: service.fetch,
        clock,
        random: () => 0.5,
        maxWaitMs: Infinity,
      });
      await clock.run(Promise.all(Array.from({ length: 2.5 * hour }, () => client.getInfo())));
      expect(service.limited).toBe(0);
      await client.close();
    },
  );
});
