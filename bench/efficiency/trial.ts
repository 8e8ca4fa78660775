import type { LoggedRequest } from '../../src/testing/index.ts';
import { untilNext } from '../at-random.ts';
import type { Contender, Running } from './contenders/contender.ts';
import { leastLatencyMs } from './latencies.ts';
import type { Taken } from './left-over.ts';
import type { Errand, Scenario, Stream } from './scenario.ts';
import { type Load, shortestMs } from './shortest.ts';
import { isOthers } from './strangers.ts';
import { withGlobals } from './virtual-globals.ts';
import { openWorld, type World } from './world.ts';

/** A run that has not ended by then never will. */
const PATIENCE = { factor: 8, ms: 30 * 60_000, most: 120 * 60_000 };

/** Result of a contender in a scenario. */
export interface Measured {
  /** The scenario's name. */
  readonly scenario: string;
  readonly contender: string;
  readonly seed: number;
  /** Shortest possible time ÷ time taken; of a repeated bulk what {@link utilisationOf} says. */
  readonly utilisation: number;
  readonly tookMs: number;
  readonly shortestMs: number;
  /** Calls that succeeded. */
  readonly served: number;
  /** Calls that failed or never ended. */
  readonly failures: number;
  /** Requests that were sent. */
  readonly requests: number;
  /** Responses that refused a request because of a limit. */
  readonly limited: number;
  /** Requests sent after the first refusal was read. */
  readonly afterRefusal: number;
  /** Served part of the other consumers' requests. */
  readonly othersServed: number | undefined;
  /** 99th percentile of the duration of a stream's calls, in milliseconds. */
  readonly p99: readonly { readonly priority: number; readonly ms: number }[];
  readonly isStuck: boolean;
  /** Requests that arrived in each second of the service's clock, from the first: served, and limited. */
  readonly seconds: readonly { readonly served: number; readonly limited: number }[];
}

interface Visit {
  readonly errand: Errand;
  readonly from: number;
  /** When it succeeded. */
  servedAt: number | undefined;
}

/** Runs a contender in a scenario and measures it. */
export async function runTrial(scenario: Scenario, contender: Contender, seed: number): Promise<Measured> {
  const world = openWorld(scenario, seed);
  const [first] = world.places;
  const work = (): Promise<Measured> => measure(scenario, contender, world, seed);
  return contender.usesGlobals && first ? withGlobals(first, work) : work();
}

async function measure(scenario: Scenario, contender: Contender, world: World, seed: number): Promise<Measured> {
  const { clock } = world;
  const visits: Visit[] = [];
  const running = world.places.map((place) => contender.open(place));
  const { times, everyMs } = scenario.repeated ?? ONCE;
  let bulkLeft = times * scenario.bulk;
  let turn = 0;

  const visit = async (errand: Errand): Promise<void> => {
    const client = running[turn++ % running.length] as Running;
    const entry: Visit = { errand, from: clock.now(), servedAt: undefined };
    visits.push(entry);
    await client.call(errand).then(
      () => {
        entry.servedAt = clock.now();
      },
      () => {},
    );
  };

  const bulkOf = (): Promise<void>[] =>
    Array.from({ length: scenario.bulk }, async (_, index) => {
      await visit({ ...PLAIN, ...scenario.errand?.(index, world.random) });
      bulkLeft--;
    });
  const bulk = bulkOf();
  for (let time = 1; time < times; time++) {
    const later = clock.sleep(time * everyMs).then(() => Promise.all(bulkOf()));
    bulk.push(later.then(() => {}));
  }
  const streams = (scenario.streams ?? []).map((stream) => comeAndGo(stream, world, () => bulkLeft > 0, visit));
  const shortest = times * shortestOf(plannedLoads(visits, world), scenario, world);
  const longest = PATIENCE.factor * shortest + times * everyMs + PATIENCE.ms;
  const patience = clock.sleep(Math.min(longest, PATIENCE.most)).then(() => 'stuck' as const);
  const isStuck = (await clock.run(Promise.race([Promise.all([...bulk, ...streams]), patience]))) === 'stuck';
  return { scenario: scenario.name, contender: contender.name, seed, ...report(scenario, world, visits, isStuck) };
}

const ONCE = { times: 1, everyMs: 0 };
const PLAIN: Errand = { endpoint: 'info', page: 20, priority: 0 };

/** Makes the calls of a stream during the bulk, or for the given time, and waits for all of them. */
async function comeAndGo(
  { priority, perSecond, forMs }: Stream,
  { clock, random }: World,
  isOn: () => boolean,
  visit: (errand: Errand) => Promise<void>,
): Promise<void> {
  const visits: Promise<void>[] = [];
  const goesOn = (): boolean => (forMs === undefined ? isOn() : clock.now() < forMs);
  while (goesOn()) {
    await clock.sleep(untilNext(1_000 / perSecond, random));
    if (goesOn()) visits.push(visit({ ...PLAIN, priority }));
  }
  await Promise.all(visits);
}

type Durations = Pick<Measured, 'tookMs' | 'shortestMs'>;

type Report = Omit<Measured, 'scenario' | 'contender' | 'seed'>;

