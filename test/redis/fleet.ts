import type { ClientEvent } from '../../src/events.ts';
import { type Client, createClient } from '../../src/index.ts';
import { type RedisShareOptions, redisShare } from '../../src/redis/index.ts';
import {
  createMockService,
  type MockService,
  type MockServiceOptions,
  seeded,
  type VirtualClock,
  virtualClock,
} from '../../src/testing/index.ts';
import { type MemoryRedis, memoryRedis } from './memory.ts';

const KEY = 'the-key-of-all';

/** Seven seconds into a minute, so that much of it is left. */
const START = Date.UTC(2026, 2, 10, 14, 0, 7);

/** Clients that share one key through a store in memory, all in virtual time. */
export interface Fleet {
  readonly clock: VirtualClock;
  readonly service: MockService;
  readonly redis: MemoryRedis;
  readonly clients: readonly Client[];
  readonly events: readonly (readonly ClientEvent[])[];
  /** What becomes of trips to the store: undefined, as they should. */
  wire: 'down' | 'frozen' | 'lying' | undefined;
  /** How far the store's clock is ahead, in milliseconds. */
  ahead: number;
  /** Calls that each client has made. */
  readonly made: readonly number[];
  /** Lets clients make so many calls together, 32 at a time each; resolves, in virtual time, when all are made. */
  work(calls: number, by?: readonly number[]): Promise<void>;
  /** Answers that refused. */
  readonly limited: number;
}

/** Makes a fleet of so many clients. */
export function fleetOf(
  size: number,
  options: MockServiceOptions = {},
  share: Partial<RedisShareOptions> = {},
  seed: number = 1,
): Fleet {
  const clock = virtualClock({ wall: START });
  const random = seeded(seed);
  const service = createMockService({
    ...{ clock, keys: [KEY], keyed: { second: 20, minute: 500 }, latencyMs: [25, 150], random: seeded(seed + 1_000) },
    ...options,
  });
  const events: ClientEvent[][] = Array.from({ length: size }, () => []);
  const made: number[] = new Array(size).fill(0);
  const redis = memoryRedis(
    () => clock.wall() + fleet.ahead,
    async (work) => {
      if (fleet.wire === 'down') throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
      await clock.sleep(0.2 + random() * 0.6);
      const reply = work();
      if (fleet.wire === 'frozen') await clock.sleep(60_000);
      await clock.sleep(0.2 + random() * 0.6);
      return fleet.wire === 'lying' ? JSON.stringify({ ...JSON.parse(reply), pause: 9e13 }) : reply;
    },
  );
  const clients = Array.from({ length: size }, (_, index) => {
    const origin = random() * 1e6;
    return createClient({
      baseUrl: service.origin,
      apiKey: KEY,
      fetch: service.fetch,
      clock: { now: () => clock.now() + origin, wall: () => clock.wall(), timer: (ms, fire) => clock.timer(ms, fire) },
      random,
      share: redisShare({ redis, name: 'fleet', ...share }),
      onEvent: (event) => void events[index]?.push(event),
    });
  });
  const fleet: Fleet = {
    ...{ clock, service, redis, clients, events, made, wire: undefined },
    // Redis has a clock of its own, and nobody knows how wrong it is.
    ahead: 123_456,
    async work(calls, by = clients.map((_, index) => index)) {
      let left = calls;
      const walk = async (index: number): Promise<void> => {
        while (left-- > 0) {
          await clients[index]?.getInfo({ maxWaitMs: Number.POSITIVE_INFINITY });
          made[index] = (made[index] ?? 0) + 1;
        }
      };
      await Promise.all(by.flatMap((index) => Array.from({ length: 32 }, () => walk(index))));
    },
    get limited() {
      return service.log.filter(({ limited }) => limited).length;
    },
  };
  return fleet;
}

/** The events of a share alone. */
export function ofShare(events: readonly ClientEvent[]): ClientEvent[] {
  return events.filter(({ type }) => type.startsWith('share'));
}
