import { describe, expect, it } from 'vitest';
import { type MemoryStore, memoryStore } from '../../../src/sharing/store/memory-store.ts';
import { STRETCH_MS } from '../../../src/sharing/store/store.ts';
import { LONGEST_TTL_MS, STATE_LASTS_MS } from '../../../src/sharing/store/store-rules.ts';
import { asker, asking, BEGIN, slotAsk, telling, windowAsk } from '../../../src/testing/share/asking.ts';
import { storeContract } from '../store.contract.ts';

function makeWorld(): { readonly store: MemoryStore; now(): number; pass(ms: number): void } {
  let time = BEGIN;
  const now = (): number => time;
  const pass = (ms: number): void => {
    time += ms;
  };
  return { store: memoryStore(now), now, pass };
}

storeContract('the store in memory', memoryStore);

describe('the units of strangers', () => {
  it('are theirs still as far as they were not taken off: what a process tells of later are some of them', async () => {
    const { store, pass } = makeWorld();
    const ask = asker(store);
    const bounded = { limit: 100, bounds: 'both' } as const;
    await ask(telling(8, {}, { limit: 100, reading: 12 }));
    expect(await ask({ member: 'b', want: 2, windows: [windowAsk({ limit: 100 })] })).toMatchObject({ used: [14] });
    pass(STRETCH_MS);
    expect((await ask(telling(8, {}, bounded))).used).toEqual([12]);
    expect((await ask(telling(10, {}, bounded))).used).toEqual([12]);
  });

  it('are carried on from a step of a window that drains like those of processes', async () => {
    const ask = asker(makeWorld().store);
    const step = (number: number, reading: number) =>
      windowAsk({ name: `minute-drain-${number}`, drain: 10_000, limit: 100, reading });
    const windows = [step(1, -1), step(2, 50), step(3, -1)];
    expect((await ask({ want: 0, slots: [], windows })).used).toEqual([0, 50, 50]);
  });
});

it('a process is needy as long as the window is full that was in its way, and not one that had just enough room', async () => {
  const { store, pass } = makeWorld();
  const ask = asker(store);
  const windows = [windowAsk({ name: 's:1', limit: 5, ttlMs: 5_000 }), windowAsk({ limit: 6 })];
  const slots = [slotAsk({ windows: [0, 1] })];
  await ask({ windows, slots });
  expect(await ask({ member: 'b', windows, slots })).toMatchObject({ granted: [0] });
  expect((await ask({ want: 0 })).others).toBe(1);
  pass(6_000);
  expect((await ask({ want: 0 })).others).toBe(0);
});

