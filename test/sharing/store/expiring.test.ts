import { describe, expect, it } from 'vitest';
import { Expiring } from '../../../src/sharing/store/expiring.ts';

describe('a map whose entries expire', () => {
  it('has an entry until its time is over, and not at that instant', () => {
    const map = new Expiring<string>();
    map.set('a', 'value', 100, 1_000);
    expect([map.get('a', 1_099), map.get('a', 1_100), map.get('a', 1_050)]).toEqual(['value', undefined, undefined]);
  });

  it('begins the time of an entry anew when it is set again', () => {
    const map = new Expiring<number>();
    map.set('a', 1, 100, 0);
    map.set('a', 2, 100, 90);
    expect(map.get('a', 150)).toBe(2);
  });

  it('drops expired entries that are not read while others are written', () => {
    const map = new Expiring<number>();
    for (let at = 0; at < 1_000; at++) map.set(`m${at}`, at, 50, at);
    // Fifty are live; each write looks at two, so that no more than as many again are left.
    expect(map.size).toBeLessThanOrEqual(150);
    expect(map.get('m999', 999)).toBe(999);
  });

  it('has the entries that it is restored with, and no others', () => {
    const map = new Expiring<number>();
    map.set('a', 1, 100, 0);
    map.restore([['b', 2, 50]]);
    expect(map.entries).toEqual([['b', 2, 50]]);
    expect([map.get('b', 49), map.get('b', 50)]).toEqual([2, undefined]);
  });

  it('drops one that is over at the instant of a write, and none that lasts', () => {
    const map = new Expiring<number>();
    map.set('a', 1, 100, 0);
    map.set('b', 2, 900, 0);
    map.set('c', 3, 900, 100);
    map.set('d', 4, 900, 100);
    expect(map.entries.map(([name]) => name)).toEqual(['b', 'c', 'd']);
  });

  it('forgets an entry that is deleted, and all that are cleared', () => {
    const map = new Expiring<number>();
    map.set('a', 1, 100, 0);
    map.set('b', 2, 100, 0);
    map.delete('a');
    expect([map.get('a', 0), map.get('b', 0)]).toEqual([undefined, 2]);
    map.clear();
    expect([map.size, map.get('b', 0)]).toEqual([0, undefined]);
  });
});
