import { Redis } from 'ioredis';
import { type RedisServer, startRedis } from '../../test/redis/support/server.ts';
import { quantile } from '../quantile.ts';
import { endOf, SECOND } from './calendar.ts';
import { type Service, startService, startWorker } from './children.ts';
import { happen } from './incidents.ts';
import type { CallRecord, Hours, Outcome, ServiceEntry, WorkerJob } from './messages.ts';
import type { Scenario } from './scenario.ts';
import { type Span, spanOf } from './span.ts';
import type { Subject } from './subject.ts';
import type { Source } from './traffic.ts';
import { type Trips, tripsBetween, tripsOf } from './trips.ts';
import { until } from './until.ts';

/** A port without a listener. */
const UNREACHABLE = 'redis://127.0.0.1:1';

/** The time between the last preparations and the first call. */
const LEAD_MS = 300;

/** A call of a process that was not killed, and how much longer it took than a bare answer of the service. */
export interface TimedCall {
  readonly source: Source;
  readonly burst: string;
  readonly atMs: number;
  readonly tookMs: number;
  readonly addedMs: number;
  readonly outcome: Outcome;
}

/** One run of one subject. */
export interface Measured {
  readonly scenario: Scenario;
  readonly span: Span;
  readonly calls: readonly TimedCall[];
  /** The messages of calls that failed. */
  readonly failures: readonly string[];
  /** The service's log, and its time when the run started. */
  readonly log: readonly ServiceEntry[];
  readonly startedAt: number;
  /** Within the span; undefined where Redis cannot be reached. */
  readonly trips: Trips | undefined;
}

/** Runs a subject once, with processes, a Redis and a service of its own. */
export async function runTrial(scenario: Scenario, subject: Subject, seed: number): Promise<Measured> {
  const { limits, shape = 'calendar', isRedisUnreachable = false } = scenario;
  const redis = isRedisUnreachable ? undefined : await startRedis();
  const service = await startService({ limits, shape, delayMs: [5, 15] });
  try {
    const place = { subject: subject.name, origin: service.origin, redis: redis?.url ?? UNREACHABLE, limits, seed };
    const jobs = jobsOf(scenario, subject).map((job) => ({ ...place, ...job }));
    return await measure(scenario, jobs, service, redis);
  } finally {
    service.end();
    await redis?.stop();
  }
}

async function measure(
  scenario: Scenario,
  jobs: readonly WorkerJob[],
  service: Service,
  redis: RedisServer | undefined,
): Promise<Measured> {
  const span = spanOf(scenario.seconds);
  const crew = await Promise.all(jobs.map(startWorker));
  const all = [...crew];
  const startAt = Date.now() + LEAD_MS;
  const hours = { startAt, endAt: startAt + scenario.seconds * SECOND };
  const startedAt = serviceTimeAt(hours, scenario.day);
  await service.setClock(startedAt - startAt);
  for (const worker of crew) worker.begin(hours);
  const stage = {
    redis: redis?.pid ?? 0,
    kill: (process: number) => crew[process]?.kill(),
    replace: async (process: number) => {
      const worker = await startWorker(jobs[process] as WorkerJob);
      worker.begin(hours);
      crew[process] = worker;
      all.push(worker);
    },
  };
  const [trips] = await Promise.all([
    redis && tripsWithin(redis, startAt + span.fromMs, startAt + span.toMs),
    ...(scenario.incidents ?? []).map((incident) => happen(incident, startAt + span.fromMs, stage)),
    until(hours.endAt),
  ]);
  const reports = (await Promise.all(all.map(({ report }) => report))).filter((report) => report !== undefined);
  const bareMs = quantile(
    reports.flatMap((report) => report.bareMs),
    0.5,
  );
  return {
    ...{ scenario, span, startedAt, trips, log: await service.log() },
    calls: reports.flatMap(({ calls }) => timed(scenario.sources, bareMs, calls)),
    failures: [...new Set(reports.flatMap(({ failures }) => failures))],
  };
}

/** The service's time at the start of a run: such that the run ends with a minute, on the wanted day. */
function serviceTimeAt({ startAt, endAt }: Hours, day: number | undefined): number {
  const wanted = day === undefined ? endAt : new Date(endAt).setUTCDate(day);
  return endOf('minute', wanted) - (endAt - startAt);
}

/** One job a process: its clients' sources, and what goes wrong there. */
function jobsOf(
  { sources, seconds, processes = sources.length, spoilt, rotation }: Scenario,
  { isAlone }: Subject,
): Pick<WorkerJob, 'clients' | 'spoilt' | 'rotatesMs'>[] {
  if (isAlone) return [{ clients: [sources] }];
  return Array.from({ length: processes }, (_, process) => ({
    clients: sources.filter((_, index) => index % processes === process).map((source) => [source]),
    ...(spoilt && { spoilt }),
    ...(rotation !== undefined && { rotatesMs: spanOf(seconds).fromMs + (process * rotation * SECOND) / processes }),
  }));
}

async function tripsWithin(server: RedisServer, fromAt: number, toAt: number): Promise<Trips> {
  const redis = new Redis(server.url);
  try {
    await until(fromAt);
    const before = await tripsOf(redis);
    await until(toAt);
    return tripsBetween(before, await tripsOf(redis));
  } finally {
    redis.disconnect();
  }
}

function timed(sources: readonly Source[], bareMs: number, calls: readonly CallRecord[]): TimedCall[] {
  return calls.flatMap(([id, burst, atMs, tookMs, outcome]) => {
    const source = sources[id];
    if (!source) return [];
    return [{ source, burst: `${id}-${burst}`, atMs, tookMs, addedMs: tookMs - bareMs, outcome }];
  });
}
