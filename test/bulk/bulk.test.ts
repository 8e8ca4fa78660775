import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { BulkProgress, BulkTurn } from '../../src/index.ts';
import { byIndex, gathered, input, numbers, world } from './support/world.ts';

describe('a bulk', () => {
  it('yields the outcome of every item, with the item and its place', async () => {
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

  it('aborts no call when it ends by itself', async () => {
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

  it('yields outcomes as calls finish, or with `ordered` in the order of the items', async () => {
    const { clock, client } = world();
    const slowFirst = (item: number) => clock.sleep(1_000 - item * 100);
    const some = await clock.run(gathered(client.bulk(numbers(5), slowFirst)));
    expect(some.map(({ index }) => index)).toEqual([4, 3, 2, 1, 0]);
    const ordered = await clock.run(gathered(client.bulk(numbers(5), slowFirst, { ordered: true })));
    expect(ordered.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4]);
  });

  it('gets no refusal from the service, and is as fast as the quota allows', async () => {
    const { clock, client, service } = world({ keyed: { second: 20, minute: 500 } });
    await clock.run(gathered(client.bulk(numbers(620), () => client.getInfo())));
    expect([service.requests, service.limited]).toEqual([620, 0]);
    // 500 in the first minute, and the others take six seconds of the second one.
    expect(clock.now()).toBeLessThan(68_500);
  });
});

describe('a bulk of walks', () => {
  it('yields all events of many accounts, is refused nothing, and estimates its end early', async () => {
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
    [
      'a signal with half of its methods',
      [[], call, { signal: { addEventListener() {} } }],
      'signal must be an AbortSignal',
    ],
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
