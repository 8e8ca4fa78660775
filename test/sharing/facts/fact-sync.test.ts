import { describe, expect, it } from 'vitest';
import { aligned } from '../../../src/quota/models/aligned.ts';
import { SHAPES } from '../../../src/quota/models/all.ts';
import { firstRequest } from '../../../src/quota/models/first-request.ts';
import { leaky } from '../../../src/quota/models/leaky.ts';
import type { Shape } from '../../../src/quota/models/model.ts';
import type { SiblingFacts, WindowNews } from '../../../src/quota/share-limit.ts';
import { ServerClock } from '../../../src/quota/time/server-clock.ts';
import type { Member } from '../../../src/share.ts';
import { FactSync } from '../../../src/sharing/facts/fact-sync.ts';
import { Ledger } from '../../../src/sharing/ledger/ledger.ts';
import { memoryStore } from '../../../src/sharing/store/memory-store.ts';
import type { ShareStore } from '../../../src/sharing/store/store.ts';
import { type VirtualClock, virtualClock } from '../../../src/testing/index.ts';
import { ask, demand } from '../support/ledgers.ts';
import { BEGIN, reading } from '../support/small.ts';

interface World {
  readonly sync: FactSync;
  readonly ledger: Ledger;
  readonly store: ShareStore;
  readonly clock: VirtualClock;
  readonly time: ServerClock;
  /** What the client was told of other processes. */
  readonly learned: SiblingFacts[];
  /** Exchanges facts with the store. */
  share(): Promise<void>;
  /** Reads a window at an instant, in one millisecond. */
  read(news: Partial<WindowNews>, at?: number): void;
  /** What stands in the store. */
  stored(): Promise<Record<string, string>>;
}

/** A process that knows the service’s clock to so many milliseconds, and a store. */
function worldOf(vagueMs: number | 'unknown' = 0): World {
  const clock = virtualClock({ wall: BEGIN });
  const time = new ServerClock();
  if (vagueMs !== 'unknown') time.narrow(BEGIN - vagueMs / 2, BEGIN + vagueMs / 2, 0);
  const [ledger, learned] = [new Ledger(time, () => 0), [] as SiblingFacts[]];
  const member = { clock, time, learn: (facts: SiblingFacts) => void learned.push(facts) };
  const sync = new FactSync(member as unknown as Member, ledger);
  const store = memoryStore(clock.wall);
  return {
    ...{ sync, ledger, store, clock, time, learned },
    share: () => sync.share(store, (work) => work()),
    read: (news, at = clock.now()) => sync.read(reading({ limit: 100, sentAt: at, receivedAt: at + 1, ...news })),
    async stored() {
      const { facts } = await store.share(-1, new Map());
      return Object.fromEntries(facts ?? []);
    },
  };
}

const alive = (...shapes: readonly Shape[]): Pick<WindowNews, 'shapes'> => ({ shapes: { alive: shapes, epoch: 0 } });

it('a part of each limit is shared in whole units, at least one', () => {
  const { ledger } = worldOf();
  const partsOf = (limit: number): number[] =>
    [1, 0.25, 0.01].map((part) => new FactSync({} as Member, ledger, part).partOf(limit));
  expect([partsOf(500), partsOf(7), partsOf(1), partsOf(0)]).toEqual([
    [500, 125, 5],
    [7, 1, 1],
    [1, 1, 1],
    [0, 0, 0],
  ]);
});

