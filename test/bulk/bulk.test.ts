import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  type BulkOptions,
  type BulkOutcome,
  type BulkProgress,
  type BulkTurn,
  type Client,
  type ClientOptions,
  ConfigError,
  createClient,
} from '../../src/index.ts';
import {
  createMockService,
  type MockService,
  type MockServiceOptions,
  type VirtualClock,
  virtualClock,
} from '../../src/testing/index.ts';

interface World {
  readonly clock: VirtualClock;
  readonly service: MockService;
  readonly client: Client;
}

function world(service: MockServiceOptions = {}, options: ClientOptions = {}): World {
  const clock = virtualClock({ wall: Date.UTC(2026, 0, 15, 12) });
  const mock = createMockService({ clock, keys: ['k'], latencyMs: 100, keyed: { second: 100 }, ...service });
  const client = createClient({
    baseUrl: mock.origin,
    apiKey: 'k',
    fetch: mock.fetch,
    clock,
    maxAttempts: 1,
    ...options,
  });
  return { clock, service: mock, client };
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** An input that tells how much of it was taken, and whether it was closed. */
function input(count: number, pauseMs = 0, clock?: VirtualClock) {
  const told = { taken: 0, isClosed: false };
  async function* items(): AsyncGenerator<number> {
    try {
      for (let item = 0; item < count; item++) {
        if (clock && pauseMs > 0) await clock.sleep(pauseMs);
        told.taken++;
        yield item;
      }
    } finally {
      told.isClosed = true;
    }
  }
  return { told, items: items() };
}

async function gathered<Item, Value>(
  outcomes: AsyncIterable<BulkOutcome<Item, Value>>,
  onOutcome: (outcome: BulkOutcome<Item, Value>) => unknown = () => {},
): Promise<BulkOutcome<Item, Value>[]> {
  const all: BulkOutcome<Item, Value>[] = [];
  for await (const outcome of outcomes) {
    all.push(outcome);
    await onOutcome(outcome);
  }
  return all;
}

const byIndex = <T extends { readonly index: number }>(all: readonly T[]): T[] =>
  all.toSorted((a, b) => a.index - b.index);

describe('a bulk', () => {
  it('hands on what became of every item, with the item and its place', async () => {
    const { clock, client, service } = world();
    const all = await clock.run(
      gathered(client.bulk(['a', 'b', 'c'], (item) => client.getInfo().then(() => item + item))),
    );
    expect(byIndex(all)).toEqual([
      { status: 'fulfilled', item: 'a', index: 0, value: 'aa' },
      { status: 'fulfilled', item: 'b', index: 1, value: 'bb' },
      { status: 'fulfilled', item: 'c', index: 2, value: 'cc' },
    ]);
    expect(service.requests).toBe(3);
  });

  it.for([
    ['an array', () => numbers(50)],
    ['a set', () => new Set(numbers(50))],
    ['a generator', () => numbers(50).values()],
    ['an async generator', () => input(50).items],
  ] as const)('takes its items from %s', async ([, items]) => {
    const { clock, client } = world();
    const all = await clock.run(gathered(client.bulk(items(), () => client.getInfo())));
    expect(byIndex(all).map(({ item }) => item)).toEqual(numbers(50));
  });

  it('aborts no call when it comes to its end by itself', async () => {
    const { clock, client } = world();
    const signals: AbortSignal[] = [];
    await clock.run(gathered(client.bulk(numbers(5), (_, { signal }) => signals.push(signal))));
    expect(signals.map(({ aborted }) => aborted)).toEqual(Array(5).fill(false));
  });

  it('takes no item before its loop begins', async () => {
    const { client } = world();
    const { items, told } = input(5);
    client.bulk(items, () => client.getInfo());
    expect(told.taken).toBe(0);
  });

  it('hands outcomes on as they come, or in the order of the items where that is wanted', async () => {
    const { clock, client } = world();
    const slowFirst = (item: number) => clock.sleep(1_000 - item * 100);
    const some = await clock.run(gathered(client.bulk(numbers(5), slowFirst)));
    expect(some.map(({ index }) => index)).toEqual([4, 3, 2, 1, 0]);
    const ordered = await clock.run(gathered(client.bulk(numbers(5), slowFirst, { ordered: true })));
    expect(ordered.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4]);
  });

  it('gets no refusal from the service, and is as fast as the quota allows', async () => {
    const { clock, client, service } = world({ keyed: { second: 20, minute: 500 } });
    await clock.run(gathered(client.bulk(numbers(900), () => client.getInfo())));
    expect([service.requests, service.limited]).toEqual([900, 0]);
    // 500 in the first minute, and the others take 20 seconds of the second one.
    expect(clock.now()).toBeLessThan(82_500);
  });
});

