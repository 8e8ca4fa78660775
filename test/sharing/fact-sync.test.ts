import { expect, it } from 'vitest';
import { ServerClock } from '../../src/quota/time/server-clock.ts';
import type { Member } from '../../src/share.ts';
import { Discovery } from '../../src/sharing/discovery.ts';
import { FactSync } from '../../src/sharing/fact-sync.ts';
import { Ledger } from '../../src/sharing/ledger.ts';
import { memoryStore } from '../../src/sharing/memory-store.ts';
import { virtualClock } from '../../src/testing/index.ts';
import { BEGIN, reading } from './support/small.ts';

it('a process believes what others tell of a limit until an answer names it, and the answer then', async () => {
  const clock = virtualClock({ wall: BEGIN });
  const time = new ServerClock();
  time.narrow(BEGIN, BEGIN, 0);
  const ledger = new Ledger(time, () => 0);
  const sync = new FactSync({ clock, time, learn: () => {} } as unknown as Member, ledger, new Discovery());
  const store = memoryStore(clock.wall);
  const limitTold = async (limit: string): Promise<number | undefined> => {
    await store.share(-1, new Map([['l:minute', limit]]));
    await sync.share(store, (work) => work());
    return ledger.windows.of('minute')?.limit;
  };
  expect([await limitTold('70'), await limitTold('80')]).toEqual([70, 80]);
  sync.read(reading({ limit: 100, sentAt: clock.now(), receivedAt: clock.now() }));
  expect([await limitTold('1000000'), await limitTold('5')]).toEqual([100, 100]);
});
