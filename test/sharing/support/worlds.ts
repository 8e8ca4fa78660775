import fc from 'fast-check';
import { type LoggedRequest, seeded, type WindowKind } from '../../../src/testing/index.ts';
import { fleetOf } from './fleet.ts';
import { Room } from './room.ts';
import { LENGTHS } from './traffic.ts';

const PERIODS = ['second', 'minute', 'hour', 'day', 'month'] as const;
export type SmallPeriod = (typeof PERIODS)[number];

const SHAPES = ['aligned', 'first-request', 'sliding-log', 'sliding-counter', 'leaky'] as const;
const KINDS = ['light', 'bursty', 'uneven'] as const;

/** The windows of a service: of few units each. */
export interface Quota {
  readonly limits: { readonly [P in SmallPeriod]?: number };
  readonly shapes: { readonly [P in SmallPeriod]?: WindowKind };
}

/** A small quota, and what is to be sent of it by whom. */
export interface World extends Quota {
  /** Whether the share knows the shapes when the first call is made. */
  readonly isKnown: boolean;
  /** When it begins, in milliseconds since the Unix epoch. */
  readonly start: number;
  readonly processes: number;
  readonly kind: (typeof KINDS)[number];
  /** Calls as a part of what the windows allow in the long run. */
  readonly load: number;
  readonly maxWaitMs: number;
  readonly seed: number;
}

/** What became of the calls of a world. */
export interface Played {
  readonly calls: number;
  readonly failed: number;
  /** Calls that failed although all windows had room, each with the instants at which it was made and failed. */
  readonly falsely: readonly (readonly [made: number, failed: number])[];
  /** Requests that were refused, but for hourly trials. */
  readonly refused: number;
  readonly trips: number;
}

/** No more calls than this are made, so that a world takes no longer than some tenths of a second. */
const MOST_CALLS = 60;

/** Where the tightest window is a second, calls come for so many of them; of longer ones for so many, and for one month. */
const SECONDS = 20;
const WINDOWS = 3;

/** A request that follows all others by nearly an hour, or the trial of another process by up to a minute, is an hourly trial. */
const TRIAL_MS = 3_500_000;
const FOLLOWING_MS = 60_000;

const FEW = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
const OF_MONTH = [10, 100];

/** One to ten units of each of some windows, of any shape: the longer window never holds less than the shorter one. */
function quotasOf(periods: readonly SmallPeriod[]): fc.Arbitrary<Quota> {
  const windows = periods.map((period) =>
    fc.option(
      fc.record({
        period: fc.constant(period),
        limit: fc.constantFrom(...(period === 'month' ? OF_MONTH : FEW)),
        shape: fc.constantFrom(...SHAPES),
      }),
      { freq: 2 },
    ),
  );
  return fc.tuple(...windows).map((wanted) => {
    const limits: Record<string, number> = {};
    const shapes: Record<string, WindowKind> = {};
    let least = 1;
    for (const chosen of wanted) {
      if (!chosen) continue;
      const { period, limit, shape } = chosen;
      least = Math.max(least, limit);
      limits[period] = least;
      shapes[period] = period === 'month' ? 'aligned' : shape;
    }
    return Object.keys(limits).length > 0 ? { limits, shapes } : { limits: { minute: 5 }, shapes: { minute: 'leaky' } };
  });
}

/** Worlds of few units at any time. A call that waits for hours waits for hourly trials, which say nothing of how units are granted. */
export function worldsOf(periods: readonly SmallPeriod[]): fc.Arbitrary<World> {
  return fc
    .record({
      quota: quotasOf(periods),
      isKnown: fc.boolean(),
      start: fc.integer({ min: Date.UTC(2025, 0), max: Date.UTC(2027, 0) }),
      processes: fc.constantFrom(2, 3, 4, 8),
      kind: fc.constantFrom(...KINDS),
      load: fc.constantFrom(0.3, 0.8, 1.3),
      wait: fc.constantFrom(0, 5_000, 30_000, 100_000, Infinity),
      seed: fc.integer({ min: 1, max: 1_000_000 }),
    })
    .map(({ quota, wait, ...rest }) => {
      const { hour, day, month } = quota.limits;
      const isLong = hour !== undefined || day !== undefined || month !== undefined;
      return { ...quota, ...rest, maxWaitMs: isLong ? Math.min(wait, 100_000) : wait };
    });
}

/** A call, and when it is made after the start, in milliseconds. */
interface Due {
  readonly process: number;
  readonly at: number;
}

/** The calls of a world: the same ones, whichever process makes them. */
function callsOf({ limits, processes, kind, load, seed }: World): Due[] {
  const random = seeded(seed);
  const chosen = (): number => Math.floor(random() * processes);
  const windows = Object.entries(limits) as [SmallPeriod, number][];
  const perMs = Math.min(...windows.map(([period, limit]) => limit / LENGTHS[period]));
  const [tightest] = windows.find(([period, limit]) => limit / LENGTHS[period] === perMs) ?? ['minute'];
  const times = { second: SECONDS, minute: WINDOWS, hour: WINDOWS, day: WINDOWS, month: 1 };
  const lastsMs = times[tightest] * LENGTHS[tightest];
  const count = Math.max(2, Math.min(MOST_CALLS, Math.ceil(perMs * lastsMs * load)));
  if (kind === 'bursty') {
    const size = Math.max(2, Math.min(6, ...Object.values(limits)));
    const bursts = Array.from({ length: Math.ceil(count / size) }, () => ({
      process: chosen(),
      at: random() * lastsMs,
    }));
    return bursts.flatMap((due) => Array.from({ length: size }, () => due));
  }
  return Array.from({ length: count }, () => ({
    process: kind === 'uneven' && random() < 0.9 ? 0 : chosen(),
    at: random() * lastsMs,
  }));
}

/** Makes the calls of a world: through processes that share, or all of them through one that has the quota to itself. */
export async function play(world: World, isShared: boolean): Promise<Played> {
  const { limits, shapes, processes, start, isKnown, seed, maxWaitMs } = world;
  const knows = isKnown && isShared;
  const terms = { start, isShared, seed, ...(knows ? { calendar: ['month'] as const, shapes } : {}) };
  const fleet = fleetOf(isShared ? processes : 1, { keyed: limits, windows: shapes, latencyMs: [10, 40] }, {}, terms);
  const failures: [made: number, failed: number][] = [];
  const call = async ({ process, at }: Due): Promise<void> => {
    await fleet.clock.sleep(at);
    const made = fleet.clock.wall();
    const client = fleet.clients[isShared ? process : 0];
    await client?.getInfo({ maxWaitMs }).catch(() => void failures.push([made, fleet.clock.wall()]));
  };
  const calls = callsOf(world);
  await fleet.clock.run(Promise.all(calls.map(call)));
  const served = fleet.service.log.filter(({ limited }) => !limited).map(({ serviceTime }) => serviceTime);
  const room = new Room(world, knows, served);
  return {
    ...{ calls: calls.length, failed: failures.length, trips: fleet.trips },
    falsely: failures.filter(([, failed]) => room.isFree(failed)),
    refused: fleet.service.log.filter((request, index, log) => request.limited && !isTrial(index, log)).length,
  };
}

function isTrial(index: number, log: readonly LoggedRequest[]): boolean {
  const at = log[index]?.arrivedAt ?? 0;
  // The first of all is sent before anything is known.
  const before = log.slice(0, index).filter(({ arrivedAt }) => arrivedAt < at - FOLLOWING_MS);
  return index > 0 && (before.at(-1)?.arrivedAt ?? -Infinity) < at - TRIAL_MS;
}