describe('the input of a bulk', () => {
  it('is never read further ahead than may be held', async () => {
    const { clock, client } = world();
    const { items, told } = input(200);
    let handedOn = 0;
    let most = 0;
    await clock.run(
      gathered(
        client.bulk(items, () => client.getInfo(), { concurrency: 7 }),
        () => {
          handedOn++;
          most = Math.max(most, told.taken - handedOn);
        },
      ),
    );
    expect(handedOn).toBe(200);
    expect(most).toBeLessThanOrEqual(7);
  });

  it('waits while nobody takes the outcomes', async () => {
    const { clock, client } = world();
    const { items, told } = input(200);
    const loop = gathered(
      client.bulk(items, () => client.getInfo(), { concurrency: 7 }),
      () => clock.sleep(60_000),
    );
    loop.catch(() => {});
    await clock.advance(30_000);
    expect(told.taken).toBeLessThanOrEqual(8);
  });

  it('by default is read as far ahead as the client may have in flight', async () => {
    const { clock, client } = world({}, { concurrency: 3 });
    const { items, told } = input(200);
    gathered(client.bulk(items, () => clock.sleep(1_000))).catch(() => {});
    await clock.advance(500);
    expect(told.taken).toBe(3);
  });

  it('may be slow: the outcomes that come meanwhile are handed on', async () => {
    const { clock, client } = world();
    const { items } = input(3, 10_000, clock);
    const times: number[] = [];
    await clock.run(
      gathered(
        client.bulk(items, () => clock.sleep(5)),
        () => times.push(clock.now()),
      ),
    );
    expect(times).toEqual([10_005, 20_005, 30_005]);
  });

  it('is closed when the loop is left, and the calls under way are aborted', async () => {
    const { clock, client, service } = world({ keyed: { minute: 5 } });
    const { items, told } = input(200);
    await clock.run(async () => {
      for await (const { index } of client.bulk(items, (_, { signal }) => client.getInfo({ signal })))
        if (index === 2) break;
    });
    expect(told.isClosed).toBe(true);
    await clock.advance(0);
    expect([client.waiting, service.requests]).toEqual([0, 5]);
  });

  it('is not waited for when it is left while it does not answer', async () => {
    const { clock, client } = world();
    async function* stuck(): AsyncGenerator<number> {
      yield 1;
      await new Promise(() => {});
    }
    const all = await clock.run(async () => {
      const seen = [];
      for await (const { item } of client.bulk(stuck(), (item) => item)) {
        seen.push(item);
        break;
      }
      return seen;
    });
    expect(all).toEqual([1]);
  });

  it('that fails ends the bulk with its error, after what was under way has come', async () => {
    const { clock, client } = world();
    function* failing(): Generator<number> {
      yield* numbers(3);
      throw new Error('the disk is gone');
    }
    const seen: number[] = [];
    const loop = gathered(
      client.bulk(failing(), () => client.getInfo()),
      ({ index }) => seen.push(index),
    );
    await expect(clock.run(loop)).rejects.toThrow('the disk is gone');
    expect(seen.toSorted()).toEqual([0, 1, 2]);
  });

  it('that cannot be closed throws out of the loop that is left, but does not hide the error that ended it', async () => {
    const { clock, client } = world();
    const broken = (): Iterable<number> => ({
      [Symbol.iterator]: () => ({
        next: () => ({ value: 1 }),
        return: () => {
          throw new Error('cannot be closed');
        },
      }),
    });
    const left = clock.run(async () => {
      for await (const _ of client.bulk(broken(), (item) => item)) break;
    });
    await expect(left).rejects.toThrow('cannot be closed');
    const isFatal = (): boolean => true;
    const failed = gathered(client.bulk(broken(), () => Promise.reject(new Error('the first')), { isFatal }));
    await expect(clock.run(failed)).rejects.toThrow('the first');
  });

  it('may have millions of items: a bulk holds no more for it', async () => {
    const { clock, client } = world();
    function* many(): Generator<number> {
      for (let item = 0; item < 300_000; item++) yield item;
    }
    const bulk = client.bulk(many(), (item) => item, { concurrency: 10 });
    let most = 0;
    await clock.run(
      (async () => {
        for await (const { index } of bulk) if (index % 1_000 === 0) most = Math.max(most, bulk.undone.length);
      })(),
    );
    expect(most).toBeLessThanOrEqual(10);
    expect(bulk.checkpoint).toEqual({ next: 300_000, undone: [] });
  });
});

