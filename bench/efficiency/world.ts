import type { QuotaShare } from '../../src/share.ts';
import { memoryStore } from '../../src/sharing/store/memory-store.ts';
import { storeShare } from '../../src/sharing/store-share.ts';
import {
  createMockService,
  type MockService,
  type ServiceFault,
  type ServiceRequest,
  seeded,
  type VirtualClock,
  virtualClock,
} from '../../src/testing/index.ts';
import { distant } from '../../test/sharing/support/distant.ts';
import type { Place } from './contenders/contender.ts';
import { latencyOf } from './latencies.ts';
import { type MachineClock, machineClock } from './machine.ts';
import type { Errand, FaultRates, Scenario } from './scenario.ts';
import { letStrangersIn, usedBefore } from './strangers.ts';

const KEY = '0123456789abcdef0123456789abcdef';

/**
 * The date of all runs. Most begin in the first half of a minute, so that it can be used completely, and most bulks use half of the last
 * minute: so a second lost at the start costs a second at the end, neither a minute nor nothing. One scenario ends with a minute on
 * purpose.
 */
const SOME_DAY = Date.UTC(2026, 2, 10, 14);
const SOMEWHERE_IN_MS = 30_000;

/** Record of the requests sent so far. */
export interface Traffic {
  /** When each was sent, in milliseconds of true time. */
  readonly sentAt: number[];
  /** When the first refusal was read. */
  firstRefusalAt: number;
  /** Units charged for requests that were lost by a fault and sent again, by cost. */
  readonly spoilt: { readonly endpoint: string; readonly cost: number; readonly at: number }[];
  /** Requests that the other consumers wanted to make so far. */
  wantedByOthers: number;
}

/** A service, the machines that call it, and true time. */
export interface World {
  readonly clock: VirtualClock;
  readonly service: MockService;
  readonly startsAt: number;
  /** Units used before the start, and how long before, in milliseconds. */
  readonly spent: Scenario['spent'];
  /** One machine per client. */
  readonly places: readonly Place[];
  readonly traffic: Traffic;
  readonly random: () => number;
  readonly costOf: (errand: Errand) => number;
}

/** Creates the world of a scenario. The same seed gives the same world for every contender. */
export function openWorld(scenario: Scenario, seed: number): World {
  const chance = (stream: number): (() => number) => seeded(seed * 1_000 + stream);
  const phase = (scenario.startsLate ? SOMEWHERE_IN_MS : 0) + chance(1)() * SOMEWHERE_IN_MS;
  const startsAt = scenario.startsAt ?? SOME_DAY + phase;
  const clock = virtualClock({ wall: startsAt });
  const limits = { ...scenario.limits };
  const service = createMockService({
    ...scenario.service,
    clock,
    origin: 'https://api.mock.test',
    keys: [KEY],
    ...(scenario.keyless ? { keyless: limits } : { keyed: limits }),
    ...(scenario.windows ? { windows: scenario.windows } : {}),
    latencyMs: latencyOf(scenario.distance ?? 'usual', chance(2)),
    random: chance(3),
    assetsOf: () => 0,
  });
  const key = scenario.keyless ? undefined : KEY;
  const traffic: Traffic = { sentAt: [], firstRefusalAt: Infinity, spoilt: [], wantedByOthers: 0 };
  const costOf = (errand: Errand): number => costFrom(scenario, service.origin, errand);
  const isCostly = scenario.service?.cost !== undefined;
  const share = scenario.isShared ? shareFrom(clock, chance(7)) : undefined;
  const spent = scenario.spent ?? (scenario.others && usedBefore(scenario.others, startsAt));
  const places = Array.from({ length: scenario.clients ?? 1 }, (_, index): Place => {
    const machine = machineClock(clock, chance(10 + index), scenario.suspended);
    const fetch = fetchFrom(service, machine, clock, traffic, scenario);
    return {
      origin: service.origin,
      key,
      fetch,
      clock: machine,
      random: chance(50 + index),
      limits,
      costOf,
      isCostly,
      clients: scenario.clients ?? 1,
      windows: scenario.windows,
      serviceTime: () => startsAt + clock.now(),
      arrived: () => service.log,
      spent,
      share,
    };
  });

  if (spent) {
    const { skewMs = 0 } = scenario.service ?? {};
    service.setSkew(skewMs - spent.agoMs);
    service.spend(spent.units, key);
    service.setSkew(skewMs);
  }
  if (scenario.faults) service.faults.when(faultsFrom(scenario.faults, chance(4), traffic, clock));
  if (scenario.outage) service.faults.outage(scenario.outage.fromMs, scenario.outage.toMs);
  for (const { atMs, limits: next, skewMs } of scenario.changes ?? []) {
    clock.timer(atMs, () => {
      if (next) service.setLimits(scenario.keyless ? { keyless: next } : { keyed: next });
      if (skewMs !== undefined) service.setSkew(skewMs);
    });
  }
  if (scenario.others) letStrangersIn(scenario.others, { service, key, clock, random: chance(5), traffic });
  return { clock, service, startsAt, spent, places, traffic, random: chance(6), costOf };
}