describe('what a process believes of what others tell', () => {
  it('is no limit where others know the service’s clock and it does not: it would name other seconds', async () => {
    const known = async (vagueMs: number | 'unknown', told: string, limit = '100'): Promise<number> => {
      const { ledger, store, share } = worldOf(vagueMs);
      await store.share(-1, new Map([['l:minute', limit], ...(told ? [['lead', told] as const] : [])]));
      await share();
      return ledger.windows.size;
    };
    // What was told so long ago says nothing of the clock any more.
    const old = `-10 10 ${BEGIN - 10_800_000}`;
    expect([await known('unknown', old), await known(0, old), await known('unknown', '')]).toEqual([0, 1, 1]);
  });

  it('is a limit, until an answer names it, and the answer then', async () => {
    const { ledger, store, share, read } = worldOf();
    const limitTold = async (limit: string): Promise<number | undefined> => {
      await store.share(-1, new Map([['l:minute', limit]]));
      await share();
      return ledger.windows.of('minute')?.limit;
    };
    expect([await limitTold('70'), await limitTold('80')]).toEqual([70, 80]);
    read({});
    expect([await limitTold('1000000'), await limitTold('5')]).toEqual([100, 100]);
  });

  it('is a window that no answer has named, until one has named another', async () => {
    const { ledger, store, share, read, sync } = worldOf();
    const known = (): string[] => [...ledger.windows].map(({ period }) => period);
    await store.share(-1, new Map([['l:minute', '70']]));
    await share();
    sync.answered(100);
    expect(known()).toEqual(['minute']);
    read({ period: 'second', limit: 20 });
    sync.answered(200);
    expect(known()).toEqual(['second']);
    await store.share(-1, new Map([['l:hour', '700']]));
    await share();
    expect(known()).toEqual(['second']);
  });

  it('is a shape of a later epoch, or one fewer, and any where nothing is told', async () => {
    const { ledger, store, share, read } = worldOf();
    const shapes = async (told: string): Promise<string[] | undefined> => {
      await store.share(-1, new Map([['s:minute', told]]));
      await share();
      return ledger.windows.of('minute')?.shapes.alive.map(({ name }) => name);
    };
    await store.share(-1, new Map([['l:minute', '70']]));
    await share();
    expect(ledger.windows.of('minute')?.shapes).toEqual({ alive: SHAPES, epoch: 0 });
    // The bits of what is ruled out.
    expect(await shapes('0 19')).toEqual(['aligned', 'first-request']);
    read({ ...alive(aligned) });
    expect(await shapes('0 19')).toEqual(['aligned']);
    expect(await shapes('1 19')).toEqual(['aligned', 'first-request']);
    read({ shapes: { alive: [aligned, firstRequest], epoch: 2 } });
    expect(await shapes('1 27')).toEqual(['aligned', 'first-request']);
    expect(await shapes('2 27')).toEqual(['aligned']);
  });

  it('is no shape that it knows better, should a store have lost its memory', async () => {
    const { sync, ledger, share, read } = worldOf();
    await share();
    let version = 1;
    const shapesOnce = (told: string | undefined): string[] | undefined => {
      const shapes: [string, string][] = told === undefined ? [] : [['s:minute', told]];
      sync.hear({ version: ++version, now: BEGIN, facts: new Map([['l:minute', '70'], ...shapes]) });
      return ledger.windows.of('minute')?.shapes.alive.map(({ name }) => name);
    };
    read({ shapes: { alive: [aligned, firstRequest], epoch: 2 } });
    expect(shapesOnce(undefined)).toEqual(['aligned', 'first-request']);
    expect(shapesOnce('1 27')).toEqual(['aligned', 'first-request']);
    // As many of the same epoch are as good.
    expect(shapesOnce('2 11')).toEqual(['aligned', 'leaky']);
    expect(shapesOnce('2 27')).toEqual(['aligned']);
    expect(shapesOnce('2 19')).toEqual(['aligned']);
    expect(shapesOnce('3 19')).toEqual(['aligned', 'first-request']);
  });

  it('is told its client, and makes it ask anew', async () => {
    const { ledger, store, share, learned, clock } = worldOf();
    await share();
    expect(learned).toHaveLength(1);
    ledger.read(reading({ period: 'minute', limit: 100, sentAt: 0, receivedAt: 20 }));
    ask(ledger, demand(), [], 100);
    expect(ledger.policy.isLimited).toBe(true);
    await store.share(-1, new Map([['c:GET /a', '3']]));
    await clock.advance(200);
    await share();
    expect(learned.at(-1)?.costs).toEqual([['GET /a', 3]]);
    expect(ledger.policy.isLimited).toBe(false);
    // What has not changed is not told.
    await share();
    expect(learned).toHaveLength(2);
  });

  it('is nothing before the store’s clock is known, by which it is told', () => {
    const { sync, ledger, learned } = worldOf();
    sync.hear({ version: 1, now: BEGIN, facts: new Map([['l:minute', '70']]) });
    expect([learned, ledger.windows.size, sync.version]).toEqual([[], 0, 1]);
  });
});

