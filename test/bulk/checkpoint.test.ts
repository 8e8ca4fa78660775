import { describe, expect, it } from 'vitest';
import { byIndex, gathered, input, numbers, world } from './support/world.ts';

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

describe('a bulk that continues from a checkpoint', () => {
  it('runs the undone items, and those that were not taken', async () => {
    const { clock, client } = world();
    const from = { next: 6, undone: [1, 4] };
    const all = await clock.run(gathered(client.bulk(input(9).items, (item) => item, { from })));
    expect(byIndex(all).map(({ index }) => index)).toEqual([1, 4, 6, 7, 8]);
  });

  it('loses no item if it was left at any time, and runs none twice that was yielded', async () => {
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

  it('keeps undone items in its checkpoint until it reaches them again', () => {
    const { client } = world();
    const from = { next: 6, undone: [1, 4] };
    expect(client.bulk(numbers(9), (item) => item, { from }).checkpoint).toEqual(from);
  });
});
