import { expect, it } from 'vitest';
import { LOOK_MS, LOOKS } from '../../../src/sharing/store.ts';
import type { StoreWorld } from '../support/asking.ts';

/** Which process looks at the service. */
export function turnsContract(makeStore: () => Promise<StoreWorld>): void {
  it('lets one process look at a time, however often it asks', async () => {
    const { store, pass } = await makeStore();
    expect(await store.look('a')).toBe('granted');
    await pass(300);
    expect(await store.look('a')).toBe('granted');
    expect(await store.look('b')).toBe(LOOK_MS - 300);
    await pass(LOOK_MS - 300);
    expect(await store.look('b')).toBe('granted');
  });

  it('lets the process that looks go on with the next look when the second half of its look has begun', async () => {
    const { store, pass } = await makeStore();
    await store.look('a');
    for (let count = 1; count < LOOKS; count++) {
      await pass(LOOK_MS - 100);
      expect(await store.look('a')).toBe('granted');
      expect(await store.look('b')).toBe(LOOK_MS);
    }
    await pass(LOOK_MS - 100);
    expect(await store.look('a')).toBe('over');
  });

  it('lets the next look when a look is ended before its time, and only by its own process', async () => {
    const { store } = await makeStore();
    await store.look('a');
    await store.endLook('b');
    expect(await store.look('b')).toBe(LOOK_MS);
    await store.endLook('a');
    expect(await store.look('b')).toBe('granted');
  });

  it('grants so many looks in all, and more an hour after the last', async () => {
    const { store, pass } = await makeStore();
    for (let count = 0; count < LOOKS; count++) {
      expect(await store.look(`m${count}`)).toBe('granted');
      await store.endLook(`m${count}`);
    }
    expect(await store.look('a')).toBe('over');
    await pass(3_599_500);
    expect(await store.look('a')).toBe('over');
    await pass(500);
    expect(await store.look('a')).toBe('granted');
  });
}
