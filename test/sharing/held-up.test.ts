import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/index.ts';
import { customShare, textStore } from '../../src/sharing/index.ts';
import { createMockService, virtualClock } from '../../src/testing/index.ts';

const KEY = 'a-key';

describe('a process in a share whose requests are held up past the end of their second', () => {
  // All that was granted of the next second was sent as well, and refused: 32 of 150 calls.
  it.each([
    [450, 600],
    [750, 300],
    [250, 900],
  ])('sends no more in the next one than is left of it: from %i ms on, by %i ms', async (offsetMs, lateMs) => {
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
