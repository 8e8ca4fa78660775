import fc from 'fast-check';
import { LOOK_MS, LOOKS } from '../../../src/sharing/store/store.ts';
import { seeded } from '../../../src/testing/index.ts';
import type { ServiceLimits } from '../../../src/testing/limits/ledger.ts';
import { type Fleet, type FleetTerms, fleetOf } from './fleet.ts';

export const KINDS = ['light', 'bursty', 'uneven', 'saturated'] as const;

/** What each process is to send, and what the service allows. */
export interface Plan {
  readonly limits: ServiceLimits;
  /** When it begins, in milliseconds since the Unix epoch. */
  readonly start: number;
  readonly processes: number;
  readonly kind: (typeof KINDS)[number];
  /** What each fifth call costs, in units, which its client is told; no more than the smallest limit. Default: 1, as every other. */
  readonly cost?: number;
  /** No more calls than this are made. Default: so many that a case takes no longer than some tenths of a second. */
  readonly mostCalls?: number;
  /** Whether the shapes of the windows are known when the first call is made. */
  readonly isKnown: boolean;
  readonly seed: number;
}

/** A call, and when it is made after the start, in milliseconds. */
interface Due {
  readonly process: number;
  readonly at: number;
}

/** Every so many calls one is costly. */
const COSTLY_EVERY = 5;

/** A call for a page of its events is the costly one. */
export const ACCOUNT = 'SP3HXJJMJQ06GNAZ8XWDN1QM48JEDC6PP6W3YZPZJ';

/** What became of the traffic. */
export interface Traffic {
  readonly calls: number;
  readonly failures: readonly unknown[];
  readonly limited: number;
  /** How long calls took, shortest first, in milliseconds. */
  readonly took: readonly number[];
}

const MOST_CALLS = 120;

/** Traffic comes for so long, in milliseconds. */
const LASTS_MS = 20_000;

/** What light traffic takes of what the windows allow in the long run. */
const LIGHT = 0.3;

/** How long a window is at least, in milliseconds. */
export const LENGTHS: Readonly<Record<'second' | 'minute' | 'hour' | 'day' | 'month', number>> = {
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  month: 28 * 86_400_000,
};

/** Limits as they are sold: the longer window never holds less than the shorter one. */
const limits: fc.Arbitrary<ServiceLimits> = fc
  .record({
    second: fc.option(fc.constantFrom(1, 2, 3, 5, 10, 20, 50, 100)),
    minute: fc.option(fc.constantFrom(1, 4, 10, 60, 300, 500, 1_000, 3_000)),
    hour: fc.option(fc.constantFrom(100, 1_000, 10_000), { freq: 1 }),
    month: fc.option(fc.constantFrom(300, 3_000, 5_000, 100_000, 10_000_000)),
  })
  .map((wanted) => {
    let least = 1;
    const all: Record<string, number> = {};
    for (const period of ['second', 'minute', 'hour', 'month'] as const) {
      const limit = wanted[period];
      if (limit === null) continue;
      least = Math.max(least, limit);
      all[period] = least;
    }
    return Object.keys(all).length > 0 ? all : { second: 10 };
  });

/** Any plan at any time of day, month and year. */
export const plans: fc.Arbitrary<Plan> = fc.record({
  limits,
  start: fc.integer({ min: Date.UTC(2025, 0), max: Date.UTC(2027, 0) }),
  processes: fc.constantFrom(1, 2, 3, 4, 8, 16, 33, 50),
  kind: fc.constantFrom(...KINDS),
  isKnown: fc.boolean(),
  seed: fc.integer({ min: 1, max: 1_000_000 }),
});

/** The same with costly calls. */
export const costlyPlans: fc.Arbitrary<Plan> = plans.chain((plan) =>
  fc.constantFrom(3, 5).map((cost) => ({ ...plan, cost })),
);

/** What a costly call costs: one that costs more than a window would fail. */
function costOf({ limits, cost = 1 }: Plan): number {
  return Math.min(cost, ...Object.values(limits).filter((limit) => limit !== undefined));
}

/** What the service charges where costly calls cost so many units. */
export function pricedAt(units: number): (request: { readonly endpoint: string }) => number {
  return ({ endpoint }) => (endpoint === 'info' ? 1 : units);
}

/** What a call costs on average, in units. */
function usualOf(plan: Plan): number {
  return (costOf(plan) + COSTLY_EVERY - 1) / COSTLY_EVERY;
}

