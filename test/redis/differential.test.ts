import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scriptRunner } from '../../src/redis/connection.ts';
import { keysOf } from '../../src/redis/keys.ts';
import { redisStore } from '../../src/redis/redis-store.ts';
import { memoryStore } from '../../src/sharing/store/memory-store.ts';
import type { ShareAsk, ShareStore, WindowAsk } from '../../src/sharing/store/store.ts';
import { seeded } from '../../src/testing/latency.ts';
import { asking, BEGIN, slotAsk } from '../../src/testing/share/asking.ts';
import { runs } from '../support/deep.ts';
import { hasRedis, type RedisServer, startRedis } from './support/server.ts';
import { timedStore } from './support/timed-store.ts';

const MEMBERS = ['a', 'b', 'c'];
/** Redis keeps several windows in one key, by the number that their names end in: some of these are kept together. */
const WINDOWS = [
  'second:1',
  'second:2',
  'minute:1',
  'month:1',
  'minute-30',
  'minute-31',
  'minute-32',
  'minute-40',
  'x',
];
const ASKED = 4;

const units = (max: number): fc.Arbitrary<number> => fc.integer({ min: 0, max });
const member = fc.constantFrom(...MEMBERS);

const terms = {
  limit: fc.oneof({ weight: 9, arbitrary: fc.constant(40) }, { weight: 1, arbitrary: fc.constantFrom(3, 100) }),
  kept: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: units(25) }),
  ttlMs: fc.constantFrom(500, 8_000, 65_000, 3_600_000),
  reading: fc.oneof({ weight: 3, arbitrary: fc.constant(-1) }, { weight: 1, arbitrary: units(30) }),
  bounds: fc.constantFrom('below' as const, 'both' as const, 'above' as const),
};

const names = fc.oneof(
  { weight: 2, arbitrary: fc.constant(WINDOWS.slice(0, ASKED)) },
  { weight: 1, arbitrary: fc.shuffledSubarray(WINDOWS, { minLength: ASKED, maxLength: ASKED }) },
);

/** Steps of a window that drains follow each other, in one key or in two. */
const steps = fc
  .tuple(
    fc.integer({ min: 28, max: 33 }),
    fc.array(fc.record({ ...terms, bounds: fc.constant('below' as const) }), { maxLength: 4 }),
    fc.constantFrom(500, 3_000, 11_700),
  )
  .map(([first, each, drain]) =>
    each.map((rest, at): WindowAsk => ({ ...rest, name: `minute-drain-${first + at}`, drain: at === 0 ? 0 : drain })),
  );

/** Instances of a window that slides follow each other in number, and in one key or in two; or one is left out. */
const instances = fc
  .tuple(
    fc.constantFrom([30, 31, 32], [31, 32, 33], [30, 32, 33], [33, 31, 32]),
    fc.record(terms),
    fc.constantFrom(1_000, 2_000, 3_000, undefined),
  )
  .map(([numbers, rest, slidBy]) =>
    numbers.map((number): WindowAsk => ({ ...rest, name: `day-${number}`, ...(slidBy && { slidBy }) })),
  );

const windows = fc
  .tuple(
    names,
    fc.array(fc.record(terms), { minLength: ASKED, maxLength: ASKED }),
    fc.boolean(),
    fc.oneof({ weight: 1, arbitrary: steps }, { weight: 1, arbitrary: instances }),
  )
  .map(([all, each, isEven, numbered]) => [
    ...numbered,
    ...all.map(
      (name, index): WindowAsk => ({ ...((isEven ? each[0] : each[index]) as Omit<WindowAsk, 'name'>), name }),
    ),
  ]);

const slots = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom('1', '2', '11', '1+1', 'f-2:0'),
    total: fc.oneof({ weight: 9, arbitrary: units(3) }, { weight: 1, arbitrary: units(60) }),
    wish: fc.constantFrom(0 as const, 1 as const, 2 as const, 3 as const),
    to: fc.constantFrom(500, 1_000, 1_500, 1_501, 2_000, 2_001, 5_000),
    windows: fc.uniqueArray(fc.integer({ min: 0, max: ASKED - 1 }), { minLength: 1, maxLength: 3 }),
  }),
  { selector: ({ name }) => name, maxLength: 5 },
);

const ask = fc.record({
  ...{ member, windows, slots, want: units(25), need: fc.integer({ min: 1, max: 4 }) },
  size: fc.constantFrom(3, 20),
  chunk: units(5),
  stayMs: fc.constantFrom(500, 1_500, 90_000),
  held: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: units(12) }),
  urgent: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: units(5) }),
  usual: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: units(5) }),
  recentSince: fc.constantFrom(0, BEGIN, BEGIN + 4_000, BEGIN + 15_000, BEGIN + 100_000, BEGIN + 1e12),
  isSign: fc.boolean(),
  isLeaving: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
});

const fact = fc.tuple(
  fc.constantFrom('l:minute', 's:minute', 's:month', 'lead', 'c:GET /x', 'nonsense'),
  fc.constantFrom('0 1', '0 6', '1 8', '2 2147483647', '7', 'text'),
);

