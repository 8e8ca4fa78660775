import { expect, it } from 'vitest';
import { createClient } from '../../src/index.ts';
import { memoryStore } from '../../src/sharing/store/memory-store.ts';
import type { ShareStore } from '../../src/sharing/store/store.ts';
import { storeShare } from '../../src/sharing/store-share.ts';
import { createMockService, seeded, virtualClock } from '../../src/testing/index.ts';
import { runs } from '../support/deep.ts';
import { distant } from './support/distant.ts';

const SECOND = runs(10, 20);
const KEYED = { second: SECOND, minute: 50 * SECOND };

const LASTS_MS = runs(26_000, 40_000);

it('processes that share a quota and take another key one after the other are never refused, and each key has its own share', async () => {
  const clock = virtualClock({ wall: Date.UTC(2026, 2, 10, 14, 0, 40) });
  const random = seeded(1);
  const service = createMockService({ clock, keys: ['a', 'b'], keyed: KEYED, latencyMs: [5, 15], random: seeded(2) });
  const stores = new Map<string, ShareStore>();
  const storeOf = (credential: string): ShareStore => {
    const store = stores.get(credential) ?? memoryStore(() => clock.wall());
    stores.set(credential, store);
    return distant(store, async (work) => {
      await clock.sleep(random());
      return work();
    });
  };
  let served = 0;
  const clients = [8_000, 12_000, 16_000, 20_000].map((rotatesAt) =>
    createClient({
      ...{ baseUrl: service.origin, fetch: service.fetch, clock, random },
      apiKey: () => (clock.now() < rotatesAt ? 'a' : 'b'),
      share: storeShare({ storeOf, mode: 'partial', processes: 8, timeoutMs: 50 }),
    }),
  );
  const work = async (client: (typeof clients)[number]): Promise<void> => {
    for (; clock.now() < LASTS_MS; served++) await client.getInfo({ maxWaitMs: Infinity });
  };
  await clock.run(Promise.all(clients.flatMap((client) => Array.from({ length: 8 }, () => work(client)))));
  expect(service.log.filter(({ limited }) => limited)).toEqual([]);
  expect(stores.size).toBe(2);
  // The two keys allow as much a second each while both are in use, and one of them before and after.
  expect(served).toBeGreaterThan(0.85 * SECOND * (LASTS_MS / 1_000));
  await clock.run(Promise.all(clients.map((client) => client.close())));
});
