import { createMockService, virtualClock } from 'stacks-quota/testing';
import { describe, expect, it, vi } from 'vitest';
import type { ClientEvent } from '../../src/events.ts';
import { createClient } from '../../src/index.ts';
import { type CustomShareOptions, customShare, textStore } from '../../src/sharing/index.ts';
import { memoryStore } from '../../src/sharing/store/memory-store.ts';
import type { ShareAsk, ShareStore } from '../../src/sharing/store/store.ts';
import { Dice } from '../quota/support/dice.ts';
import { DEEP, runs } from '../support/deep.ts';

/** So many units of a minute are less than all calls of a test take. */
const MINUTE = runs(120, 200);

const KEY = 'a-key-that-no-store-may-see';
const OTHER_KEY = 'another-key-that-no-store-may-see';

/** A client, and what its share asked of the caller's stores. */
function clientOf(options: Partial<CustomShareOptions> & { apiKey?: string; fails?: boolean } = {}) {
  const { apiKey = KEY, fails = false, ...rest } = options;
  const clock = virtualClock({ wall: Date.UTC(2026, 2, 10, 14, 0, 7) });
  const service = createMockService({ clock, keys: [KEY, OTHER_KEY], keyed: { minute: 5 } });
  const ids: string[] = [];
  const memory = memoryStore(clock.wall);
  const asks: ShareAsk[] = [];
  const take = async (ask: ShareAsk) => {
    asks.push(ask);
    if (fails) throw new Error('The store is away.');
    return memory.take(ask);
  };
  const storeOf = (id: string): ShareStore => {
    ids.push(id);
    return {
      take,
      share: (version, tell) => (fails ? Promise.reject(new Error('The store is away.')) : memory.share(version, tell)),
      look: (member, version) => memory.look(member, version),
      endLook: (member) => memory.endLook(member),
      pause: (ms) => memory.pause(ms),
      resume: (member) => memory.resume(member),
      resumed: () => memory.resumed(),
    };
  };
  const share = customShare({ storeOf, ...rest });
  const client = createClient({ baseUrl: service.origin, apiKey, fetch: service.fetch, clock, share });
  const calls = (count: number): Promise<unknown> =>
    clock.run(Promise.allSettled(Array.from({ length: count }, () => client.getInfo({ maxWaitMs: 10_000 }))));
  return { client, clock, service, ids, asks, calls };
}

describe('the store that storeOf returns', () => {
  it('is asked for with the first call, and once, however often the client makes use of it', async () => {
    const { client, clock, ids, asks, calls } = clientOf();
    await clock.advance(1_000);
    expect(ids).toEqual([]);
    for (let round = 0; round < 3; round++) await calls(2);
    expect(asks.length).toBeGreaterThan(1);
    expect(ids).toEqual([expect.stringMatching(/^[\w-]{22}$/)]);
    await clock.run(client.close());
  });

  it('is one for each key and each secret', async () => {
    const idOf = async (options: Parameters<typeof clientOf>[0]): Promise<string | undefined> => {
      const { calls, ids } = clientOf(options);
      await calls(1);
      return ids[0];
    };
    const ids = await Promise.all([{}, {}, { apiKey: OTHER_KEY }, { secret: 'a secret' }].map(idOf));
    expect(ids).not.toContain(undefined);
    expect(ids[0]).toBe(ids[1]);
    expect(new Set(ids).size).toBe(3);
    // As `printf 'https://api.mock.test\0a-key-that-no-store-may-see' | openssl dgst -sha256 -hmac 'a secret'` says.
    expect(ids[3]).toBe('dFe1n_0H5pH5C7s6rzJdQL');
  });

  it('is told by a client that closes that it leaves', async () => {
    const { client, clock, asks, calls } = clientOf();
    await calls(3);
    expect(asks.some(({ isLeaving }) => isLeaving)).toBe(false);
    await clock.run(client.close());
    expect(asks.filter(({ isLeaving }) => isLeaving)).toHaveLength(1);
    expect(asks.at(-1)?.isLeaving).toBe(true);
  });

  it.each([
    ['open', 5],
    ['closed', 1],
  ] as const)(
    'fails, and a client whose onStoreFailure is %s makes %i of ten requests of a minute of five',
    async (onStoreFailure, sent) => {
      const { client, clock, service, calls } = clientOf({ onStoreFailure, fails: true });
      // The first request shows the window. Before, there is none to share.
      await calls(1);
      const others = Promise.allSettled(Array.from({ length: 9 }, () => client.getInfo()));
      await clock.advance(20_000);
      expect([service.requests, service.limited]).toEqual([sent, 0]);
      await clock.run(Promise.all([client.close(), others]));
    },
  );
});

