import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join as pathOf } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Clock } from '../../src/clock.ts';
import { systemClock } from '../../src/clock.ts';
import { fixedShare, localShare } from '../../src/local/index.ts';
import type { Lease } from '../../src/quota/admission.ts';
import { ClientWide } from '../../src/quota/client-wide.ts';
import { aligned } from '../../src/quota/models/aligned.ts';
import { Pacer } from '../../src/quota/pacer.ts';
import type { ShareLimit } from '../../src/quota/share-limit.ts';
import { ServerClock } from '../../src/quota/time/server-clock.ts';
import { redisShare } from '../../src/redis/index.ts';
import { type Membership, type QuotaShare, URGENT, wholeShare } from '../../src/share.ts';
import { memoryStore } from '../../src/sharing/store/memory-store.ts';
import { storeShare } from '../../src/sharing/store-share.ts';
import { hasRedis, type RedisServer, startRedis } from '../redis/support/server.ts';

/** A minute of which ten units are left to the processes that share it; longer than any of these tests takes. */
const LIMIT = 10;
const SHAPES = { alive: [aligned], epoch: 0 } as const;

/** One member of a share, with what a pacer would do to its part. */
interface Player {
  readonly part: ShareLimit;
  readonly membership: Membership;
  /** The leases of as many single units as its part allows, when it has had time to fetch what it can. */
  take(most: number): Promise<Lease[]>;
  settle(lease: Lease, units: number): void;
  waiting: number;
}

const directory = mkdtempSync(pathOf(tmpdir(), 'share-contract-'));

let server: RedisServer;
let redis: Redis;
let count = 0;
const joined: Membership[] = [];

beforeAll(async () => {
  if (!hasRedis) return;
  server = await startRedis();
  redis = new Redis(server.url);
});

afterAll(async () => {
  // A host that stays makes its directory anew.
  await Promise.all(joined.map((membership) => membership.leave()));
  redis?.disconnect();
  await server?.stop();
  rmSync(directory, { recursive: true, force: true });
});

const KINDS: readonly { readonly kind: string; readonly players: number; readonly make: () => () => QuotaShare }[] = [
  { kind: 'whole', players: 1, make: () => () => wholeShare },
  { kind: 'a fixed part, of all', players: 1, make: () => () => fixedShare(1) },
  {
    kind: 'leased from a store in memory',
    players: 3,
    make: () => {
      const store = memoryStore(Date.now);
      return () => storeShare({ storeOf: () => store, mode: 'partial', processes: 8, timeoutMs: 2_000 });
    },
  },
  {
    kind: 'leased on this machine, without Redis',
    players: 3,
    make: () => {
      const name = `contract-${count++}`;
      return () => localShare({ name, directory });
    },
  },
  {
    kind: 'leased from a real server',
    players: 3,
    make: () => {
      const name = `contract-${count++}`;
      return () => redisShare({ redis: redis as never, name, timeoutMs: 2_000 });
    },
  },
];

describe.each(KINDS.filter(({ kind }) => hasRedis || !kind.includes('real')))(
  'a share that is $kind',
  ({ make, players }) => {
    const clock: Clock = systemClock;

    /** Members that have all seen a minute, of which one unit is used. */
    async function join(size = players): Promise<Player[]> {
      const share = make();
      const all = Array.from({ length: size }, () => player(share()));
      const [first] = all;
      const [lease] = (await first?.take(1)) ?? [];
      if (!lease || !first) throw new Error('the first request may always go');
      for (const { part } of all) tellOf(part, 1);
      first.settle(lease, 1);
      return all;
    }

    function tellOf(part: ShareLimit, used: number): void {
      const now = clock.now();
      part.read({
        period: 'minute',
        limit: LIMIT,
        used,
        own: 1,
        isRefused: false,
        sentAt: now,
        receivedAt: now,
        shapes: SHAPES,
      });
    }

    function player(share: QuotaShare): Player {
      const time = new ServerClock();
      // The service's clock is known well, and the middle of a minute is far from its ends.
      time.narrow(30_000 - clock.now(), 30_001 - clock.now(), clock.now());
      const membership = share.join({
        clock,
        random: () => 0.5,
        time,
        credential: async () => 'the credential of all',
        waiting: (rank) => (rank === URGENT ? 0 : self.waiting),
        concurrency: 32,
        learn: () => {},
        wake: () => {},
        tell: () => {},
      });
      joined.push(membership);
      const { part } = membership;
      const self: Player = {
        part,
        membership,
        waiting: 0,
        async take(most) {
          const leases: Lease[] = [];
          self.waiting = most;
          for (let tries = 0; tries < 40 && leases.length < most; tries++) {
            const now = clock.now();
            if (!part.check({ endpoint: 'GET /a', units: 1, priority: 0 }, now)) {
              const lease = { endpoint: 'GET /a', sentAt: now, units: 1 };
              part.onSent(lease, now);
              leases.push(lease);
              self.waiting--;
            } else await new Promise((resolve) => setTimeout(resolve, 15));
          }
          self.waiting = 0;
          return leases;
        },
        settle: (lease, units) => part.onEnded(lease, units, true, clock.now()),
      };
      return self;
    }

    it('allows a first request to a service that no process knows yet', async () => {
      const one = player(make()());
      expect(await one.take(1)).toHaveLength(1);
    });

    it('grants something to each process that asks, and to all together no more than the window holds', async () => {
      const all = await join();
      const taken = await Promise.all(all.map((one) => one.take((LIMIT - 1) / 3)));
      for (const leases of taken) expect(leases.length).toBeGreaterThan(0);
      if (players > 1) expect(taken.flat().length).toBeLessThanOrEqual(LIMIT - 1);
    });

    it('takes nothing from a process that only asks', async () => {
      const [one] = await join(1);
      if (!one) throw new Error('there is one');
      for (let asked = 0; asked < 100; asked++)
        one.part.check({ endpoint: 'GET /a', units: 1, priority: 0 }, clock.now());
      expect(await one.take(LIMIT - 1)).toHaveLength(LIMIT - 1);
    });

    it('has back what was not sent', async () => {
      const [one] = await join(1);
      if (!one) throw new Error('there is one');
      for (const lease of await one.take(LIMIT - 1)) one.settle(lease, 0);
      expect((await one.take(LIMIT - 1)).length).toBe(LIMIT - 1);
    });

    it('gives back what it holds when its member leaves, as often as it may', async () => {
      const all = await join();
      const [one, other] = all;
      const leases = (await one?.take(2)) ?? [];
      for (const lease of leases) one?.settle(lease, 1);
      await one?.membership.leave();
      await one?.membership.leave();
      const last = other ?? (await join(1))[0];
      expect((await last?.take(5))?.length).toBe(5);
    });

    it('lets a call wait that would wait for the rest of the window', async () => {
      const [one] = await join(1);
      if (!one) throw new Error('there is one');
      await one.take(LIMIT);
      const pacer = new Pacer({ clientWide: new ClientWide(50), leaseMs: 1_000, shareLimit: one.part });
      const { kind } = pacer.admit({ endpoint: 'GET /a', maxWaitMs: 60_000 }, clock.now());
      expect(['granted', 'wait']).toContain(kind);
    });
  },
);