function report(scenario: Scenario, world: World, visits: readonly Visit[], isStuck: boolean): Report {
  const { service, traffic } = world;
  const served = visits.filter(({ servedAt }) => servedAt !== undefined);
  const own = service.log.filter((request) => !isOthers(request));
  const servedOthers = service.log.filter((request) => isOthers(request) && !request.limited);
  const taken = servedOthers.map(({ serviceTime, cost }) => ({ at: serviceTime, units: cost }));
  const took = durations(scenario, world, served, taken);
  return {
    utilisation: isStuck || served.length === 0 ? 0 : utilisationOf(scenario, took),
    ...took,
    served: served.length,
    failures: visits.length - served.length,
    requests: traffic.sentAt.length,
    limited: own.filter(({ limited }) => limited).length,
    afterRefusal: traffic.sentAt.filter((at) => at > traffic.firstRefusalAt).length,
    othersServed: scenario.others && servedOthers.length / Math.max(1, traffic.wantedByOthers),
    p99: (scenario.streams ?? []).map(({ priority }) => ({ priority, ms: p99Of(visits, priority) })),
    isStuck,
    seconds: bySecond(own),
  };
}

/** How long the bulk took, and the shortest possible time for it. If it is repeated: the means over all of them, each from its own start. */
function durations(scenario: Scenario, world: World, served: readonly Visit[], taken: readonly Taken[]): Durations {
  const { times, everyMs } = scenario.repeated ?? ONCE;
  let tookMs = 0;
  let leastMs = 0;
  for (let time = 0; time < times; time++) {
    const startedAt = time * everyMs;
    const isLast = time === times - 1;
    const soFar = served.filter(({ from }) => isLast || from < startedAt + everyMs);
    const endedAt = soFar.reduce((last, { servedAt = 0 }) => Math.max(last, servedAt), startedAt);
    const loads = [...plannedLoads(soFar, world), ...spoiltLoads(world, endedAt)];
    tookMs += (endedAt - startedAt) / times;
    leastMs += (shortestOf(loads, scenario, world, taken) - startedAt) / times;
  }
  return { tookMs, shortestMs: leastMs };
}

/**
 * Shortest possible time ÷ time taken. A repeated bulk may need next to no time, so that the quotient would say nothing: there it is the part of
 * the interval by which the bulk is not late.
 */
function utilisationOf({ repeated }: Scenario, { tookMs, shortestMs: leastMs }: Durations): number {
  return repeated ? Math.max(0, 1 - (tookMs - leastMs) / repeated.everyMs) : leastMs / tookMs;
}

/** A call that did not succeed has an infinite duration. */
function p99Of(visits: readonly Visit[], priority: number): number {
  const waits = visits
    .filter(({ errand }) => errand.priority === priority)
    .map(({ from, servedAt = Infinity }) => servedAt - from)
    .sort((a, b) => a - b);
  return waits[Math.ceil(waits.length * 0.99) - 1] ?? Number.NaN;
}

function bySecond(log: readonly LoggedRequest[]): { served: number; limited: number }[] {
  const seconds: { served: number; limited: number }[] = [];
  const first = Math.floor((log[0]?.serviceTime ?? 0) / 1_000);
  for (const { serviceTime, limited } of log) {
    const at = Math.max(0, Math.floor(serviceTime / 1_000) - first);
    while (seconds.length <= at) seconds.push({ served: 0, limited: 0 });
    const second = seconds[at];
    if (second) second[limited ? 'limited' : 'served']++;
  }
  return seconds;
}

/** The same calls as input of the shortest possible time. */
function plannedLoads(visits: readonly Visit[], { costOf }: World): Load[] {
  const loads = new Map<string, Load & { readonly fromMs: number[] }>();
  for (const { errand, from } of visits) {
    const cost = costOf(errand);
    const name = `${errand.endpoint} ${cost}`;
    const load = loads.get(name) ?? { cost, endpoint: errand.endpoint, fromMs: [] };
    loads.set(name, load);
    load.fromMs.push(from);
  }
  return [...loads.values()];
}

/** Requests that were charged but lost by a fault, as additional load. */
function spoiltLoads({ traffic }: World, untilMs: number): Load[] {
  const spoilt = traffic.spoilt.filter(({ at }) => at <= untilMs);
  return spoilt.length > 0 ? [{ cost: 1, endpoint: 'info', fromMs: spoilt.map(() => 0) }] : [];
}

function shortestOf(
  loads: readonly Load[],
  scenario: Scenario,
  { startsAt, spent }: World,
  taken: readonly Taken[] = [],
): number {
  return shortestMs(loads, {
    windows: scenario.windows,
    limits: scenario.limits,
    ceilings: Object.fromEntries(
      Object.entries(scenario.service?.ceilings ?? {}).map(([name, { limit, period }]) => [name, { [period]: limit }]),
    ),
    spent,
    startsAt: startsAt + (scenario.service?.skewMs ?? 0),
    changes: scenario.changes ?? [],
    pauses: [scenario.outage, scenario.suspended].filter((stretch) => stretch !== undefined),
    leastLatencyMs: leastLatencyMs(scenario.distance ?? 'usual'),
    taken,
  });
}