describe('an item that fails', () => {
  it('is an outcome like any other', async () => {
    const { clock, client, service } = world();
    service.faults.when(({ headers }) => (headers.get('x-item') === '3' ? { status: 404 } : undefined));
    const call = (item: number) => client.getInfo({ headers: { 'x-item': String(item) } });
    const all = byIndex(await clock.run(gathered(client.bulk(numbers(6), call))));
    expect(all.map(({ status }) => status)).toEqual([
      ...['fulfilled', 'fulfilled', 'fulfilled'],
      ...['rejected', 'fulfilled', 'fulfilled'],
    ]);
    expect(all[3]).toMatchObject({ item: 3, index: 3, reason: { name: 'ServiceError', status: 404 } });
  });

  it('is an outcome, too, if its call throws at once or its address is invalid', async () => {
    const { clock, client } = world();
    const all = await clock.run(
      gathered(
        client.bulk(['', 'SP123'], (address) => {
          if (address === '') throw new TypeError('empty');
          return client.getAddressAssets(address);
        }),
      ),
    );
    expect(byIndex(all)).toMatchObject([{ reason: { name: 'TypeError' } }, { reason: { name: 'ConfigError' } }]);
  });

  it('ends the bulk as the last of too many in a row, all of which are outcomes still', async () => {
    const { clock, client, service } = world();
    service.faults.when(() => ({ status: 410, body: '{"error":"Gone"}' }));
    const seen: unknown[] = [];
    const bulk = client.bulk(numbers(1_000), () => client.getInfo(), { concurrency: 1, maxFailuresInARow: 20 });
    await expect(clock.run(gathered(bulk, ({ status }) => seen.push(status)))).rejects.toMatchObject({ status: 410 });
    expect(seen).toEqual(Array(20).fill('rejected'));
    expect(service.requests).toBe(20);
    expect(bulk.checkpoint).toEqual({ next: 20, undone: [] });
  });

  it('calls off the others when it is the last of too many: they are undone, and waste no quota', async () => {
    const { clock, client, service } = world({ keyed: { second: 100 } });
    service.faults.when(() => ({ status: 410, body: '{"error":"Gone"}' }));
    const call = (_: number, { signal }: { signal: AbortSignal }) => client.getInfo({ signal });
    const seen: unknown[] = [];
    const bulk = client.bulk(numbers(1_000), call, { concurrency: 500, maxFailuresInARow: 20 });
    await expect(clock.run(gathered(bulk, ({ status }) => seen.push(status)))).rejects.toMatchObject({ status: 410 });
    expect(seen).toEqual(Array(20).fill('rejected'));
    expect(service.requests).toBeLessThan(100);
    expect(client.waiting).toBe(0);
    expect(bulk.checkpoint.undone).toHaveLength(bulk.checkpoint.next - 20);
  });

  it('does not count as one in a row where no request was sent: a list may have many bad addresses', async () => {
    const { clock, client } = world();
    const all = await clock.run(gathered(client.bulk(numbers(500), () => client.getAddressAssets('SP123'))));
    expect(all).toHaveLength(500);
    expect(all.every((one) => one.status === 'rejected' && one.reason instanceof ConfigError)).toBe(true);
  });
});