describe('the memory of the store', () => {
  it('is changed when an operation is called, whether or not its promise is waited for', async () => {
    const { store } = makeWorld();
    const first = store.take(asking({ want: 15 }));
    const second = store.take(asking({ member: 'b', want: 15 }));
    expect(await second).toMatchObject({ granted: [5] });
    expect(await first).toMatchObject({ granted: [15] });
  });

  it('is empty after it was flushed', async () => {
    const { store } = makeWorld();
    const ask = asker(store);
    await ask({ want: 99, urgent: 1, isSign: true });
    await store.share(0, new Map([['lead', '1']]));
    await store.look('a');
    await store.pause(1_000);
    expect(store.size).toBeGreaterThan(8);
    store.flush();
    expect(store.size).toBe(0);
    expect(await ask()).toMatchObject({ version: 0, pauseMs: 0, used: [5] });
  });

  it('does not grow with processes and windows that are gone', async () => {
    const { store, pass } = makeWorld();
    let most = 0;
    for (let member = 0; member < 10_000; member++) {
      pass(500);
      await store.take(
        asking({
          ...{ member: `m${member}`, want: 30, isSign: member % 2 === 0 },
          windows: [windowAsk({ name: `s:${member}`, ttlMs: 5_000 })],
        }),
      );
      most = Math.max(most, store.size);
    }
    // 120 accounts of the last minute, 10 windows, 130 needy and 60 live processes, and what the sweep has not reached yet.
    expect(most).toBeLessThan(600);
  });

  it('keeps nothing of a process that left', async () => {
    const { store } = makeWorld();
    await store.take(asking());
    await store.take(asking({ want: 30, sequence: 2 }));
    const before = store.size;
    for (let member = 0; member < 100; member++) {
      await store.take(asking({ member: `m${member}`, isSign: true }));
      await store.take(asking({ member: `m${member}`, sequence: 2, isLeaving: true }));
    }
    expect(store.size).toBe(before);
  });

  it('knows which processes are needy as long as they ask in vain, however long that is', async () => {
    const { store, pass } = makeWorld();
    const rich = asker(store);
    const others = new Set<number>();
    for (let asks = 0; asks < 150; asks++) {
      pass(20_000);
      const windows = [windowAsk({ name: `s:${asks}`, ttlMs: 60_000 })];
      const answer = await rich({ want: 0, windows });
      if (asks > 0) others.add(answer.others);
      await store.take(asking({ member: 'poor', want: 99, stayMs: 30_000, sequence: asks + 1, windows }));
    }
    expect([...others]).toEqual([1]);
  });

  it('counts a thousand needy processes, and forgets all where there are more: one that is no longer needy, too', async () => {
    const withNeedy = (count: number) => {
      const clock = { now: BEGIN };
      const needy = new Map(
        Array.from({ length: count }, (_, nth) => [`m${nth}`, BEGIN + (nth === 0 ? 1_000 : 50_000)]),
      );
      const account = { sequence: 0, totals: new Map(), needyUntil: BEGIN + 50_000 };
      const store = memoryStore(() => clock.now, {
        members: [['needy', needy, BEGIN + 600_000]],
        accounts: [['m1', account, BEGIN + 600_000]],
      });
      return { clock, ask: asker(store) };
    };
    expect((await withNeedy(1_000).ask({ want: 0 })).others).toBe(1_000);
    const { clock, ask } = withNeedy(1_001);
    expect((await ask({ member: 'm1', want: 0 })).others).toBe(0);
    clock.now += 2_000;
    expect((await ask({ want: 0 })).others).toBe(0);
  });

  it('keeps facts for as long as their version, while processes ask', async () => {
    const { store, pass } = makeWorld();
    const ask = asker(store);
    const told = new Map([['l:minute', '90']]);
    await store.share(0, told);
    const justInTime = STATE_LASTS_MS - 1;
    for (let passed = 0; passed <= LONGEST_TTL_MS; passed += justInTime) {
      pass(justInTime);
      await ask({ version: 1 });
    }
    expect(await store.share(-1, new Map())).toMatchObject({ version: 1, facts: told });
    // Of an hour without an ask the facts are left, and a version that every process reads.
    pass(STATE_LASTS_MS);
    expect(await store.share(0, new Map())).toMatchObject({ version: 1, facts: told });
  });

  it('counts no process that asked by a clock that was set back since, and ends no look where there is none', async () => {
    const { store, pass } = makeWorld();
    const ask = asker(store);
    await ask({ member: 'b', want: 30, isSign: true });
    await ask({ member: 'c', want: 30 });
    expect(await ask({ want: 0, isSign: true })).toMatchObject({ live: 2, others: 2 });
    pass(-7_200_000);
    expect(await ask({ want: 0, isSign: true })).toMatchObject({ live: 1, others: 0 });
    await store.endLook('a');
    expect(await store.look('a')).toBe('granted');
  });

  it('goes on when its clock is set back', async () => {
    const { store, pass } = makeWorld();
    const ask = asker(store);
    await ask({ want: 30, urgent: 4, isSign: true, windows: [windowAsk({ limit: 100 })] });
    await store.pause(1_000);
    await store.look('b');
    pass(-7_200_000);
    expect(
      await ask({ slots: [], isSign: true, recentSince: 1, windows: [windowAsk({ bounds: 'both', reading: 0 })] }),
    ).toMatchObject({
      ...{ pauseMs: 0, lookMs: 0, others: 0, urgent: { units: 4, forMs: 0 }, used: [30] },
      live: 1,
    });
  });
});
