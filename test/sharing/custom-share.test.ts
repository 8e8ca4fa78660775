import { createMockService, virtualClock } from 'stacks-quota/testing';
import { describe, expect, it, vi } from 'vitest';
import { createClient } from '../../src/index.ts';
import { type CustomShareOptions, customShare, textStore } from '../../src/sharing/index.ts';
import { Dice } from '../quota/support/dice.ts';
import { DEEP } from '../support/deep.ts';

const KEY = 'a-key-that-no-store-may-see';

describe('customShare', () => {
  it('divides a quota among clients through a store of the caller, which never sees the key', async () => {
    const clock = virtualClock({ wall: Date.UTC(2026, 2, 10, 14, 0, 7) });
    const service = createMockService({ clock, keys: [KEY], keyed: { second: 20, minute: 200 }, latencyMs: [5, 15] });
    const texts = new Map<string, string>();
    const storeOf = (id: string) =>
      textStore(async (change) => void texts.set(id, change(texts.get(id), clock.wall() + 40_000)));
    const clients = Array.from({ length: 4 }, () =>
      createClient({
        baseUrl: service.origin,
        apiKey: KEY,
        fetch: service.fetch,
        clock,
        share: customShare({ storeOf }),
      }),
    );
    const calls = clients.flatMap((client) =>
      Array.from({ length: 80 }, () => client.getInfo({ maxWaitMs: Number.POSITIVE_INFINITY })),
    );
    await clock.run(Promise.all(calls));
    expect(service.limited).toBe(0);
    // 200 a minute: the last 120 go in the second minute.
    expect(clock.now()).toBeLessThan(113_000);
    expect([...texts.keys()]).toEqual([expect.stringMatching(/^[\w-]{22}$/)]);
    expect([...texts].join()).not.toContain(KEY);
    await clock.run(Promise.all(clients.map((client) => client.close())));
  });

  it.each(DEEP ? [0, 1, 2, 3, 4, 5, 6, 7] : [0])(
    'asks its store a few times a call, however quick it is, with dice %i',
    async (seed) => {
      const dice = new Dice(seed);
      vi.spyOn(Math, 'random').mockImplementation(() => dice.roll());
      const clock = virtualClock({ wall: Date.UTC(2026, 2, 10, 14, 0, 7) });
      const service = createMockService({ clock, keys: [KEY], keyed: { second: 20, minute: 200 }, latencyMs: [5, 15] });
      let text: string | undefined;
      let trips = 0;
      const store = textStore(async (change) => {
        // Trips that follow each other without a pause would never let the virtual clock go on.
        if (++trips > 2_000) throw new Error('There were too many trips.');
        text = change(text, clock.wall());
      });
      const clients = Array.from({ length: 4 }, () =>
        createClient({
          baseUrl: service.origin,
          apiKey: KEY,
          fetch: service.fetch,
          clock,
          share: customShare({ storeOf: () => store }),
        }),
      );
      const calls = clients.flatMap((client) =>
        Array.from({ length: 80 }, () => client.getInfo({ maxWaitMs: Number.POSITIVE_INFINITY })),
      );
      await clock.run(Promise.all(calls));
      expect(trips).toBeLessThan(2_000);
      await clock.run(Promise.all(clients.map((client) => client.close())));
    },
  );

  it.each([
    ['are missing', undefined, /requires an object/],
    ['have no store', {}, /storeOf must be a function that returns a store/],
    ['have an unknown one', { storeOf: () => {}, store: 7 }, /store is not one of the options: storeOf, secret/],
    ['have an empty secret', { storeOf: () => {}, secret: '' }, /secret must be a non-empty string/],
    ['have an unknown failure mode', { storeOf: () => {}, onStoreFailure: 'x' }, /must be partial, closed or open/],
    ['have no processes', { storeOf: () => {}, processes: 0 }, /processes must be a whole number/],
    ['have no time-out', { storeOf: () => {}, timeoutMs: 0 }, /timeoutMs must be milliseconds/],
  ])('says what is wrong with options that %s', (_, options, message) => {
    expect(() => customShare(options as CustomShareOptions)).toThrow(message);
  });
});
