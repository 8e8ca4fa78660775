import { describe, expect, it } from 'vitest';
import type { BulkOptions, BulkProgress } from '../../src/index.ts';
import { runs } from '../support/deep.ts';
import type { MockWorld } from '../support/mock-world.ts';
import { gathered, numbers, world } from './support/world.ts';

describe('the progress of a bulk', () => {
  const told = async (
    count: number,
    one: MockWorld,
    options: BulkOptions = {},
    items: Iterable<number> = numbers(count),
  ) => {
    const all: (BulkProgress & { readonly at: number })[] = [];
    const onProgress = (progress: BulkProgress): void => void all.push({ ...progress, at: one.clock.now() });
    const bulk = one.client.bulk(items, () => one.client.getInfo(), { ...options, onProgress });
    await one.clock.run(gathered(bulk));
    return { all, bulk };
  };

  it('is reported at the end of every item, from the first to the last', async () => {
    const { all, bulk } = await told(50, world());
    expect(all.map(({ done }) => done)).toEqual(numbers(50).map((index) => index + 1));
    expect(all.at(-1)).toMatchObject({ done: 50, failed: 0, total: 50, etaMs: 0 });
    expect(bulk.progress).toMatchObject({ done: 50, etaMs: 0 });
  });

  it('estimates the end by the quota, within 2 %, although most of the time nothing is sent', async () => {
    const [count, minute] = [runs(360, 1_200), runs(150, 500)];
    const one = world({ keyed: { second: 20, minute } });
    const { all } = await told(count, one);
    const end = one.clock.now();
    const errors = all.slice(1, -1).map(({ at, etaMs = Number.NaN }) => Math.abs(at + etaMs - end) / end);
    expect(Math.max(...errors)).toBeLessThan(0.02);
    expect(new Set(all.slice(1, count / 2).map(({ window }) => window))).toEqual(new Set(['minute']));
    expect(all.at(count / 2)?.finishesAt?.getTime()).toBeCloseTo(one.clock.wall(), -4);
    expect(all.at(count / 2)?.perSecond).toBeLessThan((1.4 * minute) / 60);
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
    expect(Math.max(...late)).toBeLessThan(0.12);
  });

  it('estimates nothing while the total is unknown', async () => {
    const { all } = await told(20, world(), {}, numbers(20).values());
    expect(all.at(10)).toMatchObject({ total: undefined, etaMs: undefined, finishesAt: undefined });
    const { all: known } = await told(20, world(), { total: 20 }, numbers(20).values());
    expect(known.at(10)?.etaMs).toBeGreaterThan(0);
  });

  it.each<[string, () => void]>([
    [
      'throws',
      () => {
        throw new Error('a fault of the listener');
      },
    ],
    ['rejects', () => Promise.reject(new Error('a fault of the listener'))],
  ])('ignores that a listener %s', async (_, onProgress) => {
    const { clock, client } = world();
    expect(await clock.run(gathered(client.bulk([1, 2], (item) => item, { onProgress })))).toHaveLength(2);
  });
});
