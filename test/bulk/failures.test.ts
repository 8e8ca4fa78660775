import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../src/index.ts';
import { byIndex, gathered, numbers, world } from './support/world.ts';

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

  it('ends the bulk as the last of too many in a row, each of which is an outcome', async () => {
    const { clock, client, service } = world();
    service.faults.when(() => ({ status: 410, body: '{"error":"Gone"}' }));
    const seen: unknown[] = [];
    const bulk = client.bulk(numbers(1_000), () => client.getInfo(), { concurrency: 1, maxFailuresInARow: 20 });
    await expect(clock.run(gathered(bulk, ({ status }) => seen.push(status)))).rejects.toMatchObject({ status: 410 });
    expect(seen).toEqual(Array(20).fill('rejected'));
    expect(service.requests).toBe(20);
    expect(bulk.checkpoint).toEqual({ next: 20, undone: [] });
  });

  it('aborts the others when it is the last of too many: they are undone, and use no quota', async () => {
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
  it('ends the bulk when the month is exhausted: no item is lost, no request is refused, and a checkpoint continues it', async () => {
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
    expect(service.requests).toBe(400);
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

  it('lets requests in flight finish when the client is closed, because they were counted', async () => {
    const { clock, client, service } = world({ keyed: { minute: 50 }, latencyMs: 1_000 });
    const call = (_: number, { signal }: { signal: AbortSignal }) => client.getInfo({ signal });
    const bulk = client.bulk(numbers(400), call, { concurrency: 60 });
    clock.timer(2_500, () => void client.close());
    let fetched = 0;
    await expect(clock.run(gathered(bulk, () => fetched++))).rejects.toMatchObject({ name: 'ClosedError' });
    expect(fetched).toBe(service.requests);
    expect(service.requests).toBeGreaterThan(1);
  });

  it('is an error for which `isFatal` returns true', async () => {
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

  it('is that `isFatal` returns a promise, which would be taken for true', async () => {
    const { clock, client } = world();
    const isFatal = (() => Promise.reject(new Error('later'))) as never;
    const loop = gathered(client.bulk([1], () => Promise.reject(new Error('a failure')), { isFatal }));
    await expect(clock.run(loop)).rejects.toThrow('isFatal must return true or false, not an object (Promise)');
  });

  it('may be an error that `isFatal` throws', async () => {
    const { clock, client } = world();
    const isFatal = (): boolean => {
      throw new Error('no judgement');
    };
    const loop = gathered(client.bulk([1], () => Promise.reject(new Error('a failure')), { isFatal }));
    await expect(clock.run(loop)).rejects.toThrow('no judgement');
  });
});