/** The calls of a plan: the same ones, whichever process makes them. */
function callsOf(plan: Plan): Due[] {
  const { limits, processes, kind, mostCalls = MOST_CALLS, seed } = plan;
  const random = seeded(seed);
  const chosen = (): number => Math.floor(random() * processes);
  const usual = usualOf(plan);
  const rate = Math.min(...rates(limits)) / usual;
  const least = Math.min(...Object.values(limits).filter((limit) => limit !== undefined)) / usual;
  const share = Math.max(1, Math.min(mostCalls, Math.floor(((limits.month ?? Infinity) * 0.5) / usual)));
  const count = Math.max(2, Math.min(share, Math.ceil(rate * LASTS_MS * LIGHT)));
  if (kind === 'saturated') {
    // All at once: three of the shortest windows, or as much as fills longer ones.
    const all = Math.min(share, random() < 0.5 ? Math.ceil(3 * least) : mostCalls);
    return Array.from({ length: all }, (_, index) => ({ process: index % processes, at: random() * 50 }));
  }
  if (kind === 'bursty') {
    const size = Math.max(2, Math.min(6, Math.floor(least / 2)));
    return Array.from({ length: Math.ceil(count / size) }, () => ({
      process: chosen(),
      at: random() * LASTS_MS,
    })).flatMap((due) => Array.from({ length: size }, () => due));
  }
  return Array.from({ length: count }, () => ({
    process: kind === 'uneven' && random() < 0.9 ? 0 : chosen(),
    at: random() * LASTS_MS,
  }));
}

/** What each window allows in the long run, in units a millisecond; the month's may be spent on one day. */
function rates(limits: ServiceLimits): number[] {
  return (['second', 'minute', 'hour'] as const)
    .flatMap((period) => {
      const limit = limits[period];
      return limit === undefined ? [] : [limit / LENGTHS[period]];
    })
    .concat(0.005);
}

/** Sends the traffic of a plan: through processes that share, or all of it through one that has the quota to itself. */
export async function send(plan: Plan, isShared: boolean): Promise<Traffic> {
  const { limits, processes, start, isKnown, seed } = plan;
  const calendar = isKnown && isShared ? (['second', 'minute', 'hour', 'month'] as const) : [];
  const terms: FleetTerms = { start, isShared, seed, calendar };
  const cost = costOf(plan);
  const quota = { keyed: limits, latencyMs: [10, 40], cost: pricedAt(cost) } as const;
  const fleet: Fleet = fleetOf(isShared ? processes : 1, quota, {}, terms);
  const took: number[] = [];
  const failures: unknown[] = [];
  const call = async ({ process, at }: Due, index: number): Promise<void> => {
    await fleet.clock.sleep(at);
    const from = fleet.clock.now();
    try {
      const client = fleet.clients[isShared ? process : 0];
      const maxWaitMs = Infinity;
      const isCostly = cost > 1 && index % COSTLY_EVERY === COSTLY_EVERY - 1;
      await (isCostly ? client?.getAddressAssets(ACCOUNT, { maxWaitMs, cost }) : client?.getInfo({ maxWaitMs }));
      took.push(fleet.clock.now() - from);
    } catch (error) {
      failures.push(error);
    }
  };
  const calls = callsOf(plan);
  await fleet.clock.run(Promise.all(calls.map(call)));
  return { calls: calls.length, failures, limited: fleet.limited, took: took.sort((a, b) => a - b) };
}

/**
 * A call takes at most two seconds more where what it needs was held by another process until then, and what that one gave
 * back went to a third; and it asks again a part of a second later.
 */
const NEXT_SLOT_MS = 2_500;

/** A window longer than a second that was found full is asked for again after this time, in milliseconds: units may have been given back. */
const ASKED_AGAIN_MS = 5_000;

/** A window that slides is counted in steps of this part of it. */
const STEP = 1 / 20;

/** One client alone may find out a second sooner what shape a window has, in milliseconds. */
const SOONER_MS = 1_000;

/**
 * How much longer than alone a call may take, in milliseconds. Limits are unknown at first, so that one process looks at
 * the service, and where shapes are unknown that is not the last look. While a second may slide, a unit of it may count in
 * two. A longer window that the traffic fills is counted as one that slides, too: what fills it is free again a window
 * later and not when the calendar says, and each time a step late. Cheaper calls pass a costly one, but what a full window has left
 * may be too little for each call that waits.
 */
export function boundOf(plan: Plan, calls: number, aloneMs: number): number {
  const { limits, isKnown } = plan;
  const units = calls * usualOf(plan);
  const isFull = (['minute', 'hour'] as const).some((period) => units >= (limits[period] ?? Infinity));
  const cost = costOf(plan);
  const unused = (['second', 'minute', 'hour'] as const).map((period) => {
    const limit = limits[period] ?? Infinity;
    return cost > 1 && units > limit ? (aloneMs * (cost - 1)) / (limit - cost + 1) + LENGTHS[period] : 0;
  });
  const packedMs = Math.max(...unused);
  if (isKnown) return Math.max(NEXT_SLOT_MS, isFull ? ASKED_AGAIN_MS : 0) + LOOK_MS + SOONER_MS + packedMs;
  const doubted = limits.second === undefined ? 0 : aloneMs;
  const slid = (['minute', 'hour'] as const).map((period) => {
    const times = units / (limits[period] ?? Infinity);
    return times > 1 ? LENGTHS[period] * (1 + (1 + times) * STEP) : 0;
  });
  return NEXT_SLOT_MS + LOOKS * LOOK_MS + doubted + Math.max(...slid) + packedMs;
}
