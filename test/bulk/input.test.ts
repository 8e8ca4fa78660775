import { describe, expect, it } from 'vitest';
import { runs } from '../support/deep.ts';
import { gathered, input, numbers, world } from './support/world.ts';

describe('the input of a bulk', () => {
  it('is never read further ahead than `concurrency`', async () => {
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

  it('waits while no outcome is taken', async () => {
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

  it('may be slow: outcomes are yielded meanwhile', async () => {
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

  it.each([0, 1, 3])(
    'that fails while nothing is under way ends the bulk with its error; items before that: %i',
    async (count) => {
      const { clock, client } = world();
      function* failing(): Generator<number> {
        yield* numbers(count);
        throw new Error('the disk is gone');
      }
      const seen: number[] = [];
      const loop = gathered(
        client.bulk(failing(), (item) => item, { concurrency: 1 }),
        ({ index }) => seen.push(index),
      );
      await expect(clock.run(loop)).rejects.toThrow('the disk is gone');
      expect(seen).toEqual(numbers(count));
    },
  );

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
    const count = runs(30_000, 300_000);
    function* many(): Generator<number> {
      for (let item = 0; item < count; item++) yield item;
    }
    const bulk = client.bulk(many(), (item) => item, { concurrency: 10 });
    let most = 0;
    await clock.run(
      (async () => {
        for await (const { index } of bulk) if (index % 1_000 === 0) most = Math.max(most, bulk.undone.length);
      })(),
    );
    expect(most).toBeLessThanOrEqual(10);
    expect(bulk.checkpoint).toEqual({ next: count, undone: [] });
  });
});