describe('a failure that all others would share', () => {
  it('ends the bulk when the month is out: no item is lost, none is asked for in vain, and it can be taken up again', async () => {
    const { clock, client, service } = world({ keyed: { second: 100, month: 150 } });
    const fetched: number[] = [];
    const call = (_: number, { signal }: { signal: AbortSignal }) => client.getInfo({ signal });
    const bulk = client.bulk(numbers(400), call);
    const loop = gathered(bulk, ({ status, index }) => status === 'fulfilled' && fetched.push(index));
    await expect(clock.run(loop)).rejects.toMatchObject({
      name: 'QuotaExhaustedError',
      window: 'month',
      retryAt: expect.any(Date),
    });
    expect([fetched.length, service.requests, service.limited]).toEqual([150, 150, 0]);
    expect(bulk.undone.map(({ index }) => index).toSorted((a, b) => a - b)).toEqual(bulk.checkpoint.undone);
    expect(bulk.checkpoint.next).toBe(150 + bulk.checkpoint.undone.length);

    await clock.advance(Date.UTC(2026, 1, 1) - clock.wall() + 60_000);
    service.setLimits({ keyed: { second: 100, month: 1_000 } });
    const from = JSON.parse(JSON.stringify(bulk.checkpoint));
    const rest = client.bulk(numbers(400), call, { from });
    expect(rest.progress.done).toBe(150);
    for (const { index } of await clock.run(gathered(rest))) fetched.push(index);
    expect(fetched.toSorted((a, b) => a - b)).toEqual(numbers(400));
    expect(rest.progress).toMatchObject({ done: 400, failed: 0, total: 400 });
    // One more: the client looks at a month that it has heard nothing of for an hour.
    expect(service.requests).toBe(401);
  });

  it.for([401, 403] as const)('ends the bulk when the key is answered with %i', async (unknownKey) => {
    const { clock, client, service } = world({ unknownKey }, { apiKey: 'wrong' });
    const bulk = client.bulk(numbers(400), (_, { signal }) => client.getInfo({ signal }));
    await expect(clock.run(gathered(bulk))).rejects.toMatchObject({ name: 'ServiceError', status: unknownKey });
    expect([service.requests, client.waiting]).toEqual([1, 0]);
    expect(bulk.progress).toMatchObject({ done: 0, failed: 0 });
    expect(bulk.checkpoint).toEqual({ next: 32, undone: numbers(32) });
  });

  it('ends the bulk when the client is closed', async () => {
    const { clock, client } = world({ keyed: { minute: 5 } });
    const seen: number[] = [];
    const bulk = client.bulk(numbers(400), () => client.getInfo(), { isFatal: () => false });
    const loop = gathered(bulk, ({ index }) => {
      seen.push(index);
      if (seen.length === 5) void client.close();
    });
    await expect(clock.run(loop)).rejects.toMatchObject({ name: 'ClosedError' });
    expect(seen).toHaveLength(5);
    expect(bulk.checkpoint).toEqual({ next: 37, undone: numbers(37).filter((index) => !seen.includes(index)) });
  });

  it('lets what is under way come back when the client is closed, because it was counted', async () => {
    const { clock, client, service } = world({ keyed: { minute: 50 }, latencyMs: 1_000 });
    const call = (_: number, { signal }: { signal: AbortSignal }) => client.getInfo({ signal });
    const bulk = client.bulk(numbers(400), call, { concurrency: 60 });
    clock.timer(2_500, () => void client.close());
    let fetched = 0;
    await expect(clock.run(gathered(bulk, () => fetched++))).rejects.toMatchObject({ name: 'ClosedError' });
    expect(fetched).toBe(service.requests);
    expect(service.requests).toBeGreaterThan(1);
  });

  it('is what the caller says it is', async () => {
    const { clock, client } = world();
    const gone = new Error('the database is gone');
    const bulk = client.bulk(numbers(9), (item) => (item === 3 ? Promise.reject(gone) : item), {
      isFatal: (error) => error === gone,
      concurrency: 1,
    });
    await expect(clock.run(gathered(bulk))).rejects.toBe(gone);
    expect(bulk.checkpoint).toEqual({ next: 4, undone: [3] });
    expect(bulk.undone).toEqual([{ index: 3, item: 3 }]);
  });

  it('leaves the others in order', async () => {
    const { clock, client } = world();
    const seen: number[] = [];
    const bulk = client.bulk(
      numbers(6),
      (item) => (item === 2 ? Promise.reject(new Error('no')) : clock.sleep(60 - item)),
      {
        isFatal: () => true,
        ordered: true,
        concurrency: 6,
      },
    );
    await expect(clock.run(gathered(bulk, ({ index }) => seen.push(index)))).rejects.toThrow('no');
    expect(seen).toEqual([0, 1, 3, 4, 5].filter((index) => index < bulk.checkpoint.next));
    expect(seen).toContain(1);
  });

  it('may be an error that the caller’s own judgement throws', async () => {
    const { clock, client } = world();
    const isFatal = (): boolean => {
      throw new Error('no judgement');
    };
    const loop = gathered(client.bulk([1], () => Promise.reject(new Error('a failure')), { isFatal }));
    await expect(clock.run(loop)).rejects.toThrow('no judgement');
  });
});

