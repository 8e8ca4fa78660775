import type { ClientEvent } from '../../../src/events.ts';
import { type Client, createClient } from '../../../src/index.ts';
import { SHAPES } from '../../../src/quota/models/all.ts';
import type { Period } from '../../../src/quota/time/periods.ts';
import { memoryStore } from '../../../src/sharing/store/memory-store.ts';
import type { ShareStore } from '../../../src/sharing/store/store.ts';
import { type StoreShareOptions, storeShare } from '../../../src/sharing/store-share.ts';
import {
  createMockService,
  type MockService,
  type MockServiceOptions,
  seeded,
  type VirtualClock,
  virtualClock,
  type WindowKind,
} from '../../../src/testing/index.ts';
import { distant } from './distant.ts';

const KEY = 'the-key-of-all';

/** Seven seconds into a minute, so that much of it is left. */
const START = Date.UTC(2026, 2, 10, 14, 0, 7);

/** The fact that all shapes are ruled out but this one. */
function onlyShape(name: string): string {
  return `1 ${SHAPES.reduce((bits, shape) => (shape.name === name ? bits : bits | (1 << shape.bit)), 0)}`;
}

/** Clients that share one key through a store in memory, all in virtual time. */
export interface Fleet {
  readonly clock: VirtualClock;
  readonly service: MockService;
  /** Forgets all that the store knows. */
  readonly flush: () => void;
  /** Calls of the store. */
  trips: number;
  readonly clients: readonly Client[];
  /** The events of each client, if the fleet {@link FleetTerms.keepsEvents keeps} them. */
  readonly events: readonly (readonly ClientEvent[])[];
  /** What becomes of trips to the store: undefined, as they should. `held`: the store executes them once it goes on. */
  wire: 'down' | 'frozen' | 'held' | 'lying' | undefined;
  /** What becomes of the answer to a call of the store, by its number: lost, or late by so many milliseconds. */
  answers: ((call: number) => 'lost' | number) | undefined;
  /** How far the store's clock is ahead, in milliseconds. */
  ahead: number;
  /** Lets a client never be heard of again: neither its store nor the service answers it any more. */
  die(index: number): void;
  /** Sends a request of a consumer that is no client of the fleet, with the same key; resolves with whether it was refused. */
  foreign(): Promise<boolean>;
  /** Calls that each client has made. */
  readonly made: readonly number[];
  /** Lets clients make so many calls together, 32 at a time each; resolves, in virtual time, when all are made. */
  work(calls: number, by?: readonly number[]): Promise<void>;
  /** Answers that refused. */
  readonly limited: number;
}

/** How a fleet begins. */
export interface FleetTerms {
  /** What the wall clock shows at the start, in milliseconds since the Unix epoch. */
  readonly start?: number;
  /** Whether the clients know of each other. */
  readonly isShared?: boolean;
  /** Where random numbers begin. */
  readonly seed?: number;
  /** Periods of which the store knows already that their windows are the calendar's; it knows the service's clock to 20 ms then. */
  readonly calendar?: readonly Period[];
  /** Other shapes that it knows already. */
  readonly shapes?: { readonly [P in Period]?: WindowKind };
  /** How much longer than for others a call of the store takes for a client, by its number, in milliseconds. */
  readonly farther?: (index: number) => number;
  /** Whether the store says that it is near. */
  readonly isNear?: boolean;
  /** Whether events are kept: without a listener a client makes none, which takes less time. */
  readonly keepsEvents?: boolean;
}

