import { asker } from './asking.ts';
import { expect } from './expecting.ts';
import { LIVE_MS, LONGEST_PAUSE_MS, PROBE_MS, URGENT_MEMORY_MS } from './protocol.ts';
import type { StoreCases } from './store-case.ts';

/** What a store keeps of urgent units, pauses and live processes. */
export const STATE: StoreCases = {
  'answers with its own clock and the sequence of the ask': async ({ store, now, pass }) => {
    const ask = asker(store);
    await ask();
    pass(500);
    expect(await ask()).toMatchObject({ sequence: 2, now: now(), others: 0, version: 0 });
  },

  'adds up urgent and usual units of all processes, which fade, and tells for how long it did': async ({
    store,
    pass,
  }) => {
    const ask = asker(store);
    expect((await ask()).urgent).toEqual({ units: 0, forMs: 0 });
    pass(30_000);
    expect((await ask({ urgent: 3 })).urgent).toEqual({ units: 3, forMs: 30_000 });
    expect(await ask({ member: 'b', urgent: 1, usual: 9 })).toMatchObject({ urgent: { units: 4 }, usual: 9 });
    pass(URGENT_MEMORY_MS);
    const { urgent, usual } = await ask({ urgent: 2 });
    expect(urgent.units).toBeWithin(0.005, 4 / Math.E + 2);
    expect(usual).toBeWithin(0.005, 9 / Math.E);
    expect(urgent.forMs).toBe(90_000);
  },

  'keeps the version and the facts as long as there are asks, and forgets the version an hour after the last, but no fact':
    async ({ store, pass }) => {
      const ask = asker(store);
      await store.share(0, new Map([['lead', '1']]));
      for (let minutes = 0; minutes < 240; minutes += 8) {
        pass(8 * 60_000);
        expect((await ask({ version: 1, want: 1, urgent: minutes % 16 ? 1 : 0 })).version).toBe(1);
      }
      expect((await store.share(0, new Map())).facts).toEqual(new Map([['lead', '1']]));
      pass(3_600_000);
      expect(await ask()).toMatchObject({ version: 0, urgent: { forMs: 0 } });
      expect((await store.share(0, new Map())).facts).toEqual(new Map([['lead', '1']]));
    },

  'lengthens a pause and never shortens it, up to an hour': async ({ store }) => {
    const ask = asker(store);
    await store.pause(5_000);
    await store.pause(2_000);
    await store.pause(-1);
    expect((await ask()).pauseMs).toBe(5_000);
    await store.pause(1e9);
    expect((await ask()).pauseMs).toBe(LONGEST_PAUSE_MS);
  },

  'tells all processes that they are free where there is no pause': async ({ store }) => {
    expect(await store.resume('a')).toBe('free');
    await store.pause(0);
    expect(await store.resume('a')).toBe('free');
  },

  'lets one process probe when a pause is over, and the next if it does not come back': async ({ store, pass }) => {
    await store.pause(3_000);
    expect(await store.resume('a')).toBe(3_000);
    pass(3_000);
    expect(await store.resume('a')).toBe('probe');
    pass(500);
    expect(await store.resume('b')).toBe(PROBE_MS - 500);
    expect(await store.resume('a')).toBe('probe');
    pass(PROBE_MS - 500);
    expect(await store.resume('b')).toBe('probe');
    await store.resumed();
    expect(await store.resume('a')).toBe('free');
  },

  'lets a process probe again at once when the pause that its probe brought is over': async ({ store, pass }) => {
    await store.pause(1_000);
    pass(1_000);
    expect(await store.resume('a')).toBe('probe');
    await store.pause(500);
    pass(500);
    expect(await store.resume('b')).toBe('probe');
  },

  'clears no pause that is in force': async ({ store }) => {
    await store.pause(1_000);
    await store.resumed();
    expect(await store.resume('a')).toBe(1_000);
  },

  'counts processes as live that gave a sign of life lately and did not leave': async ({ store, pass }) => {
    const ask = asker(store);
    const sign = async (member: string, rest = {}): Promise<number> =>
      (await ask({ member, isSign: true, want: 0, ...rest })).live;
    expect(await sign('a')).toBe(1);
    expect(await sign('a')).toBe(1);
    pass(LIVE_MS);
    expect(await sign('b')).toBe(2);
    pass(500);
    expect(await sign('c')).toBe(2);
    expect(await sign('b', { isLeaving: true })).toBe(1);
    expect(await sign('unknown', { isLeaving: true })).toBe(1);
    // An ask that is no sign of life counts for none, and is told no number; to leave, it need be none.
    expect(await sign('d', { isSign: false })).toBe(0);
    expect(await sign('c', { isSign: false, isLeaving: true })).toBe(0);
    expect(await sign('a')).toBe(1);
  },
};