describe('a bulk that is aborted', () => {
  it('aborts what is under way at once, throws the reason, and leaves the rest undone', async () => {
    const { clock, client, service } = world({ keyed: { minute: 50 } });
    const { items, told } = input(200);
    const stop = new AbortController();
    const reason = new Error('enough');
    const bulk = client.bulk(items, (_, { signal }) => client.getInfo({ signal }), { signal: stop.signal });
    let seen = 0;
    const loop = gathered(bulk, () => seen++);
    loop.catch(() => {});
    await clock.advance(30_000);
    expect(client.waiting).toBe(32);
    stop.abort(reason);
    await expect(loop).rejects.toBe(reason);
    await clock.advance(0);
    expect([client.waiting, service.requests, told.isClosed]).toEqual([0, seen, true]);
    expect(bulk.checkpoint).toEqual({ next: seen + 32, undone: numbers(seen + 32).slice(seen) });
    expect(bulk.progress).toMatchObject({ done: seen, failed: 0 });
  });

  it('takes no item if it was aborted before', async () => {
    const { clock, client } = world();
    const { items, told } = input(200);
    const loop = gathered(
      client.bulk(items, () => client.getInfo(), { signal: AbortSignal.abort(new Error('before')) }),
    );
    await expect(clock.run(loop)).rejects.toThrow('before');
    expect(told.taken).toBe(0);
  });
});

describe('a bulk that is taken up again', () => {
  it('makes what was left undone, and what had not been taken', async () => {
    const { clock, client } = world();
    const from = { next: 6, undone: [1, 4] };
    const all = await clock.run(gathered(client.bulk(input(9).items, (item) => item, { from })));
    expect(byIndex(all).map(({ index }) => index)).toEqual([1, 4, 6, 7, 8]);
  });

  it('has lost nothing if it was left at any time, and makes nothing twice that was handed on', async () => {
    for (let most = 1; most < 30; most++) {
      const { clock, client } = world();
      const first = client.bulk(numbers(30), (item) => clock.sleep(10 + ((item * 7) % 50)), { concurrency: 5 });
      const seen: number[] = [];
      await clock.run(async () => {
        for await (const { index } of first) if (seen.push(index) === most) break;
      });
      const from = JSON.parse(JSON.stringify(first.checkpoint));
      const rest = await clock.run(gathered(client.bulk(numbers(30), (item) => item, { from })));
      expect([...seen, ...rest.map(({ index }) => index)].toSorted((a, b) => a - b)).toEqual(numbers(30));
      expect(from.undone.length).toBeLessThanOrEqual(5);
    }
  });

  it('keeps what is undone in its checkpoint before it has come by again', () => {
    const { client } = world();
    const from = { next: 6, undone: [1, 4] };
    expect(client.bulk(numbers(9), (item) => item, { from }).checkpoint).toEqual(from);
  });
});

describe('a bulk of walks', () => {
  it('sees all events of many accounts, is refused nothing, and knows early when it will be over', async () => {
    const { clock, client, service } = world({
      keyed: { second: 20, minute: 100 },
      assetsOf: (address) => address.length * 6,
    });
    const accounts = readFileSync('examples/addresses.txt', 'utf8').trim().split('\n').slice(0, 60);
    const ends: number[] = [];
    const countEvents = async (account: string, { signal }: BulkTurn): Promise<number> => {
      let events = 0;
      for await (const _ of client.walkAddressAssets(account, { limit: 50, signal })) events++;
      return events;
    };
    const onProgress = ({ etaMs = Number.NaN }: BulkProgress): void => void ends.push(clock.now() + etaMs);
    const all = await clock.run(gathered(client.bulk(accounts, countEvents, { onProgress })));
    expect(byIndex(all).map((one) => one.status === 'fulfilled' && one.value)).toEqual(
      accounts.map((account) => account.length * 6),
    );
    expect(service.limited).toBe(0);
    expect(service.requests).toBeGreaterThan(200);
    expect(Math.abs((ends[30] ?? 0) - clock.now())).toBeLessThan(61_000);
  });
});