describe('what a process tells others', () => {
  it('is the limits and the shapes that it has read', async () => {
    const { share, stored, read, ledger } = worldOf();
    read({ ...alive(aligned, firstRequest) });
    expect(ledger.windows.of('minute')?.limit).toBe(100);
    await share();
    expect(await stored()).toEqual({ 'l:minute': '100', 's:minute': '0 19' });
  });

  it('is that an endpoint costs a unit, two seconds after it has told anything, and at once that it costs more', async () => {
    const { sync, share, stored } = worldOf();
    expect(sync.isDue(0)).toBe(true);
    await share();
    expect(sync.isDue(5_000)).toBe(false);
    sync.tellCost('GET /a', 1);
    expect([sync.isDue(1_999), sync.isDue(2_000)]).toEqual([false, true]);
    await share();
    expect(await stored()).toEqual({ 'c:GET /a': '1' });
    expect(sync.isDue(5_000)).toBe(false);
    sync.tellCost('GET /b', 3);
    expect(sync.isDue(1)).toBe(true);
  });

  it('is a limit at once', async () => {
    const { sync, share, read } = worldOf();
    await share();
    read({});
    expect(sync.isDue(1)).toBe(true);
  });

  it('is recent for two seconds, and is asked about on request', async () => {
    const { sync, share } = worldOf();
    expect(sync.isRecent(0)).toBe(false);
    await share();
    expect([sync.isRecent(1_999), sync.isDue(1_999)]).toEqual([true, false]);
    expect([sync.isRecent(2_000), sync.isDue(2_000)]).toEqual([false, false]);
    sync.request();
    expect(sync.isDue(2_000)).toBe(true);
    await share();
    expect(sync.isDue(2_000)).toBe(false);
  });

  it('is an hourly trial, at the time of the store, once that is known', async () => {
    const { sync, share, stored, clock } = worldOf();
    sync.tellTrial(true);
    await share();
    expect(await stored()).toEqual({});
    await clock.advance(5_000);
    sync.tellTrial(true);
    await share();
    expect(Number((await stored())['r:trial']?.split(' ')[0])).toBeCloseTo(BEGIN + 5_000, -1);
  });

  it('is no window that no answer has named for ten minutes', () => {
    const { sync, ledger, read } = worldOf();
    read({ period: 'second', limit: 20 }, 0);
    read({}, 100);
    sync.answered(600_001);
    expect(ledger.windows.size).toBe(2);
    sync.answered(600_002);
    expect([...ledger.windows].map(({ period }) => period)).toEqual(['minute']);
    sync.answered(9e9);
    expect(ledger.windows.size).toBe(0);
  });

  describe('of the service’s clock', () => {
    /** A process that has exchanged facts; `busy`: it lacks units. */
    async function synced(vagueMs: number | 'unknown', busy = false): Promise<World> {
      const world = worldOf(vagueMs);
      await world.share();
      if (busy) {
        world.ledger.read(reading({ period: 'minute', limit: 100, sentAt: 0, receivedAt: 20 }));
        ask(world.ledger, demand(), [], 100);
      }
      return world;
    }

    it('is nothing where it does not know it, or not that of the store', async () => {
      expect((await synced('unknown')).sync.tellsClock(0)).toBe(false);
      expect(worldOf(40).sync.tellsClock(0)).toBe(false);
    });

    it('is nothing where no answer had a date, though the end of a second tells it', async () => {
      const { sync, time } = await synced('unknown');
      time.observeEnd('second', BEGIN + 1_000, 0, 0);
      expect([time.known, sync.tellsClock(0)]).toEqual([true, false]);
    });

    it('is how far it is ahead of the store’s, where nobody has told it', async () => {
      const world = await synced(40);
      await world.clock.advance(1_000);
      expect(world.sync.tellsClock(1_000)).toBe(true);
      await world.share();
      const [least = 0, most = 0, at = 0] = ((await world.stored()).lead ?? '').split(' ').map(Number);
      // Both clocks show the same.
      expect([least, most].map((each) => Math.round(each / 10))).toEqual([-2, 2]);
      expect(at).toBeCloseTo(BEGIN + 1_000, -1);
      expect(world.learned.at(-1)?.lead?.least).toBeCloseTo(BEGIN + least, -1);
    });

    it('is nothing more where it is known, unless units are lacked and the others know it vaguely', async () => {
      const tells = async (known: number, vagueMs: number, busy: boolean): Promise<boolean> => {
        const { sync, store, share } = await synced(vagueMs, busy);
        await store.share(-1, new Map([['lead', `${-known / 2} ${known / 2} ${BEGIN}`]]));
        await share();
        return sync.tellsClock(150);
      };
      expect(await tells(1_000, 40, false)).toBe(false);
      expect(await tells(1_000, 40, true)).toBe(true);
      // Three quarters of it, which only a process needs whose requests are under way for less than that.
      expect(await tells(1_000, 600, true)).toBe(true);
      expect(await tells(1_000, 800, true)).toBe(false);
    });

    it('is nothing of a vague one where requests are under way for as long as it is vague', async () => {
      const world = await synced(600, true);
      await world.store.share(-1, new Map([['lead', `-500 500 ${BEGIN}`]]));
      await world.share();
      for (let count = 0; count < 9; count++) world.ledger.timeline.addRoundTrip(900);
      expect(world.sync.tellsClock(150)).toBe(false);
    });
  });
});