describe('a store that answers what no store may', () => {
  /** What a client makes of four calls of a second's patience, where one operation of its store returns this. */
  async function outcomeOf(own: object | undefined) {
    const clock = virtualClock({ wall: Date.UTC(2026, 2, 10, 14, 0, 7) });
    const service = createMockService({ clock, keys: [KEY], keyed: { second: 20, minute: 500 }, latencyMs: 10 });
    const storeOf = () => own && ({ ...memoryStore(clock.wall), ...own } as unknown as ShareStore);
    const share = customShare({ storeOf } as CustomShareOptions);
    const codes: string[] = [];
    const onEvent = (event: ClientEvent): void => {
      if (event.type === 'share-lost') codes.push(event.code);
    };
    const client = createClient({ baseUrl: service.origin, apiKey: KEY, fetch: service.fetch, clock, share, onEvent });
    const calls = Array.from({ length: 4 }, () => client.getInfo({ maxWaitMs: 60_000 }));
    await clock.run(Promise.all(calls));
    const tookMs = clock.now();
    await clock.run(client.close());
    return { codes, tookMs, limited: service.limited };
  }

  const junk: [string, () => unknown][] = [
    ['nothing', async () => {}],
    ['no promise of anything', () => undefined],
    ['no number', async () => Number.NaN],
    ['a number below 0', async () => -1],
    ['an object of its own', async () => ({ now: 'x', version: {}, granted: 5, facts: {} })],
  ];

  it.each(junk.flatMap(([what, answer]) => ['look', 'share', 'take'].map((name) => [what, name, answer] as const)))(
    'of %s to %s counts as one that is away, and its calls go all the same',
    async (_, name, answer) => {
      const { codes, tookMs, limited } = await outcomeOf({ [name]: answer });
      expect(codes).toContain('ConfigError');
      expect([tookMs < 20_000, limited]).toEqual([true, 0]);
    },
  );

  it.each([
    ['undefined', undefined],
    ['a store without a method', { look: undefined }],
  ])('counts as one that is away where storeOf returns %s', async (_, own) => {
    expect((await outcomeOf(own)).codes).toContain('ConfigError');
  });
});

describe('customShare', () => {
  it('divides a quota among clients through a store of the caller, which never sees the key', async () => {
    const clock = virtualClock({ wall: Date.UTC(2026, 2, 10, 14, 0, 7) });
    const service = createMockService({
      clock,
      keys: [KEY],
      keyed: { second: 20, minute: MINUTE },
      latencyMs: [5, 15],
    });
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
      Array.from({ length: runs(36, 80) }, () => client.getInfo({ maxWaitMs: Infinity })),
    );
    await clock.run(Promise.all(calls));
    expect(service.limited).toBe(0);
    // The others go in the second minute.
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
      const service = createMockService({
        clock,
        keys: [KEY],
        keyed: { second: 20, minute: MINUTE },
        latencyMs: [5, 15],
      });
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
        Array.from({ length: runs(36, 80) }, () => client.getInfo({ maxWaitMs: Infinity })),
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
    ['have no time-out', { storeOf: () => {}, timeoutMs: 0 }, /timeoutMs must be a finite number of milliseconds/],
  ])('says what is wrong with options that %s', (_, options, message) => {
    expect(() => customShare(options as CustomShareOptions)).toThrow(message);
  });
});
