import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/index.ts';
import { customShare, textStore } from '../../src/sharing/index.ts';
import { createMockService, virtualClock } from '../../src/testing/index.ts';
import { cases } from '../support/deep.ts';

const KEY = 'a-key';

describe('a process in a share whose requests are held up past the end of their second', () => {
  // All that was granted of the next second was sent as well, and refused: 32 of 150 calls.
  it.each(
    cases(
      [[450, 600]],
      [
        [750, 300],
        [250, 900],
      ],
    ),
  )('sends no more in the next one than is left of it: from %i ms on, by %i ms', async (offsetMs, lateMs) => {
    const clock = virtualClock();
    const service = createMockService({ clock, keys: [KEY], keyed: { second: 50, minute: 2_000 }, latencyMs: 4 });
    let isSlow = false;
    let text: string | undefined;
    const share = customShare({
      storeOf: () =>
        textStore(async (change) => {
          text = change(text, clock.wall());
        }),
    });
    const client = createClient({
      ...{ baseUrl: service.origin, apiKey: KEY, clock, share },
      fetch: async (input, init) => {
        if (isSlow) await clock.sleep(lateMs);
        return service.fetch(input, init);
      },
    });
    const call = (count: number) => clock.run(Promise.all(Array.from({ length: count }, () => client.getInfo())));
    await call(5);
    await call(60);
    await clock.advance(5_000 - (clock.wall() % 1_000) + offsetMs);
    expect(service.limited).toBe(0);
    isSlow = true;
    void clock.sleep(200).then(() => {
      isSlow = false;
    });
    await call(150);
    expect(service.limited).toBe(0);
    await clock.run(client.close());
  });
});

describe('processes in a share whose service stalls', () => {
  // What was granted of each second was sent, and all of it counted when the service went on: 39 of 219 requests refused.
  it.each(
    cases(
      [['aligned', 4_000, 2_500, 3]],
      [
        ['first-request', 12_000, 4_000, 8],
        ['leaky', 12_000, 4_000, 15],
        ['aligned', 4_000, 4_000, 10],
        ['sliding-log', 12_000, 4_000, 8],
        ['sliding-counter', 12_000, 4_000, 8],
      ],
    ),
  )('send little more than one client alone (%s, from %i ms on, for %i ms)', async (...given) => {
    const [windows, fromMs, stallMs, most] = given;
    const clock = virtualClock({ wall: Date.UTC(2026, 0, 15, 12, 0, 10) + 137 });
    const limits = { keyed: { second: 10, minute: 600 }, windows };
    const service = createMockService({ clock, keys: [KEY], ...limits, latencyMs: [10, 40] });
    const texts = new Map<string, string>();
    const share = customShare({
      storeOf: (id) =>
        textStore(async (change) => {
          texts.set(id, change(texts.get(id), clock.wall()));
        }),
    });
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const now = clock.now();
      if (now >= fromMs && now < fromMs + stallMs) await clock.sleep(fromMs + stallMs - now);
      return service.fetch(input, init);
    };
    const options = { baseUrl: service.origin, apiKey: KEY, clock, share, fetch, random: () => 0.5 };
    const clients = Array.from({ length: 3 }, () => createClient(options));
    const calls = clients.flatMap((client) => Array.from({ length: 90 }, () => client.getInfo()));
    await clock.run(Promise.all(calls));
    expect(service.limited).toBeLessThanOrEqual(most);
    await clock.run(Promise.all(clients.map((client) => client.close())));
  });
});
