import { describe, expect, it } from 'vitest';
import { blocksOf } from '../../src/redis/blocks.ts';
import { redisStore } from '../../src/redis/redis-store.ts';
import type { WindowAsk } from '../../src/sharing/store/store.ts';
import { asking, slotAsk, windowAsk } from '../../src/testing/share/asking.ts';

/** Steps of a minute that slides, each of which lasts three seconds longer than the one before. */
function steps(from: number, count: number, rest: (index: number) => Partial<WindowAsk> = () => ({})): WindowAsk[] {
  return Array.from({ length: count }, (_, index) =>
    windowAsk({ name: `minute-${from + index}`, ttlMs: 5_000 + 3_000 * index, ...rest(index) }),
  );
}

describe('the windows of an ask', () => {
  it('are told as one run where they differ in nothing but their number and an even time to live', () => {
    expect(blocksOf(steps(64, 22))).toEqual({
      names: ['w:minute-/2'],
      args: ['0', '21', '0', '1', ...['0', '21', '20', '0', '5000', '3000', '-1', '0', '0']],
      order: Array.from({ length: 22 }, (_, index) => index),
    });
  });

  it('are in another key from each thirty-second number on', () => {
    const { names, args } = blocksOf(steps(94, 4));
    expect(names).toEqual(['w:minute-/2', 'w:minute-/3']);
    const [first, second] = [
      ['30', '31', '0', '1', ...['30', '31', '20', '0', '5000', '3000', '-1', '0', '0']],
      ['0', '1', '0', '1', ...['0', '1', '20', '0', '11000', '3000', '-1', '0', '0']],
    ];
    expect(args).toEqual([...(first ?? []), ...(second ?? [])]);
  });

  it.each<[string, (index: number) => Partial<WindowAsk>]>([
    ['limit', (index) => ({ limit: index === 1 ? 19 : 20 })],
    ['reserve', (index) => ({ kept: index === 1 ? 2 : 0 })],
    ['reading', (index) => ({ reading: index === 1 ? 7 : -1 })],
    ['bounds', (index) => ({ bounds: index === 1 ? 'both' : 'below' })],
    ['drain', (index) => ({ drain: index === 1 ? 0 : 700 })],
    ['number', (index) => (index === 1 ? { name: 'minute-80' } : {})],
  ])('are told apart where they differ in their %s', (_, rest) => {
    const { args } = blocksOf(steps(64, 3, rest));
    expect(args[3]).toBe('3');
  });

  it('are told with the layout of their block: of steps that drain, or of instances that slide', () => {
    const layout = (rest: Partial<WindowAsk>) => blocksOf(steps(64, 3, (index) => (index === 1 ? rest : {}))).args[2];
    expect([{}, { slidBy: 5 }, { drain: 0 }].map(layout)).toEqual(['0', '2', '1']);
  });

  it('are told apart where their times to live are no longer evenly apart', () => {
    const { args } = blocksOf(steps(64, 4, (index) => ({ ttlMs: [5_000, 8_000, 11_000, 12_000][index] ?? 0 })));
    expect(args).toEqual([
      ...['0', '3', '0', '2'],
      ...['0', '2', '20', '0', '5000', '3000', '-1', '0', '0'],
      ...['3', '3', '20', '0', '12000', '0', '-1', '0', '0'],
    ]);
  });

  it('are told what their readings bound usage from: below, both, or above; or that they drain', () => {
    const kinds: Partial<WindowAsk>[] = [{}, { bounds: 'both' }, { bounds: 'above' }, { drain: 700 }];
    const args = kinds.map((kind) => blocksOf([windowAsk({ name: 'hour:3', ttlMs: 9, ...kind })]).args);
    expect(args).toEqual([
      ['3', '3', '0', '1', '3', '3', '20', '0', '9', '0', '-1', '0', '0'],
      ['3', '3', '0', '1', '3', '3', '20', '0', '9', '0', '-1', '1', '0'],
      ['3', '3', '0', '1', '3', '3', '20', '0', '9', '0', '-1', '2', '0'],
      ['3', '3', '1', '1', '3', '3', '20', '0', '9', '0', '-1', '3', '700'],
    ]);
  });

  it('are arranged in no blocks if there are none', () => {
    expect(blocksOf([])).toEqual({ names: [], args: [], order: [] });
  });

  it('may come in any order, and have any names', () => {
    const names = ['second:9', 'x', 'minute:1773151260', 'second:8', '7', 'minute-007', 'x/1'];
    const { names: blocks, order } = blocksOf(names.map((name) => windowAsk({ name })));
    expect(blocks).toEqual(['w:/0', 'w:minute-00/0', 'w:minute:/55410976', 'w:second:/0', 'w:x/0', 'w:x//0']);
    expect(order).toEqual([4, 5, 2, 3, 0, 1, 6]);
  });
});

it('names a few runs of windows for a slot that counts in hundreds', async () => {
  const told: (readonly string[])[] = [];
  const store = redisStore(
    async (_script, _keys, args) => {
      told.push(args);
      return [1, -1];
    },
    (what) => what,
  );
  for (const count of [3, 300]) {
    const windows = Array.from({ length: count }, (_, index) =>
      windowAsk({ name: `second:${1_999 - index}`, ttlMs: 1_000 * (400 - index) }),
    );
    await store.take(asking({ slots: [slotAsk({ windows: [...windows.keys()] })], windows }));
  }
  const [few = [], many = []] = told;
  expect(many.length - few.length).toBeLessThan(150);
  // One run, from the first to the third.
  expect(few.slice(-3)).toEqual(['1', '1', '3']);
});
