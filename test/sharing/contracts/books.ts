import { expect, it } from 'vitest';
import { ACCOUNT_LASTS_MS, STRETCH_MS } from '../../../src/sharing/store.ts';
import { asker, asking, type StoreWorld, slotAsk, telling, windowAsk } from '../support/asking.ts';

/** How a store books claims, readings and claims that came to nothing. */
export function booksContract(makeStore: () => Promise<StoreWorld>): void {
  it('answers that an ask is stale whose sequence does not rise, and changes nothing', async () => {
    const { store } = await makeStore();
    await store.take(telling(5, { sequence: 7 }));
    expect(await store.take(telling(9, { sequence: 7 }))).toBe('stale');
    expect(await store.take(telling(9, { sequence: 6 }))).toBe('stale');
    expect(await store.take(telling(5, { sequence: 8 }))).toMatchObject({ sequence: 8, used: [5] });
  });

  it('books a total once, however often it is told', async () => {
    const { store } = await makeStore();
    const ask = asker(store);
    for (let times = 0; times < 3; times++) expect((await ask(telling(6))).used).toEqual([6]);
  });

  it('books a slot in all its windows, and the claims of all processes together', async () => {
    const { store } = await makeStore();
    const ask = asker(store);
    const windows = [windowAsk(), windowAsk({ name: 'month:1', limit: 1_000 }), windowAsk({ name: 'hour:1' })];
    const slots = [
      slotAsk({ name: '1', total: 2, wish: 0, windows: [0, 1] }),
      slotAsk({ name: '1+1', total: 3, wish: 0, windows: [1] }),
    ];
    await ask({ member: 'a', want: 0, slots, windows });
    expect((await ask({ member: 'b', want: 0, slots, windows })).used).toEqual([4, 10, 0]);
  });

  it('gives back units when a smaller total is told', async () => {
    const { store } = await makeStore();
    const ask = asker(store);
    await ask(telling(9));
    expect((await ask(telling(4))).used).toEqual([4]);
    expect((await ask({ member: 'b', want: 20 })).granted).toEqual([16]);
  });

  it('books grants as claims of the slot', async () => {
    const { store } = await makeStore();
    const ask = asker(store);
    expect(await ask({ want: 5 })).toMatchObject({ granted: [5], used: [5] });
    expect((await ask(telling(5))).used).toEqual([5]);
    expect((await ask(telling(2))).used).toEqual([2]);
  });

  it('knows of the slots that were named in the last ask, and only of them', async () => {
    const { store } = await makeStore();
    const ask = asker(store);
    await ask(telling(3, { slots: [slotAsk({ name: '1', total: 3, wish: 0 })] }));
    await ask(telling(3, { slots: [slotAsk({ name: '11', total: 2, wish: 0 })] }));
    expect((await ask(telling(3, { slots: [slotAsk({ name: '1', total: 3, wish: 0 })] }))).used).toEqual([8]);
  });

  it('does not take one name of a slot for another that contains it', async () => {
    const { store } = await makeStore();
    const ask = asker(store);
    const named = (...names: string[]) => ({
      ...telling(0),
      slots: names.map((name) => slotAsk({ name, total: 2, wish: 0 })),
    });
    await ask(named('11', 'f-1+1:0'));
    expect((await ask(named('1', '11', '-1+1:0', 'f-1+1:0', 'f-1+1'))).used).toEqual([10]);
  });

  it('claims no less than nothing, and no more than somewhat above the limit', async () => {
    const { store } = await makeStore();
    const ask = asker(store);
    await ask(telling(9));
    await ask(telling(9, { member: 'b' }, { name: 'other:1' }));
    expect((await ask(telling(0, { member: 'b' }))).used).toEqual([0]);
    expect((await ask(telling(1e13, { member: 'c' }))).used).toEqual([41]);
    expect((await ask(telling(1e13, { member: 'c' }))).used).toEqual([41]);
  });

  it('forgets the account of a process that has made no trip for a minute, and none of what was booked', async () => {
    const { store, pass } = await makeStore();
    const ask = asker(store);
    await ask(telling(3));
    await pass(ACCOUNT_LASTS_MS - 500);
    expect((await ask(telling(3))).used).toEqual([3]);
    await pass(ACCOUNT_LASTS_MS);
    expect((await ask(telling(3))).used).toEqual([6]);
  });

  it('forgets a window when its time is over, counted from the last change', async () => {
    const { store, pass } = await makeStore();
    const ask = asker(store);
    await ask(telling(3, {}, { ttlMs: 2_000 }));
    await pass(1_500);
    await ask(telling(4, {}, { ttlMs: 2_000 }));
    await pass(1_500);
    expect((await ask(telling(4, {}, { ttlMs: 2_000 }))).used).toEqual([4]);
    await pass(500);
    expect((await ask(telling(4, {}, { ttlMs: 2_000 }))).used).toEqual([0]);
  });

  it('counts what the service counted beyond all claims as used by strangers, at most the limit', async () => {
    const { store } = await makeStore();
    const ask = asker(store);
    await ask(telling(5));
    expect((await ask(telling(5, {}, { reading: 3 }))).used).toEqual([5]);
    expect((await ask(telling(5, {}, { reading: 9 }))).used).toEqual([9]);
    expect((await ask(telling(7, {}, { reading: 9 }))).used).toEqual([9]);
    expect((await ask({ member: 'b', want: 20, windows: [windowAsk({ reading: 8 })] })).granted).toEqual([11]);
    expect((await ask(telling(7, {}, { name: 'hour:1', reading: 900 }))).used).toEqual([20]);
  });

  it('takes units that a process tells of later off those of strangers, for which they were taken', async () => {
    const { store } = await makeStore();
    const ask = asker(store);
    await ask(telling(0, {}, { reading: 6 }));
    expect((await ask(telling(4))).used).toEqual([6]);
    expect((await ask(telling(10))).used).toEqual([10]);
  });

  it('takes claims far beyond the limit for nonsense, and believes the reading instead', async () => {
    const { store } = await makeStore();
    const ask = asker(store);
    await ask(telling(500, {}, { limit: 1_000 }));
    expect((await ask(telling(500, { member: 'b', slots: [] }, { limit: 20, reading: 12 }))).used).toEqual([12]);
    await ask(telling(500, { member: 'c' }, { name: 'hour:1', limit: 1_000 }));
    expect((await ask(telling(0, { member: 'b', slots: [] }, { name: 'hour:1' }))).used).toEqual([0]);
  });

  it('takes strangers beyond the limit for nonsense', async () => {
    const { store } = await makeStore();
    const ask = asker(store);
    await ask(telling(0, {}, { limit: 1_000, reading: 500 }));
    expect((await ask(telling(0, {}, { limit: 20 }))).used).toEqual([0]);
  });

  it('takes off claims that the service has not counted for a whole stretch, where the reading bounds them', async () => {
    const { store, pass } = await makeStore();
    const ask = asker(store);
    await ask(telling(8, { member: 'dead' }, { stretches: 'yes' }));
    const bounded = { reading: 2, stretches: 'bounds' } as const;
    await pass(STRETCH_MS);
    expect((await ask(telling(0, {}, bounded))).used).toEqual([8]);
    await pass(STRETCH_MS);
    expect((await ask(telling(0, {}, { ...bounded, stretches: 'yes' }))).used).toEqual([8]);
    expect((await ask(telling(0, {}, bounded))).used).toEqual([2]);
  });

  it('takes nothing off without a reading, nor below the highest reading of any process', async () => {
    const { store, pass } = await makeStore();
    const ask = asker(store);
    await ask(telling(8, {}, { stretches: 'yes', reading: 12 }));
    await pass(2 * STRETCH_MS);
    const hear = (reading: number) =>
      ask({ want: 0, slots: [], windows: [windowAsk({ stretches: 'bounds', reading })] });
    expect((await hear(-1)).used).toEqual([12]);
    expect((await hear(9)).used).toEqual([12]);
  });

  it('counts told claims and grants of this stretch and the one before as new', async () => {
    const { store, pass } = await makeStore();
    const ask = asker(store);
    const windows = (reading: number) => [windowAsk({ stretches: 'bounds', limit: 100, reading })];
    const hear = (reading: number) => ask({ member: 'c', want: 0, slots: [], windows: windows(reading) });
    await ask({ want: 6, windows: windows(-1) });
    await pass(STRETCH_MS);
    await ask({ ...telling(3, { member: 'b' }), windows: windows(-1) });
    expect((await hear(0)).used).toEqual([9]);
    await pass(STRETCH_MS);
    expect((await hear(1)).used).toEqual([4]);
    await pass(STRETCH_MS);
    expect((await hear(1)).used).toEqual([1]);
  });

  it('takes all claims for new where stretches were not counted before', async () => {
    const { store, pass } = await makeStore();
    const ask = asker(store);
    await ask(telling(8));
    await pass(5 * STRETCH_MS);
    const bounded = { reading: 0, stretches: 'bounds' } as const;
    expect((await ask(telling(0, { member: 'b' }, bounded))).used).toEqual([8]);
    await pass(2 * STRETCH_MS);
    expect((await ask(telling(0, { member: 'b' }, bounded))).used).toEqual([0]);
  });

  it('counts stretches on where an ask does not name them', async () => {
    const { store, pass } = await makeStore();
    const ask = asker(store);
    await ask(telling(1, { member: 'b' }, { stretches: 'yes' }));
    await pass(2 * STRETCH_MS);
    await ask(telling(7));
    expect((await ask(telling(7, {}, { stretches: 'bounds', reading: 0 }))).used).toEqual([7]);
  });

  it('books what a leaving process tells, grants it nothing and forgets it', async () => {
    const { store } = await makeStore();
    const ask = asker(store);
    await ask({ want: 30 });
    await ask({ want: 30 });
    expect((await ask({ member: 'b', want: 1 })).others).toBe(1);
    const leaving = { ...asking({ want: 9, sequence: 3, isLeaving: true }), slots: [slotAsk({ total: 2 })] };
    expect(await store.take(leaving)).toMatchObject({ granted: [0], used: [2] });
    expect(await ask({ member: 'b', want: 30 })).toMatchObject({ others: 0, granted: [18] });
    expect(await store.take(asking({ sequence: 1, want: 0 }))).not.toBe('stale');
  });

  it('rounds numbers up that are not whole, and reads those that are none as the least', async () => {
    const { store } = await makeStore();
    const ask = asker(store);
    expect((await ask(telling(2.4, {}, { ttlMs: 999.5, limit: 20.9 }))).used).toEqual([3]);
    expect((await ask({ ...asking(), want: Number.NaN })).granted).toEqual([0]);
    const odd = { want: Infinity, need: -3, size: Number.NaN, chunk: 1e300, stayMs: Infinity, held: -1, urgent: -5 };
    expect(await ask({ member: 'b', ...odd })).toMatchObject({ granted: [20 - 3 + 3], urgent: { units: 0 } });
    await expect(store.pause(Number.NaN)).resolves.toBeUndefined();
  });
}
