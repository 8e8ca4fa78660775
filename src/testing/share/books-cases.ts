import { asker, asking, slotAsk, telling, windowAsk } from './asking.ts';
import { expect } from './expecting.ts';
import { ACCOUNT_LASTS_MS, RECENT_STRETCHES, STRETCH_MS } from './protocol.ts';
import type { StoreCases } from './store-case.ts';

/** How a store books claims, readings and claims that came to nothing. */
export const BOOKS: StoreCases = {
  'answers that an ask is stale whose sequence does not rise, and changes nothing': async ({ store }) => {
    await store.take(telling(5, { sequence: 7 }));
    expect(await store.take(telling(9, { sequence: 7 }))).toBe('stale');
    expect(await store.take(telling(9, { sequence: 6 }))).toBe('stale');
    expect(await store.take(telling(5, { sequence: 8 }))).toMatchObject({ sequence: 8, used: [5] });
  },

  'books a total once, however often it is told': async ({ store }) => {
    const ask = asker(store);
    for (let times = 0; times < 3; times++) expect((await ask(telling(6))).used).toEqual([6]);
  },

  'books a slot in all its windows, and the claims of all processes together': async ({ store }) => {
    const ask = asker(store);
    const windows = [windowAsk(), windowAsk({ name: 'month:1', limit: 1_000 }), windowAsk({ name: 'hour:1' })];
    const slots = [
      slotAsk({ name: '1', total: 2, wish: 0, windows: [0, 1] }),
      slotAsk({ name: '1+1', total: 3, wish: 0, windows: [1] }),
    ];
    await ask({ member: 'a', want: 0, slots, windows });
    expect((await ask({ member: 'b', want: 0, slots, windows })).used).toEqual([4, 10, 0]);
  },

  'gives back units when a smaller total is told': async ({ store }) => {
    const ask = asker(store);
    await ask(telling(9));
    expect((await ask(telling(4))).used).toEqual([4]);
    expect((await ask({ member: 'b', want: 20 })).granted).toEqual([16]);
  },

  'books grants as claims of the slot': async ({ store }) => {
    const ask = asker(store);
    expect(await ask({ want: 5 })).toMatchObject({ granted: [5], used: [5] });
    expect((await ask(telling(5))).used).toEqual([5]);
    expect((await ask(telling(2))).used).toEqual([2]);
  },

  'knows of the slots that were named in the last ask, and only of them': async ({ store }) => {
    const ask = asker(store);
    await ask(telling(3, { slots: [slotAsk({ name: '1', total: 3, wish: 0 })] }));
    await ask(telling(3, { slots: [slotAsk({ name: '11', total: 2, wish: 0 })] }));
    expect((await ask(telling(3, { slots: [slotAsk({ name: '1', total: 3, wish: 0 })] }))).used).toEqual([8]);
  },

  'does not take one name of a slot for another that contains it': async ({ store }) => {
    const ask = asker(store);
    const named = (...names: string[]) => ({
      ...telling(0),
      slots: names.map((name) => slotAsk({ name, total: 2, wish: 0 })),
    });
    await ask(named('11', 'f-1+1:0'));
    expect((await ask(named('1', '11', '-1+1:0', 'f-1+1:0', 'f-1+1'))).used).toEqual([10]);
  },

  'claims no less than nothing, and no more than somewhat above the limit': async ({ store }) => {
    const ask = asker(store);
    await ask(telling(9));
    await ask(telling(9, { member: 'b' }, { name: 'other:1' }));
    expect((await ask(telling(0, { member: 'b' }))).used).toEqual([0]);
    expect((await ask(telling(1e13, { member: 'c' }))).used).toEqual([41]);
    expect((await ask(telling(1e13, { member: 'c' }))).used).toEqual([41]);
  },

  'forgets the account of a process that has made no trip for a minute, and none of what was booked': async ({
    store,
    pass,
  }) => {
    const ask = asker(store);
    await ask(telling(3));
    pass(ACCOUNT_LASTS_MS - 500);
    expect((await ask(telling(3))).used).toEqual([3]);
    pass(ACCOUNT_LASTS_MS);
    expect((await ask(telling(3))).used).toEqual([6]);
  },

  'forgets a window when its time is over, counted from the last change': async ({ store, pass }) => {
    const ask = asker(store);
    await ask(telling(3, {}, { ttlMs: 2_000 }));
    pass(1_500);
    await ask(telling(4, {}, { ttlMs: 2_000 }));
    pass(1_500);
    expect((await ask(telling(4, {}, { ttlMs: 2_000 }))).used).toEqual([4]);
    pass(500);
    expect((await ask(telling(4, {}, { ttlMs: 2_000 }))).used).toEqual([0]);
  },

  'counts what the service counted beyond all claims as used by strangers, at most the limit': async ({ store }) => {
    const ask = asker(store);
    await ask(telling(5));
    expect((await ask(telling(5, {}, { reading: 3 }))).used).toEqual([5]);
    expect((await ask(telling(5, {}, { reading: 9 }))).used).toEqual([9]);
    expect((await ask(telling(7, {}, { reading: 9 }))).used).toEqual([9]);
    expect((await ask({ member: 'b', want: 20, windows: [windowAsk({ reading: 8 })] })).granted).toEqual([11]);
    expect((await ask(telling(7, {}, { name: 'hour:1', reading: 900 }))).used).toEqual([20]);
  },

  'takes units that a process tells of later off those of strangers, for which they were taken': async ({ store }) => {
    const ask = asker(store);
    await ask(telling(0, {}, { reading: 6 }));
    expect((await ask(telling(4))).used).toEqual([6]);
    expect((await ask(telling(10))).used).toEqual([10]);
  },

  'keeps the highest reading of any process, also where claims exceed it, or it is the whole limit: what is given back is used all the same':
    async ({ store }) => {
      const ask = asker(store);
      for (const [name, reading] of [
        ['minute:1', 5],
        ['hour:1', 20],
      ] as const) {
        await ask(telling(8, { slots: [slotAsk({ name, total: 8, wish: 0 })] }, { name }));
        await ask(telling(8, { slots: [slotAsk({ name, total: 8, wish: 0 })] }, { name, reading }));
        const given = await ask(telling(2, { slots: [slotAsk({ name, total: 2, wish: 0 })] }, { name }));
        expect(given.used).toEqual([reading]);
      }
    },

  'takes claims far beyond the limit for nonsense, and believes the reading instead': async ({ store }) => {
    const ask = asker(store);
    await ask(telling(500, {}, { limit: 1_000, reading: 900 }));
    expect((await ask(telling(500, { member: 'b', slots: [] }, { limit: 20, reading: 12 }))).used).toEqual([12]);
    await ask(telling(500, { member: 'c' }, { name: 'hour:1', limit: 1_000 }));
    expect((await ask(telling(0, { member: 'b', slots: [] }, { name: 'hour:1' }))).used).toEqual([0]);
  },

  'takes strangers beyond the limit for nonsense': async ({ store }) => {
    const ask = asker(store);
    await ask(telling(0, {}, { limit: 1_000, reading: 500 }));
    expect((await ask(telling(0, {}, { limit: 20 }))).used).toEqual([0]);
  },

  'takes units for nonsense that are carried on from a step far beyond the limit': async ({ store }) => {
    const ask = asker(store);
    const step = (number: number, drain: number, limit: number) =>
      windowAsk({ name: `minute-drain-${number}`, drain, limit });
    await ask({ want: 900, slots: [slotAsk()], windows: [step(1, 0, 1_000), step(2, 100_000, 1_000)] });
    const used = async (limit: number) => (await ask({ want: 0, slots: [], windows: [step(2, 0, limit)] })).used;
    expect(await used(1_000)).toEqual([900]);
    expect(await used(20)).toEqual([0]);
  },

  'takes off claims that the service has not counted, where a reading bounds them and they are too old to be missing from it':
    async ({ store, now, pass }) => {
      const ask = asker(store);
      await ask(telling(8, { member: 'dead' }));
      const read = (bounds: 'below' | 'both', missingMs = 2 * STRETCH_MS) =>
        ask(telling(0, { recentSince: now() - missingMs }, { reading: 2, bounds }));
      pass(2 * STRETCH_MS);
      expect((await read('both')).used).toEqual([8]);
      pass(STRETCH_MS);
      expect((await read('below')).used).toEqual([8]);
      expect((await read('both', 2 * STRETCH_MS + 1)).used).toEqual([8]);
      expect((await read('both')).used).toEqual([2]);
      expect((await read('below')).used).toEqual([2]);
    },

  'takes off what strangers used before it takes off claims, and no new claims for what was given back': async ({
    store,
    now,
    pass,
  }) => {
    const ask = asker(store);
    const bounded = { limit: 100, bounds: 'both' } as const;
    const tell = (member: string, total: number, reading = -1) =>
      ask(telling(total, { member, recentSince: now() - STRETCH_MS }, { ...bounded, reading }));
    await tell('a', 8, 12);
    await ask({ member: 'b', want: 5, recentSince: now() - STRETCH_MS, windows: [windowAsk(bounded)] });
    pass(STRETCH_MS);
    expect((await tell('a', 8)).used).toEqual([17]);
    pass(STRETCH_MS);
    expect((await tell('a', 8)).used).toEqual([12]);
    expect((await tell('c', 3)).used).toEqual([15]);
    expect((await tell('a', 4)).used).toEqual([12]);
  },

  'takes nothing off without a reading, nor below the highest reading of any process': async ({ store, pass }) => {
    const ask = asker(store);
    await ask(telling(8, {}, { reading: 12 }));
    pass(STRETCH_MS);
    const read = (reading: number) => ask({ want: 0, slots: [], windows: [windowAsk({ bounds: 'both', reading })] });
    expect((await read(-1)).used).toEqual([12]);
    expect((await read(9)).used).toEqual([12]);
  },

  'takes off claims above a reading that bounds them from above alone, and takes nothing for used by it': async ({
    store,
    now,
    pass,
  }) => {
    const ask = asker(store);
    const cap = (reading: number) => telling(0, { member: 'b', recentSince: now() }, { bounds: 'above', reading });
    await ask(telling(8));
    expect((await ask(cap(2))).used).toEqual([8]);
    pass(STRETCH_MS);
    expect((await ask(cap(9))).used).toEqual([8]);
    expect((await ask(cap(2))).used).toEqual([2]);
    expect((await ask(cap(5))).used).toEqual([2]);
    await ask(telling(0, { member: 'c' }, { reading: 4 }));
    expect((await ask(cap(1))).used).toEqual([4]);
  },

  'counts told claims and grants of all processes as recent, in every window': async ({ store, now, pass }) => {
    const ask = asker(store);
    const window = windowAsk({ limit: 100 });
    const read = (reading: number) => {
      const windows = [{ ...window, bounds: 'both', reading } as const];
      return ask({ member: 'c', want: 0, slots: [], recentSince: now() - STRETCH_MS, windows });
    };
    await ask({ want: 6, windows: [window] });
    pass(STRETCH_MS);
    await ask({ ...telling(3, { member: 'b' }), windows: [window] });
    expect((await read(0)).used).toEqual([9]);
    pass(STRETCH_MS);
    expect((await read(1)).used).toEqual([4]);
    await ask({ member: 'd', want: 2, windows: [{ ...window, name: 'hour:1' }] });
    pass(STRETCH_MS);
    expect((await read(1)).used).toEqual([3]);
    pass(STRETCH_MS);
    expect((await read(1)).used).toEqual([1]);
  },

  'counts what only changes its slot for no recent claim': async ({ store, now, pass }) => {
    const ask = asker(store);
    const window = windowAsk({ limit: 100 });
    await ask(telling(6));
    pass(STRETCH_MS);
    const slots = [slotAsk({ wish: 0 }), slotAsk({ name: '2', total: 7, wish: 0 })];
    await ask({ want: 0, slots, windows: [window] });
    const windows = [{ ...window, bounds: 'both', reading: 2 } as const];
    const read = await ask({ member: 'b', want: 0, slots: [], recentSince: now(), windows });
    expect(read.used).toEqual([3]);
  },

  'takes off nothing where a reading is older than it remembers claims': async ({ store, now, pass }) => {
    const ask = asker(store);
    await ask(telling(8));
    pass(2 * RECENT_STRETCHES * STRETCH_MS);
    const read = (missingMs: number) =>
      ask(telling(0, { member: 'b', recentSince: now() - missingMs }, { reading: 0, bounds: 'both' }));
    expect((await read((RECENT_STRETCHES - 1) * STRETCH_MS + 1)).used).toEqual([8]);
    expect((await ask(telling(0, { member: 'b', recentSince: 0 }, { reading: 0, bounds: 'both' }))).used).toEqual([8]);
    expect((await read((RECENT_STRETCHES - 1) * STRETCH_MS)).used).toEqual([0]);
  },

  'books what a leaving process tells, grants it nothing and forgets it': async ({ store }) => {
    const ask = asker(store);
    await ask({ want: 30 });
    await ask({ want: 30 });
    expect((await ask({ member: 'b', want: 1 })).others).toBe(1);
    const leaving = { ...asking({ want: 9, sequence: 3, isLeaving: true }), slots: [slotAsk({ total: 2 })] };
    expect(await store.take(leaving)).toMatchObject({ granted: [0], used: [2] });
    expect(await ask({ member: 'b', want: 30 })).toMatchObject({ others: 0, granted: [18] });
    expect((await store.take(asking({ sequence: 1, want: 0 }))) === 'stale').toBe(false);
  },

  'rounds numbers up that are not whole, and reads those that are none as the least': async ({ store }) => {
    const ask = asker(store);
    expect((await ask(telling(2.4, {}, { ttlMs: 999.5, limit: 20.9 }))).used).toEqual([3]);
    expect((await ask({ ...asking(), want: Number.NaN })).granted).toEqual([0]);
    const odd = {
      want: Infinity,
      need: -3,
      size: Number.NaN,
      chunk: 1e300,
      stayMs: Infinity,
      held: -1,
      urgent: -5,
      usual: -5,
    };
    expect(await ask({ member: 'b', ...odd })).toMatchObject({ granted: [20 - 3 + 3], urgent: { units: 0 }, usual: 0 });
    expect(await store.pause(Number.NaN)).toBe(undefined);
  },
};