/** A store with a latency of a millisecond and a clock that is wrong by minutes. */
function shareFrom(clock: VirtualClock, random: () => number): QuotaShare {
  const store = distant(
    memoryStore(() => clock.wall() + 123_456),
    async (work) => {
      await clock.sleep(0.2 + random() * 0.6);
      const answer = await work();
      await clock.sleep(0.2 + random() * 0.6);
      return answer;
    },
  );
  return storeShare({ storeOf: () => store, mode: 'partial', processes: 8, timeoutMs: 50 });
}

function fetchFrom(
  service: MockService,
  machine: MachineClock,
  truth: VirtualClock,
  traffic: Traffic,
  { service: options, hidden = [] }: Scenario,
): typeof globalThis.fetch {
  const refusal = options?.limited?.status ?? 429;
  return async (input, init) => {
    traffic.sentAt.push(truth.now());
    try {
      const response = await service.fetch(input, init);
      for (const name of hidden) response.headers.delete(name);
      if (response.status === refusal) traffic.firstRefusalAt = Math.min(traffic.firstRefusalAt, truth.now());
      return response;
    } finally {
      await machine.awake();
    }
  };
}

/** Draws the fault of each request. Units charged in vain are recorded, because they lengthen the shortest possible time. */
function faultsFrom(
  rates: FaultRates,
  random: () => number,
  traffic: Traffic,
  clock: VirtualClock,
): (request: ServiceRequest) => ServiceFault | undefined {
  const fates: readonly (readonly [number | undefined, ServiceFault, isSpoilt: boolean])[] = [
    [rates.hang, 'hang', true],
    [rates.lost, 'lost', true],
    [rates.reset, 'reset', false],
    [rates.serverError, { status: 502 }, true],
    [rates.noQuotaHeaders, 'no quota headers', false],
  ];
  return () => {
    let draw = random();
    for (const [rate = 0, fault, isSpoilt] of fates) {
      draw -= rate;
      if (draw >= 0) continue;
      if (isSpoilt) traffic.spoilt.push({ endpoint: 'info', cost: 1, at: clock.now() });
      return fault;
    }
    return undefined;
  };
}

function costFrom({ service }: Scenario, origin: string, errand: Errand): number {
  const cost = service?.cost ?? 1;
  if (typeof cost === 'object') return cost[errand.endpoint] ?? 1;
  if (typeof cost === 'number') return cost;
  const assets = `address/any/assets?limit=${errand.page}&offset=${errand.offset ?? 0}`;
  const path = errand.endpoint === 'info' ? 'info' : assets;
  return cost({ method: 'GET', endpoint: errand.endpoint, url: new URL(`/extended/v1/${path}`, origin) }) ?? 0;
}
