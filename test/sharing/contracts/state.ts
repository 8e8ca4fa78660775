import { expect, it } from 'vitest';
import { LIVE_MS, LONGEST_PAUSE_MS, PROBE_MS, URGENT_MEMORY_MS } from '../../../src/sharing/store.ts';
import { asker, type StoreWorld } from '../support/asking.ts';

/** What a store keeps of urgent units, pauses and live processes. */
export function stateContract(makeStore: () => Promise<StoreWorld>): void {
  it('answers with its own clock and the sequence of the ask', async () => {
    const { store, now, pass } = await makeStore();
    const ask = asker(store);
    await ask();
    await pass(500);
    expect(await ask()).toMatchObject({ sequence: 2, now: now(), others: 0, version: 0 });
  });

  it('adds up urgent units of all processes, which fade, and tells for how long they were counted', async () => {
    const { store, pass } = await makeStore();
    const ask = asker(store);
    expect((await ask({ urgent: 0 })).urgent).toEqual({ units: 0, forMs: 0 });
    await pass(30_000);
    expect((await ask({ urgent: 3 })).urgent).toEqual({ units: 3, forMs: 30_000 });
    expect((await ask({ member: 'b', urgent: 1 })).urgent.units).toBe(4);
    await pass(URGENT_MEMORY_MS);
    const { units, forMs } = (await ask({ urgent: 2 })).urgent;
    expect(units).toBeCloseTo(4 / Math.E + 2, 2);
    expect(forMs).toBe(90_000);
  });

  it('keeps the version and the facts as long as there are asks, and forgets them an hour after the last', async () => {
    const { store, pass } = await makeStore();
    const ask = asker(store);
    await store.share(0, new Map([['lead', '1']]));
    for (let minutes = 0; minutes < 240; minutes += 8) {
      await pass(8 * 60_000);
      expect((await ask({ version: 1, want: 1, urgent: minutes % 16 ? 1 : 0 })).version).toBe(1);
    }
    expect((await store.share(0, new Map())).facts).toEqual(new Map([['lead', '1']]));
    await pass(3_600_000);
    expect(await ask()).toMatchObject({ version: 0, urgent: { forMs: 0 } });
  });

  it('lengthens a pause and never shortens it, up to an hour', async () => {
    const { store } = await makeStore();
    const ask = asker(store);
    await store.pause(5_000);
    await store.pause(2_000);
    await store.pause(-1);
    expect((await ask()).pauseMs).toBe(5_000);
    await store.pause(1e9);
    expect((await ask()).pauseMs).toBe(LONGEST_PAUSE_MS);
  });

  it('tells all processes that they are free where there is no pause', async () => {
    const { store } = await makeStore();
    expect(await store.resume('a')).toBe('free');
    await store.pause(0);
    expect(await store.resume('a')).toBe('free');
  });

  it('lets one process probe when a pause is over, and the next if it does not come back', async () => {
    const { store, pass } = await makeStore();
    await store.pause(3_000);
    expect(await store.resume('a')).toBe(3_000);
    await pass(3_000);
    expect(await store.resume('a')).toBe('probe');
    await pass(500);
    expect(await store.resume('b')).toBe(PROBE_MS - 500);
    expect(await store.resume('a')).toBe('probe');
    await pass(PROBE_MS - 500);
    expect(await store.resume('b')).toBe('probe');
    await store.resumed();
    expect(await store.resume('a')).toBe('free');
  });

  it('lets a process probe again at once when the pause that its probe brought is over', async () => {
    const { store, pass } = await makeStore();
    await store.pause(1_000);
    await pass(1_000);
    expect(await store.resume('a')).toBe('probe');
    await store.pause(500);
    await pass(500);
    expect(await store.resume('b')).toBe('probe');
  });

  it('clears no pause that is in force', async () => {
    const { store } = await makeStore();
    await store.pause(1_000);
    await store.resumed();
    expect(await store.resume('a')).toBe(1_000);
  });

  it('counts processes as live that gave a sign of life lately and did not leave', async () => {
    const { store, pass } = await makeStore();
    expect(await store.live('a', false)).toBe(1);
    expect(await store.live('a', false)).toBe(1);
    await pass(LIVE_MS);
    expect(await store.live('b', false)).toBe(2);
    await pass(500);
    expect(await store.live('c', false)).toBe(2);
    expect(await store.live('b', true)).toBe(1);
    expect(await store.live('nobody', true)).toBe(1);
  });
}