describe('what a process reads of a window’s shape', () => {
  it('is none of the calendar’s where an hour goes on beyond what the store has booked since the calendar’s began, and all are told', async () => {
    const { ledger, learned, stored, share, read } = worldOf();
    const AFTER_MS = 60_000;
    const shapes = { alive: [aligned, firstRequest], epoch: 0 };
    read({ period: 'hour', used: 30, shapes }, -600_000);
    ask(ledger, demand(), [1], AFTER_MS);
    read({ period: 'hour', used: 31, shapes }, AFTER_MS + 10);
    expect(learned).toEqual([{ shapes: [{ period: 'hour', alive: [firstRequest], epoch: 0 }] }]);
    await share();
    expect(await stored()).toMatchObject({ 's:hour': '0 23' });
  });

  it('is the calendar’s where usage drops at the beginning of a minute, and its client is told', async () => {
    const { ledger, read, learned } = worldOf();
    read({ used: 90, ...alive(aligned, leaky) }, 59_000);
    expect(learned).toEqual([]);
    read({ used: 1, ...alive(aligned, leaky) }, 60_100);
    expect(ledger.windows.of('minute')?.shapes.alive).toEqual([aligned]);
    expect(learned).toEqual([{ shapes: [{ alive: [aligned], epoch: 0, period: 'minute' }] }]);
  });

  it('is what its client says where no clock is known', () => {
    const { ledger, read } = worldOf('unknown');
    read({ used: 90, ...alive(aligned, leaky) }, 59_000 + BEGIN);
    read({ used: 1, ...alive(aligned, leaky) }, 60_100 + BEGIN);
    expect(ledger.windows.of('minute')?.shapes.alive).toHaveLength(2);
  });
});