describe('the progress of a bulk', () => {
  const told = async (
    count: number,
    one: World,
    options: BulkOptions = {},
    items: Iterable<number> = numbers(count),
  ) => {
    const all: (BulkProgress & { readonly at: number })[] = [];
    const onProgress = (progress: BulkProgress): void => void all.push({ ...progress, at: one.clock.now() });
    const bulk = one.client.bulk(items, () => one.client.getInfo(), { ...options, onProgress });
    await one.clock.run(gathered(bulk));
    return { all, bulk };
  };

  it('is told at the end of every item, from the first to the last', async () => {
    const { all, bulk } = await told(50, world());
    expect(all.map(({ done }) => done)).toEqual(numbers(50).map((index) => index + 1));
    expect(all.at(-1)).toMatchObject({ done: 50, failed: 0, total: 50, etaMs: 0 });
    expect(bulk.progress).toMatchObject({ done: 50, etaMs: 0 });
  });

  it('foretells the end by the quota, within 2 %, though most of the time nothing moves', async () => {
    const one = world({ keyed: { second: 20, minute: 500 } });
    const { all } = await told(1_200, one);
    const end = one.clock.now();
    const errors = all.slice(1, -1).map(({ at, etaMs = Number.NaN }) => Math.abs(at + etaMs - end) / end);
    expect(Math.max(...errors)).toBeLessThan(0.02);
    expect(new Set(all.slice(1, 600).map(({ window }) => window))).toEqual(new Set(['minute']));
    expect(all.at(600)?.finishesAt?.getTime()).toBeCloseTo(one.clock.wall(), -4);
    expect(all.at(600)?.perSecond).toBeLessThan(12);
  });

  it('learns how many requests an item takes', async () => {
    const one = world({ keyed: { second: 20 } });
    const all: number[] = [];
    const bulk = one.client.bulk(
      numbers(200),
      async () => {
        for (let request = 0; request < 5; request++) await one.client.getInfo();
      },
      { onProgress: ({ etaMs = Number.NaN }) => all.push(one.clock.now() + etaMs) },
    );
    await one.clock.run(gathered(bulk));
    const end = one.clock.now();
    const late = all.slice(100, 190).map((at) => Math.abs(at - end) / end);
    expect(Math.max(...late)).toBeLessThan(0.1);
  });

  it('foretells nothing while the total is not known', async () => {
    const { all } = await told(20, world(), {}, numbers(20).values());
    expect(all.at(10)).toMatchObject({ total: undefined, etaMs: undefined, finishesAt: undefined });
    const { all: known } = await told(20, world(), { total: 20 }, numbers(20).values());
    expect(known.at(10)?.etaMs).toBeGreaterThan(0);
  });

  it('does not care what a listener throws', async () => {
    const { clock, client } = world();
    const onProgress = (): void => {
      throw new Error('a fault of the listener');
    };
    expect(await clock.run(gathered(client.bulk([1, 2], (item) => item, { onProgress })))).toHaveLength(2);
  });
});

describe('a bulk refuses', () => {
  const { client } = world();
  const call = (item: unknown): unknown => item;

  it.for<[what: string, args: unknown[], message: string]>([
    ['a text for a list', ['SP123', call], 'items must be an iterable or an async iterable, not "SP123"'],
    ['what is no list', [{ length: 3 }, call], 'items must be an iterable or an async iterable, not an object'],
    ['what is no call', [[], 'getInfo'], 'call must be a function of an item, not "getInfo"'],
    ['a concurrency of none', [[], call, { concurrency: 0 }], 'concurrency must be a whole number, 1 or more, not 0'],
    ['half a checkpoint', [[], call, { from: { next: 3 } }], 'from must be the checkpoint of a bulk'],
    ['a checkpoint that cannot be', [[], call, { from: { next: 3, undone: [3] } }], 'from must be the checkpoint'],
    ['a signal that is none', [[], call, { signal: null }], 'signal must be an AbortSignal, not null'],
    ['an option that it does not know', [[], call, { parallel: 3 }], 'parallel is not one of the bulk options'],
  ])('%s', ([, args, message]) => {
    expect(() => (client.bulk as (...all: unknown[]) => unknown)(...args)).toThrow(message);
  });

  it('a second loop: it runs once', async () => {
    const { clock, client } = world();
    const bulk = client.bulk([1], call);
    await clock.run(gathered(bulk));
    await expect(clock.run(gathered(bulk))).rejects.toThrow('bulk can run only once');
  });
});
