import type { ClientEvent } from '../../../src/events.ts';
import type { Hold, Lease, Reason } from '../../../src/quota/admission.ts';
import { aligned } from '../../../src/quota/models/aligned.ts';
import type { SiblingFacts, WindowNews } from '../../../src/quota/share-limit.ts';
import { ServerClock } from '../../../src/quota/time/server-clock.ts';
import { type Rank, URGENT } from '../../../src/share.ts';
import { SharedQuota, type SharedQuotaOptions } from '../../../src/sharing/shared-quota.ts';
import { memoryStore } from '../../../src/sharing/store/memory-store.ts';
import type { Answer, ShareAsk, ShareStore } from '../../../src/sharing/store/store.ts';
import { type VirtualClock, virtualClock } from '../../../src/testing/index.ts';
import { BEGIN, reading } from './small.ts';

export interface World {
  readonly clock: VirtualClock;
  readonly store: ShareStore;
  /** The operations of the store, in order, each with the name of the process. */
  readonly trips: string[];
  /** The asks that the store was sent, in order. */
  readonly asks: ShareAsk[];
  /** Whether the store fails. */
  isAway: boolean;
  /** What the store answers instead, and by whatever delay. */
  answer: ((ask: ShareAsk, answer: Answer | 'stale') => Answer | 'stale' | Promise<Answer | 'stale'>) | undefined;
  /** What the store says where a look is asked for. */
  look: 'granted' | 'over' | number | undefined;
}

export interface Process {
  readonly part: SharedQuota;
  readonly learned: SiblingFacts[];
  readonly events: ClientEvent[];
  waiting: number;
  urgentWaiting: number;
  woken: number;
  /** What holds a call of so many units back; undefined: it may go. */
  check(units?: number, maxWaitMs?: number, priority?: number): Hold | undefined;
  /** Sends a request that costs so much. */
  send(units?: number): Lease;
  /** Sends as many requests as it may within 0.6 s. */
  take(most: number): Promise<Lease[]>;
  /** Why a call of so many units is held. */
  why(units?: number): Reason | undefined;
  end(lease: Lease, units?: number, isServed?: boolean): void;
  read(news?: Partial<WindowNews>): void;
}

/** A store whose clock shows the beginning of a minute. */
export function worldOf(): World {
  const clock = virtualClock({ wall: BEGIN });
  const memory = memoryStore(clock.wall);
  const [trips, asks] = [[] as string[], [] as ShareAsk[]];
  const made = <T>(name: string, work: () => Promise<T>): Promise<T> => {
    trips.push(name);
    return world.isAway ? Promise.reject(new Error('LOADING')) : work();
  };
  const store: ShareStore = {
    take: (ask) =>
      made('take', async () => {
        asks.push(ask);
        const answer = await memory.take(ask);
        return world.answer ? world.answer(ask, answer) : answer;
      }),
    share: (version, tell) => made('share', () => memory.share(version, tell)),
    look: (member, version) => made('look', async () => world.look ?? memory.look(member, version)),
    endLook: (member) => made('endLook', () => memory.endLook(member)),
    pause: (ms) => made('pause', () => memory.pause(ms)),
    resume: (member) => made('resume', () => memory.resume(member)),
    resumed: () => made('resumed', () => memory.resumed()),
  };
  const world: World = { clock, store, trips, asks, isAway: false, answer: undefined, look: undefined };
  return world;
}

/** A process of the share that knows the service’s clock. */
export function processOf(
  { clock, store }: World,
  options: Partial<SharedQuotaOptions> & { isVague?: boolean } = {},
): Process {
  const time = new ServerClock();
  const { isVague = false, ...rest } = options;
  if (!isVague) time.narrow(BEGIN, BEGIN, 0);
  const [learned, events] = [[] as SiblingFacts[], [] as ClientEvent[]];
  const member = {
    ...{ clock, time, random: () => 0.5, credential: async () => 'a', concurrency: 32 },
    waiting: (rank?: Rank) => (rank === URGENT ? process.urgentWaiting : process.waiting),
    learn: (facts: SiblingFacts) => void learned.push(facts),
    wake: () => void process.woken++,
    tell: (event: ClientEvent) => void events.push(event),
  };
  const part = new SharedQuota(member, {
    ...{ store: async () => store, mode: 'partial', processes: 4, timeoutMs: 50 },
    ...rest,
  });
  const process: Process = {
    ...{ part, learned, events, waiting: 0, urgentWaiting: 0, woken: 0 },
    check: (units = 1, maxWaitMs = 60_000, priority = 0) =>
      part.check({ endpoint: 'GET /a', units, priority, maxWaitMs }, clock.now()),
    why(units) {
      const reason = process.check(units)?.reason;
      return typeof reason === 'function' ? reason() : reason;
    },
    send(units = 1) {
      const lease = { endpoint: 'GET /a', units, sentAt: clock.now() };
      part.onSent(lease, clock.now());
      return lease;
    },
    async take(most) {
      const leases: Lease[] = [];
      process.waiting = most;
      for (let tries = 0; tries < 40 && leases.length < most; tries++) {
        if (process.check()) await clock.advance(15);
        else {
          leases.push(process.send());
          process.waiting--;
        }
      }
      process.waiting = 0;
      return leases;
    },
    end: (lease, units = lease.units, isServed = true) => part.onEnded(lease, units, isServed, clock.now()),
    read: (news = {}) =>
      part.read(reading({ limit: 10, sentAt: clock.now(), receivedAt: clock.now(), shapes: SHAPES, ...news })),
  };
  return process;
}

const SHAPES = { alive: [aligned], epoch: 0 } as const;

/** Processes that have all read a minute of ten units. */
export async function readers(world: World, count = 2): Promise<[Process, Process]> {
  const all = Array.from({ length: count }, () => processOf(world));
  const [first] = all;
  const [lease] = (await first?.take(1)) ?? [];
  for (const each of all) each.read({ used: 1 });
  if (lease) first?.end(lease);
  await world.clock.advance(1);
  return all as [Process, Process];
}

/** A process that has read a minute of ten units, of which one is used, alone in its share. */
export async function reader(world: World): Promise<Process> {
  const [one] = await readers(world, 1);
  return one;
}

/** Makes a call ask for units, and waits for the answer. */
export async function askOf(world: World, one: Process, waiting = 1): Promise<void> {
  one.waiting = waiting;
  one.check();
  await world.clock.advance(1);
}

/** What the store answers, with some of it replaced. */
export function saying(rest: Partial<Answer>): (ask: ShareAsk, answer: Answer | 'stale') => Answer | 'stale' {
  return (_, answer) => (answer === 'stale' ? answer : { ...answer, ...rest });
}