/** Makes a fleet of so many clients. */
export function fleetOf(
  size: number,
  options: MockServiceOptions = {},
  share: Partial<StoreShareOptions> = {},
  {
    start = START,
    isShared = true,
    seed = 1,
    calendar = [],
    shapes = {},
    farther = () => 0,
    isNear = false,
    keepsEvents = false,
  }: FleetTerms = {},
): Fleet {
  const clock = virtualClock({ wall: start });
  const random = seeded(seed);
  const service = createMockService({
    ...{ clock, keys: [KEY], keyed: { second: 20, minute: 500 }, latencyMs: [25, 150], random: seeded(seed + 1_000) },
    ...options,
  });
  const events: ClientEvent[][] = Array.from({ length: size }, () => []);
  const made: number[] = new Array(size).fill(0);
  const store = memoryStore(() => clock.wall() + fleet.ahead);
  const onTheWire = async <T>(fartherMs: number, work: () => Promise<T>): Promise<T> => {
    const number = ++fleet.trips;
    if (fleet.wire === 'down') throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    await clock.sleep(0.2 + random() * 0.6 + fartherMs / 2);
    while (fleet.wire === 'held') await clock.sleep(10);
    const answer = await work();
    const fate = fleet.answers?.(number) ?? 0;
    if (fleet.wire === 'frozen' || fate === 'lost') await clock.sleep(3_600_000);
    await clock.sleep(0.2 + random() * 0.6 + fartherMs / 2 + (fate === 'lost' ? 0 : fate));
    return answer;
  };
  const dead = new Set<number>();
  const never = new Promise<never>(() => {});
  const wiredOf = (index: number): ShareStore =>
    distant(store, async (work) => {
      if (dead.has(index)) return never;
      const answer = await onTheWire(farther(index), work);
      const isTold = typeof answer === 'object' && answer !== null && 'pauseMs' in answer;
      return fleet.wire === 'lying' && isTold ? { ...answer, pauseMs: 9e13 } : answer;
    });
  const clients = Array.from({ length: size }, (_, index) => {
    const origin = random() * 1e6;
    const wired = wiredOf(index);
    return createClient({
      baseUrl: service.origin,
      apiKey: KEY,
      fetch: (input, init) => (dead.has(index) ? never : service.fetch(input, init)),
      clock: { now: () => clock.now() + origin, wall: () => clock.wall(), timer: (ms, fire) => clock.timer(ms, fire) },
      random,
      ...(!isShared
        ? {}
        : {
            share: storeShare({
              storeOf: () => (isNear ? { ...wired, isNear } : wired),
              mode: 'partial',
              processes: 8,
              timeoutMs: 50,
              ...share,
            }),
          }),
      ...(keepsEvents ? { onEvent: (event: ClientEvent) => void events[index]?.push(event) } : {}),
    });
  });
  const fleet: Fleet = {
    ...{
      clock,
      service,
      clients,
      events,
      made,
      wire: undefined,
      answers: undefined,
      trips: 0,
      flush: () => store.flush(),
      die: (index) => void dead.add(index),
    },
    // Redis has a clock of its own, whose error is not known.
    ahead: 123_456,
    async foreign() {
      const { status } = await service.fetch(`${service.origin}/extended/v1/info`, { headers: { 'x-api-key': KEY } });
      return status === 429;
    },
    async work(calls, by = clients.map((_, index) => index)) {
      let left = calls;
      const walk = async (index: number): Promise<void> => {
        while (left-- > 0) {
          await clients[index]?.getInfo({ maxWaitMs: Infinity });
          made[index] = (made[index] ?? 0) + 1;
        }
      };
      await Promise.all(by.flatMap((index) => Array.from({ length: 32 }, () => walk(index))));
    },
    get limited() {
      return service.log.filter(({ limited }) => limited).length;
    },
  };
  if (calendar.length > 0) {
    const lead = `${-fleet.ahead - 10} ${-fleet.ahead + 10} ${start + fleet.ahead}`;
    const known = Object.entries({ ...Object.fromEntries(calendar.map((period) => [period, 'aligned'])), ...shapes });
    void store.share(
      -1,
      new Map([['lead', lead], ...known.map(([period, shape]) => [`s:${period}`, onlyShape(shape)] as const)]),
    );
  }
  return fleet;
}

/** The events of a share alone. */
export function ofShare(events: readonly ClientEvent[]): ClientEvent[] {
  return events.filter(({ type }) => type.startsWith('share'));
}
