import type { WindowAsk, Wish } from '../../sharing/store/store.ts';
import { asker, slotAsk, telling, windowAsk } from './asking.ts';
import { expect } from './expecting.ts';
import { LOOK_MS } from './protocol.ts';
import type { StoreCases } from './store-case.ts';

/** Five slots of a second with 20 units each, in a window that hardly bounds them. */
const seconds = (wish: Wish = 1, rest: Partial<{ total: number; limit: number }> = {}) => ({
  slots: [0, 1, 2, 3].map((index) =>
    slotAsk({ name: String(index), wish, total: index === 0 ? (rest.total ?? 0) : 0, windows: [index, 4] }),
  ),
  windows: [
    ...[0, 1, 2, 3].map((index) => windowAsk({ name: `second:${index}`, ttlMs: 11_000 })),
    windowAsk({ name: 'minute:1', limit: rest.limit ?? 1_000 }),
  ],
});

/** How a store hands out units. */
export const GRANTS: StoreCases = {
  'grants what is wanted of the earliest slots that have room': async ({ store }) => {
    const ask = asker(store);
    expect(await ask({ want: 8, ...seconds() })).toMatchObject({ granted: [8, 0, 0, 0], used: [8, 0, 0, 0, 8] });
    expect((await ask({ member: 'b', want: 17, ...seconds() })).granted).toEqual([12, 5, 0, 0]);
  },

  'grants no more than there is to asks that come at the same time': async ({ store }) => {
    const members = Array.from({ length: 12 }, (_, index) => `m${index}`);
    const answers = await Promise.all(members.map((member) => asker(store)({ member, want: 3, chunk: 1 })));
    const granted = answers.map((answer) => answer.granted[0] ?? 0);
    expect(granted.reduce((sum, units) => sum + units, 0)).toBe(20);
    expect((await asker(store)({ member: 'last', want: 1 })).used).toEqual([20]);
  },

  'grants more than one slot holds to a process that asks alone, whatever it holds': async ({ store }) => {
    const ask = asker(store);
    expect((await ask({ want: 70, held: 50, ...seconds() })).granted).toEqual([20, 20, 20, 10]);
  },

  'grants no more of a slot than the tightest of its windows has, less what the ask leaves to others': async ({
    store,
  }) => {
    const ask = asker(store);
    const windows = [windowAsk(), windowAsk({ name: 'month:1', limit: 1_000, kept: 988 })];
    const slots = [slotAsk({ windows: [0, 1] })];
    expect((await ask({ want: 20, slots, windows })).granted).toEqual([12]);
    expect((await ask({ member: 'b', want: 20, slots, windows })).granted).toEqual([0]);
    expect(
      (await ask({ member: 'b', want: 20, slots, windows: [windowAsk(), windowAsk({ name: 'month:1' })] })).granted,
    ).toEqual([8]);
  },

  'counts what is used of a step in those after it, less what drains, whichever process asks and however late it is told':
    async ({ store }) => {
      const ask = asker(store);
      const steps = (first: number, last: number, rest: Partial<WindowAsk> = {}) =>
        Array.from({ length: last - first + 1 }, (_, index) => {
          const name = `minute-drain-${first + index}`;
          return windowAsk({ name, drain: index === 0 ? 0 : 2_500, ...(index === last - first ? rest : {}) });
        });
      const slot = (index: number, total = 0) => [slotAsk({ name: String(index), total, windows: [index] })];
      // Units of a later step are used already, so fewer are left in those before.
      expect((await ask({ want: 12, slots: slot(2), windows: steps(30, 32) })).granted).toEqual([12]);
      const none = await ask({ member: 'b', want: 20, need: 9, slots: slot(0), windows: steps(30, 33) });
      expect(none).toMatchObject({ granted: [0], used: [0, 0, 12, 12] });
      // What drains in the step itself and in the one before does not count yet.
      const first = await ask({ member: 'b', want: 5, slots: slot(0), windows: steps(30, 33) });
      expect(first).toMatchObject({ granted: [5], used: [5, 5, 17, 15] });
      const second = await ask({ member: 'b', want: 20, slots: slot(2, 2), windows: steps(30, 34) });
      expect(second).toMatchObject({ granted: [1], used: [5, 5, 20, 18, 15] });
      // What was carried on is known without the steps before.
      const third = await ask({ member: 'c', want: 20, slots: slot(1), windows: steps(33, 36, { kept: 1 }) });
      expect(third).toMatchObject({ granted: [5], used: [15, 20, 18, 15] });
      // What is given back of one step is free in all of them, and a reading shows usage that no process told.
      const given = await ask({ slots: slot(2), want: 0, member: 'b', windows: steps(30, 36) });
      expect(given.used).toEqual([5, 5, 17, 15, 17, 15, 12]);
      const read = await ask({ member: 'd', slots: [], want: 0, windows: steps(33, 36, { reading: 14 }) });
      expect(read.used).toEqual([12, 17, 15, 14]);
      const told = await ask({ member: 'd', slots: slot(3, 2), want: 0, windows: steps(33, 36) });
      expect(told.used).toEqual([12, 17, 15, 14]);
    },

  'counts what a reading showed of a step once: not anew where the step is named first, after what was used before it':
    async ({ store }) => {
      const ask = asker(store);
      const steps = (first: number, last: number, rest: Partial<WindowAsk> = {}) =>
        [first, last].map((number, index) =>
          windowAsk({ name: `minute-drain-${number}`, drain: 2_500 * index, ...(index === 1 ? rest : {}) }),
        );
      await ask({ want: 8, slots: [slotAsk({ windows: [0] })], windows: steps(1, 2) });
      const tell = async (windows: WindowAsk[]) => (await ask({ want: 0, slots: [], windows })).used;
      expect(await tell(steps(2, 3, { reading: 9 }))).toEqual([8, 9]);
      expect(await tell(steps(3, 4))).toEqual([7, 7]);
    },

  'grants nothing of a slot that has less room than is needed, and looks at the next': async ({ store }) => {
    const ask = asker(store);
    await ask({ member: 'b', want: 17, ...seconds() });
    expect((await ask({ want: 6, need: 5, ...seconds() })).granted).toEqual([0, 6, 0, 0]);
  },

  'grants of slots that are wished for only, and nothing to a process that only tells': async ({ store }) => {
    const ask = asker(store);
    expect((await ask({ want: 8, ...seconds(0) })).granted).toEqual([0, 0, 0, 0]);
    expect((await ask({ want: 0, ...seconds() })).granted).toEqual([0, 0, 0, 0]);
  },

  'grants a part of a slot while others are needy, held units and those of the slot counted in': async ({ store }) => {
    const ask = asker(store);
    await ask({ member: 'b', want: 99, ...seconds(1, { limit: 1 }) });
    expect(await ask({ want: 99, ...seconds() })).toMatchObject({ others: 1, granted: [10, 0, 0, 0] });
    expect((await ask({ member: 'c', want: 99, held: 4, chunk: 1, ...seconds() })).granted).toEqual([3, 0, 0, 0]);
    expect((await ask({ member: 'd', want: 99, chunk: 1, ...seconds(1, { total: 3 }) })).granted).toEqual([2, 3, 0, 0]);
  },

  'grants no part below the smallest, nor below what the first call needs': async ({ store }) => {
    const ask = asker(store);
    for (const member of ['b', 'c', 'd', 'e']) await ask({ member, want: 99, ...seconds(1, { limit: 0 }) });
    expect((await ask({ want: 99, chunk: 6, ...seconds() })).granted).toEqual([6, 0, 0, 0]);
    expect((await ask({ member: 'f', want: 99, need: 7, ...seconds() })).granted).toEqual([7, 0, 0, 0]);
  },

  'bounds a late wish by no part, neither of the slot nor in all': async ({ store }) => {
    const ask = asker(store);
    await ask({ member: 'b', want: 99, ...seconds(1, { limit: 0 }) });
    expect((await ask({ want: 99, ...seconds(1, { total: 10 }) })).granted).toEqual([0, 10, 0, 0]);
    const late = await ask({ member: 'c', want: 2, held: 9, ...seconds(2, { total: 7 }) });
    expect(late).toMatchObject({ others: 2, granted: [2, 0, 0, 0] });
    expect((await ask({ member: 'd', want: 99, held: 9, ...seconds(2, { total: 1 }) })).granted[0]).toBe(0);
  },

  'grants what is needed to calls that are only expected in part, and more only of what is free beyond half of each window':
    async ({ store }) => {
      const ask = asker(store);
      const sparing = (member: string, want: number, need = 1) =>
        ask({ member, want, need, ...seconds(3, { limit: 31 }) });
      expect((await sparing('a', 4)).granted).toEqual([4, 0, 0, 0]);
      expect((await sparing('b', 9)).granted).toEqual([6, 3, 0, 0]);
      // Beyond half of the second there is room, and of the minute there is none.
      expect((await sparing('c', 5)).granted).toEqual([1, 1, 1, 1]);
      expect((await sparing('d', 5, 3)).granted).toEqual([3, 0, 0, 0]);
      // A process does not count as needy for calls that are only expected.
      expect((await ask({ member: 'e', want: 0 })).others).toBe(0);
    },

  'counts a process as needy that is not granted all that it wants, for as long as it says': async ({
    store,
    pass,
  }) => {
    const ask = asker(store);
    expect(await ask({ want: 21, stayMs: 1_500, ...seconds() })).toMatchObject({ others: 0, granted: [20, 1, 0, 0] });
    expect((await ask({ member: 'b', want: 0 })).others).toBe(0);
    expect(await ask({ member: 'c', want: 99, stayMs: 1_500, ...seconds() })).toMatchObject({
      granted: [0, 19, 20, 20],
    });
    // The first second has no room, and ends in one.
    pass(2_500);
    expect((await ask({ member: 'b', want: 0 })).others).toBe(1);
    pass(500);
    expect((await ask({ member: 'b', want: 0 })).others).toBe(0);
  },

  'counts it as needy for that time after the window in the way has ended, but for about a minute at most': async ({
    store,
    pass,
  }) => {
    const ask = asker(store);
    const full = (ttlMs: number) => ({ windows: [windowAsk({ name: 'full:1', limit: 0, ttlMs })] });
    // A window is kept for ten seconds after it has ended.
    await ask({ ...full(17_500), stayMs: 1_500, want: 1 });
    await ask({ ...full(3_600_000), member: 'b', want: 1 });
    pass(9_000);
    expect((await ask({ member: 'c', want: 0 })).others).toBe(2);
    pass(500);
    expect((await ask({ member: 'c', want: 0 })).others).toBe(1);
    pass(53_000);
    expect((await ask({ member: 'c', want: 0 })).others).toBe(1);
    pass(500);
    expect((await ask({ member: 'c', want: 0 })).others).toBe(0);
  },

  'does not count it as needy any more when it has been served, or wants nothing': async ({ store }) => {
    const ask = asker(store);
    for (const want of [5, 0]) {
      await ask({ want: 21 });
      expect((await ask({ member: 'b', want: 0 })).others).toBe(1);
      await ask({ want, slots: [slotAsk({ name: '2' })], windows: [windowAsk({ name: 'minute:2' })] });
      expect((await ask({ member: 'b', want: 0 })).others).toBe(0);
    }
  },

  'drops more needy processes than there can be': async ({ store, pass }) => {
    const ask = asker(store);
    const windows = [windowAsk({ limit: 0 })];
    for (let member = 0; member < 1_001; member++) {
      // The accounts of the first half expire, and they are needy still: a store that rewrites everything at each ask has less to write.
      if (member === 500) pass(61_000);
      await ask({ member: `m${member}`, windows });
    }
    expect((await ask({ want: 0 })).others).toBe(0);
  },

  'grants nothing, and books totals and readings all the same, where a limit is newer than the version of the ask':
    async ({ store }) => {
      const ask = asker(store);
      await store.share(0, new Map([['l:minute', '20']]));
      expect(await ask(telling(3, { want: 4, slots: [slotAsk({ total: 3 })] }, { reading: 7 }))).toMatchObject({
        version: 1,
        granted: [0],
        used: [7],
      });
      expect((await ask({ version: 1, slots: [slotAsk({ total: 3 })] })).granted).toEqual([5]);
      expect((await ask({ version: -1 })).granted).toEqual([0]);
      // A store that has lost its memory has an older version.
      expect((await ask({ version: 2 })).granted).toEqual([0]);
    },

  'grants nothing to a process that does not know that more shapes are possible, and hides no other fact from it':
    async ({ store }) => {
      const ask = asker(store);
      const tell = async (...fact: [string, string]) => (await store.share(-1, new Map([fact]))).version;
      await tell('l:minute', '20');
      const version = await tell('s:minute', '1 3');
      for (const fact of ['s:minute 1 4', 's:minute 0 8', 's:hour 0 1', 'lead 5', 'c:x 2', 'r:trial 7 1']) {
        const [field = '', ...value] = fact.split(' ');
        await tell(field, value.join(' '));
        expect((await ask({ version, want: 1 })).granted).toEqual([1]);
      }
      const last = await tell('s:minute', '2 0');
      expect((await ask({ version: last - 1, want: 1 })).granted).toEqual([0]);
      await tell('lead', '6');
      expect((await ask({ version: last, want: 1 })).granted).toEqual([1]);
      await tell('s:day', '1 0');
      expect((await ask({ version: last + 1, want: 1 })).granted).toEqual([0]);
    },

  'grants nothing to a process that does not know that a window drains: others count in fewer windows': async ({
    store,
  }) => {
    const ask = asker(store);
    const tell = async (shape: string) => (await store.share(-1, new Map([['s:minute', shape]]))).version;
    const version = await tell('0 7');
    await tell('0 8');
    expect((await ask({ version, want: 1 })).granted).toEqual([0]);
    expect((await ask({ version: version + 1, want: 1 })).granted).toEqual([1]);
  },

  'grants nothing to others while a process looks at the service': async ({ store, pass }) => {
    const ask = asker(store);
    await store.look('b');
    pass(500);
    expect(await ask()).toMatchObject({ lookMs: LOOK_MS - 500, granted: [0] });
    expect(await ask({ member: 'b', want: 2 })).toMatchObject({ lookMs: 0, granted: [2] });
    pass(LOOK_MS - 500);
    expect(await ask()).toMatchObject({ lookMs: 0, granted: [5] });
  },

  'grants nothing while the service wants no requests, nor before it is known that it does again': async ({
    store,
    pass,
  }) => {
    const ask = asker(store);
    await store.pause(2_000);
    expect(await ask()).toMatchObject({ pauseMs: 2_000, granted: [0] });
    pass(2_000);
    expect(await ask()).toMatchObject({ pauseMs: 1, granted: [0] });
    await store.resumed();
    expect(await ask()).toMatchObject({ pauseMs: 0, granted: [5] });
  },
};
