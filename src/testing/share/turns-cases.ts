import { expect } from './expecting.ts';
import { LOOK_MS, LOOKS } from './protocol.ts';
import type { StoreCases } from './store-case.ts';

/** Which process looks at the service. */
export const TURNS: StoreCases = {
  'lets one process look at a time, however often it asks': async ({ store, pass }) => {
    expect(await store.look('a')).toBe('granted');
    pass(300);
    expect(await store.look('a')).toBe('granted');
    expect(await store.look('b')).toBe(LOOK_MS - 300);
    pass(LOOK_MS - 300);
    expect(await store.look('b')).toBe('granted');
  },

  'lets the process that looks go on with the next look when the second half of its look has begun': async ({
    store,
    pass,
  }) => {
    await store.look('a');
    for (let count = 1; count < LOOKS; count++) {
      pass(LOOK_MS - 100);
      expect(await store.look('a')).toBe('granted');
      expect(await store.look('b')).toBe(LOOK_MS);
    }
    pass(LOOK_MS - 100);
    expect(await store.look('a')).toBe('over');
  },

  'lets the next look when a look is ended before its time, and only by its own process': async ({ store }) => {
    await store.look('a');
    await store.endLook('b');
    expect(await store.look('b')).toBe(LOOK_MS);
    await store.endLook('a');
    expect(await store.look('b')).toBe('granted');
  },

  'lets no process look that does not know what others have told': async ({ store, pass }) => {
    const { version } = await store.share(-1, new Map());
    await store.look('a', version);
    const told = await store.share(version, new Map([['l:second', '1']]));
    expect(await store.look('b', version)).toBe(LOOK_MS);
    await store.endLook('a');
    expect(await store.look('b', version)).toBe('stale');
    // Nor one that was told more by a store that has lost its memory since.
    expect(await store.look('b', told.version + 1)).toBe('stale');
    expect(await store.look('b', told.version)).toBe('granted');
    await store.share(told.version, new Map([['l:minute', '60']]));
    pass(LOOK_MS - 100);
    expect(await store.look('b', told.version)).toBe('granted');
  },

  'grants so many looks in all, and more an hour after the last': async ({ store, pass }) => {
    for (let count = 0; count < LOOKS; count++) {
      expect(await store.look(`m${count}`)).toBe('granted');
      await store.endLook(`m${count}`);
    }
    expect(await store.look('a')).toBe('over');
    pass(3_599_500);
    expect(await store.look('a')).toBe('over');
    pass(500);
    expect(await store.look('a')).toBe('granted');
  },

  'counts the time between looks that follow each other soon, so that looks and pauses together take no longer':
    async ({ store, pass }) => {
      for (const member of ['a', 'b', 'c']) {
        expect(await store.look(member)).toBe('granted');
        pass(2 * LOOK_MS);
      }
      expect(await store.look('d')).toBe('over');
    },

  'counts no longer pause between two looks': async ({ store, pass }) => {
    for (let count = 0; count < LOOKS; count++) {
      expect(await store.look('a')).toBe('granted');
      pass(3 * LOOK_MS);
    }
    expect(await store.look('a')).toBe('over');
  },
};