const trips = fc.array(
  fc.record({
    ticks: fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(0, 500, 1_500) },
      {
        weight: 1,
        arbitrary: fc.constantFrom(4_000, 60_000, 130_000, 700_000, 3_600_000, -2_000, -60_000, -7_200_000),
      },
    ),
    /** How the sequence and the version differ from those that would be right. */
    late: fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constantFrom(-1, -2) }),
    behind: fc.oneof({ weight: 15, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constantFrom(1, 3) }),
    trip: fc.oneof(
      { weight: 30, arbitrary: fc.record({ take: ask }) },
      { weight: 1, arbitrary: fc.record({ share: fc.array(fact, { maxLength: 4 }) }) },
      { weight: 1, arbitrary: fc.record({ look: member }) },
      { weight: 1, arbitrary: fc.record({ endLook: member }) },
      { weight: 1, arbitrary: fc.record({ pause: fc.constantFrom(0, 500, 500, 2_000) }) },
      { weight: 1, arbitrary: fc.record({ resume: member }) },
      { weight: 3, arbitrary: fc.record({ resumed: fc.constant(true) }) },
    ),
  }),
  { minLength: 5, maxLength: 50, size: 'max' },
);

type Step = typeof trips extends fc.Arbitrary<(infer T)[]> ? T : never;

/** Makes one trip to a store. */
async function go(store: ShareStore, { trip }: Step, sequence: number, version: number): Promise<unknown> {
  if ('take' in trip) return store.take({ ...trip.take, sequence, version } satisfies ShareAsk);
  if ('share' in trip) return store.share(version, new Map(trip.share));
  if ('look' in trip) return store.look(trip.look, version);
  if ('endLook' in trip) return store.endLook(trip.endLook);
  if ('pause' in trip) return store.pause(trip.pause);
  if ('resume' in trip) return store.resume(trip.resume);
  return store.resumed();
}

describe.skipIf(!hasRedis)('the scripts and the store in memory', () => {
  let server: RedisServer;
  let redis: Redis;

  beforeAll(async () => {
    server = await startRedis();
    redis = new Redis(server.url);
  });

  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });

  it('give the same answers, whatever is asked and however the clock goes', async () => {
    let asks = 0;
    let grants = 0;
    await fc.assert(
      fc.asyncProperty(trips, async (steps) => {
        let time = BEGIN;
        let lastEnd = 0;
        let version = 0;
        const sequences = new Map<string, number>();
        /** When windows end: several of them may be in one key. */
        const ends = new Set<number>();
        const { store, expire } = timedStore(redis as never, () => time);
        const memory = memoryStore(() => time);
        for (const step of steps) {
          // What has ended may still be there, or not, when the clock is set back behind its end.
          time = Math.max(time + step.ticks, lastEnd);
          lastEnd = Math.max(await expire(), ...[...ends].filter((end) => end <= time));
          const name = 'take' in step.trip ? step.trip.take.member : '';
          const sequence = Math.max(1, (sequences.get(name) ?? 0) + 1 + step.late);
          sequences.set(name, Math.max(sequence, sequences.get(name) ?? 0));
          const known = version - step.behind;
          const expected = await go(memory, step, sequence, known);
          for (const [, , until] of memory.state.windows ?? []) ends.add(until);
          expect(await go(store, step, sequence, known)).toEqual(expected);
          const answer = (expected ?? {}) as { version?: number; granted?: readonly number[] };
          version = answer.version ?? version;
          if (!answer.granted) continue;
          asks++;
          if (answer.granted.some((granted) => granted > 0)) grants++;
        }
      }),
      { numRuns: runs(20, 300) },
    );
    expect(asks).toBeGreaterThan(runs(250, 4_000));
    expect(grants / asks).toBeGreaterThan(0.1);
  });

  it('give the same answers by the clock of Redis', async () => {
    const random = seeded(7);
    const int = (below: number): number => Math.floor(random() * below);
    const store = redisStore(scriptRunner(redis as never), keysOf(randomUUID(), 'secret', 'key'));
    let time = 0;
    const memory = memoryStore(() => time);
    for (let sequence = 1; sequence <= runs(250, 1_000); sequence++) {
      const name = `window:${Math.floor(sequence / 50)}`;
      const rest = { ttlMs: 3_600_000, kept: 0, bounds: 'both', limit: 40 } as const;
      const made = asking({
        ...{
          member: `m${int(4)}`,
          sequence,
          want: int(12),
          need: 1 + int(2),
          urgent: int(2),
          usual: int(2),
          stayMs: 60_000,
          recentSince: time - 5_000 * int(8),
        },
        slots: [0, 1].map((index) => slotAsk({ name: `${name}:${index}`, total: int(4), windows: [index, 2] })),
        windows: [0, 1, 2].map((index) => ({ ...rest, name: `${name}:${index}`, reading: int(30) - 10 })),
      });
      const answer = await store.take(made);
      if (answer !== 'stale') time = answer.now;
      expect(answer).toEqual(await memory.take(made));
    }
  });
});
