import type { ShareAsk, SlotAsk, WindowAsk } from '../../sharing/store/store.ts';
import { asker, slotAsk, windowAsk } from './asking.ts';
import { expect } from './expecting.ts';
import { STRETCH_MS } from './protocol.ts';
import type { StoreCases } from './store-case.ts';

/** An instance of a window that slides: a unit of a slot that ended by `slidBy` counts no more. */
function sliding(number: number, slidBy: number, rest: Partial<WindowAsk> = {}): WindowAsk {
  return windowAsk({ name: `day-${number}`, slidBy, ...rest });
}

/** A slot that ends then, of which a part is held. */
function ending(to: number, total: number, windows: readonly number[] = [0]): SlotAsk {
  return slotAsk({ name: `${to}`, to, total, wish: 0, windows });
}

/** Units of a window that slides, which slide out of its instances. */
export const SLIDING: StoreCases = {
  'takes off what has slid out of an instance and does not count in the next, and says how long the next of it takes':
    async ({ store }) => {
      const ask = asker(store);
      const windows = (slidBy: number) => [31, 32, 33].map((number) => sliding(number, slidBy));
      const tell = (to: number, total: number, counts: number[] = [0]) =>
        ask({ member: `${counts}`, want: 0, slots: [ending(to, total, counts)], windows: windows(1) });
      const wish = (slidBy: number, need: number) => {
        const slots = [slotAsk({ name: '2', wish: 2, to: 99_000, windows: [0, 1, 2] })];
        return ask({ member: 'late', want: need, need, slots, windows: windows(slidBy) });
      };
      await tell(5_000, 6);
      await tell(7_000, 8);
      // What counts in the next instance, too, slides out of that one.
      await tell(8_000, 2, [0, 1]);
      expect(await wish(4_000, 9)).toMatchObject({ granted: [0], used: [16, 2, 0], freeMs: 1_000 });
      expect(await wish(4_999, 11)).toMatchObject({ granted: [0], used: [16, 2, 0], freeMs: 2_001 });
      expect((await ask({ want: 0, slots: [], windows: windows(5_000).slice(0, 1) })).used).toEqual([16]);
      expect(await wish(5_000, 11)).toMatchObject({ granted: [0], used: [10, 2, 0], freeMs: 2_000 });
      expect(await wish(7_000, 11)).toMatchObject({ granted: [11], used: [13, 13, 11], freeMs: 0 });
    },

  'frees the units of two batches together where there are too many: those that wait the least for that': async ({
    store,
  }) => {
    const ask = asker(store);
    const windows = (slidBy: number) => [sliding(1, slidBy), sliding(2, slidBy)];
    const used = async (slidBy: number) =>
      (await ask({ member: 'b', want: 0, slots: [], windows: windows(slidBy) })).used[0];
    // Not told in their order. Those that wait the least have one unit, and are not the closest.
    const slots = [ending(9_000, 1), ending(2_000, 3), ending(5_000, 1), ending(3_000, 4), ending(6_500, 2)];
    await ask({ want: 0, slots, windows: windows(500) });
    expect(await used(4_999)).toBe(4);
    expect(await used(5_000)).toBe(4);
    expect(await used(6_500)).toBe(1);
    expect(await used(9_000)).toBe(0);
  },

  'takes what is returned off the last batch that ends no later than its slot, and off those before': async ({
    store,
  }) => {
    const ask = asker(store);
    const windows = (slidBy: number) => [sliding(1, slidBy), sliding(2, slidBy)];
    const tell = (member: string, to: number, total: number) =>
      ask({ member, want: 0, slots: [ending(to, total)], windows: windows(500) });
    const used = async (slidBy: number) =>
      (await ask({ member: 'd', want: 0, slots: [], windows: windows(slidBy) })).used[0];
    await tell('a', 1_000, 3);
    await tell('b', 2_000, 4);
    await tell('c', 3_000, 5);
    await tell('b', 2_000, 1);
    expect(await used(999)).toBe(9);
    expect(await used(1_000)).toBe(6);
    expect(await used(2_000)).toBe(5);
    expect(await used(3_000)).toBe(0);
  },

  'takes what only changes its slot off the slot that it had, whatever is claimed beside it': async ({ store }) => {
    const ask = asker(store);
    const windows = (slidBy: number) => [sliding(1, slidBy, { limit: 20 }), sliding(2, slidBy, { limit: 20 })];
    const used = async (slidBy: number) =>
      (await ask({ member: 'b', want: 0, slots: [], windows: windows(slidBy) })).used[0];
    await ask({ want: 0, slots: [ending(3_000, 24)], windows: windows(500) });
    // More than may be claimed, were it counted in both slots.
    const moved = { ...ending(1_000, 20), name: 'own:0' };
    await ask({ want: 0, slots: [moved, ending(3_000, 4)], windows: windows(500) });
    expect(await used(999)).toBe(24);
    expect(await used(1_000)).toBe(4);
    expect(await used(3_000)).toBe(0);
  },

  'leaves what no process told for where claims only change their slot': async ({ store }) => {
    const ask = asker(store);
    const tell = async (slots: readonly SlotAsk[], reading: number) =>
      (await ask({ want: 0, slots, windows: [sliding(1, 500, { reading }), sliding(2, 500)] })).used[0];
    expect(await tell([ending(3_000, 3)], 5)).toBe(5);
    await ask({ member: 'b', want: 4, slots: [slotAsk({ to: 3_000 })], windows: [sliding(1, 500), sliding(2, 500)] });
    expect(await tell([{ ...ending(1_000, 3), name: 'own:0' }, ending(3_000, 0)], 5)).toBe(9);
  },

  'says how long the last instance takes that has no room: by then those before it count no more': async ({
    store,
  }) => {
    const ask = asker(store);
    const windows = [1, 2, 3, 4].map((number) => sliding(number, 1_000));
    // The second instance has nothing that the third has not, and the fourth has room.
    const slots = [ending(2_500, 3), ending(5_000, 8, [0, 1, 2])];
    await ask({ want: 0, slots, windows });
    const wish = (need: number, counts: readonly number[] = [0, 1, 2, 3]) =>
      ask({ member: 'b', want: need, need, slots: [slotAsk({ wish: 2, to: 90_000, windows: counts })], windows });
    expect(await wish(11)).toMatchObject({ granted: [0], used: [11, 8, 8, 0], freeMs: 1_500 });
    expect(await wish(13)).toMatchObject({ granted: [0], used: [11, 8, 8, 0], freeMs: 4_000 });
    expect(await wish(21)).toMatchObject({ granted: [0], freeMs: 0 });
  },

  'does not say how long where a window has no room that does not slide, and takes off nothing that was claimed before batches were kept':
    async ({ store }) => {
      const ask = asker(store);
      const slides = (slidBy: number) => [1, 2].map((number) => sliding(number, slidBy, { limit: 4 }));
      const windows = [windowAsk({ name: 'hour:1', limit: 4 }), ...slides(2_000)];
      const slots = [slotAsk({ windows: [0, 1, 2] }), slotAsk({ name: '2', windows: [1, 2] })];
      await ask({ want: 3, slots: [slotAsk({ to: 5_000, windows: [0, 1] })], windows });
      expect(await ask({ member: 'b', want: 2, need: 2, slots, windows })).toMatchObject({ freeMs: 0 });
      expect(await ask({ member: 'b', want: 2, need: 2, slots: slots.slice(1), windows })).toMatchObject({
        freeMs: 3_000,
      });
      const old = [windowAsk({ name: 'day-5' }), sliding(6, 1)];
      await ask({ member: 'c', want: 5, slots: [slotAsk({ to: 5_000 })], windows: old });
      const since = [sliding(5, 1), sliding(6, 1)];
      await ask({ member: 'd', want: 2, slots: [slotAsk({ to: 6_000 })], windows: since });
      const late = { want: 0, slots: [], windows: [sliding(5, 9_000), sliding(6, 9_000)] };
      for (const _ of [1, 2]) expect((await ask(late)).used).toEqual([5, 0]);
    },

  'takes usage that no process told for no older than the claims, and forgets what readings showed of what has slid out':
    async ({ store, pass }) => {
      const ask = asker(store);
      const tell = async (rest: Partial<ShareAsk>) => (await ask({ want: 0, slots: [], ...rest })).used;
      const slots = [ending(5_000, 9)];
      expect(await tell({ slots, windows: [sliding(1, 1, { reading: 12 }), sliding(2, 1)] })).toEqual([12, 0]);
      expect(await tell({ windows: [sliding(1, 4_999), sliding(2, 4_999, { reading: 5 })] })).toEqual([12, 5]);
      expect(await tell({ windows: [sliding(1, 5_000), sliding(2, 5_000)] })).toEqual([5, 5]);
      expect(await tell({ windows: [sliding(1, 5_000, { reading: 4 }), sliding(2, 5_000)] })).toEqual([5, 5]);
      // A reading that bounds an instance from above does so after that.
      const read = (slidBy: number, rest: Partial<WindowAsk>) =>
        [11, 12].map((number) => sliding(number, slidBy, rest));
      await ask({ member: 'b', want: 1, slots: [slotAsk({ to: 5_000 })], windows: read(1, { reading: 1 }) });
      pass(STRETCH_MS);
      expect(await tell({ windows: read(5_000, { bounds: 'above', reading: 0 }) })).toEqual([0, 1]);
    },

  'keeps what a reading showed beyond what has slid out, whatever is returned': async ({ store }) => {
    const ask = asker(store);
    const tell = async (slots: readonly SlotAsk[], slidBy: number, reading = -1) =>
      (await ask({ want: 0, slots, windows: [sliding(1, slidBy, { reading }), sliding(2, slidBy)] })).used[0];
    expect(await tell([ending(5_000, 9)], 1, 12)).toBe(12);
    for (const total of [0, 2, 0]) expect(await tell([ending(9_000, total)], 5_000)).toBe(3);
  },

  'counts what strangers used in the instances after that of the reading, once, in whatever order they are named':
    async ({ store }) => {
      const ask = asker(store);
      const windows = [23, 24, 22].map((number) =>
        sliding(number, 1, number < 24 ? { reading: number === 22 ? 12 : 14, bounds: 'both' } : {}),
      );
      const slots = [ending(5_000, 9, [0, 2])];
      expect((await ask({ want: 0, slots, windows })).used).toEqual([14, 5, 12]);
      expect((await ask({ member: 'b', want: 0, slots: [], windows })).used).toEqual([14, 5, 12]);
    },
};
