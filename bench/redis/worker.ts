/** A worker process: has one client or several, makes the calls of their sources, and reports what became of each call. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import {
  type CallRecord,
  COSTLY_UNITS,
  type Hours,
  type Outcome,
  type WorkerJob,
  type WorkerMessage,
} from './messages.ts';
import { spoil } from './spoil.ts';
import type { Caller } from './subject.ts';
import { subjectNamed } from './subjects.ts';
import { make, type Source } from './traffic.ts';
import { until } from './until.ts';

/** How long calls may take to end after the last was made. A call that takes longer is reported as unfinished. */
const DRAIN_MS = 15_000;

/** The interval of requests that no client makes, which are the reference for latency. */
const BARE_MS = 500;

interface Call {
  readonly source: Source;
  readonly burst: number;
  readonly from: number;
}

const job = JSON.parse(process.argv[2] ?? '') as WorkerJob;
let rotatesAt = Infinity;
const key = (): string => (Date.now() < rotatesAt ? 'key-a' : 'key-b');

const redis = new Redis(job.redis);
redis.on('error', () => {});
if (job.spoilt) spoil(redis, job.spoilt);
const { origin, limits } = job;
const subject = subjectNamed(job.subject);
const clients = job.clients.map((sources) => ({ sources, client: subject.open({ origin, redis, limits, key }) }));

const calls: CallRecord[] = [];
const failures: string[] = [];
const underWay = new Set<Call>();
let made = 0;
process.on('disconnect', () => process.exit());

await timeBare();
say({ kind: 'ready' });
const [hours] = (await once(process, 'message')) as [Hours];
if (job.rotatesMs !== undefined) rotatesAt = hours.startAt + job.rotatesMs;
for (const { sources, client } of clients) {
  for (const source of sources) void make(source, job.seed, hours, (burst) => track(source, burst, client.call));
}
const bareMs: number[] = [];
for (let at = Math.max(Date.now(), hours.startAt); at < hours.endAt; at += BARE_MS) {
  await until(at + Math.random() * BARE_MS);
  bareMs.push(await timeBare());
}
await until(hours.endAt);
// The calls of a backlog that wait at the end count neither as served nor as failed.
const open = (): Call[] => [...underWay].filter(({ source }) => source.traffic.kind !== 'backlog');
while (open().length > 0 && Date.now() < hours.endAt + DRAIN_MS) await sleep(50);
for (const call of open()) record(call, 'unfinished');
say({ kind: 'report', bareMs, calls, failures: [...new Set(failures)] });

async function track(source: Source, burst: number, make: Caller['call']): Promise<boolean> {
  const call = { source, burst, from: performance.now() };
  underWay.add(call);
  const isCostly = source.costlyEvery !== undefined && ++made % source.costlyEvery === 0;
  try {
    await make(source.priority ?? 0, isCostly ? COSTLY_UNITS : 1);
    record(call, 'ok');
    return true;
  } catch (error) {
    record(call, 'failed');
    failures.push(String(error).slice(0, 160));
    return false;
  } finally {
    underWay.delete(call);
  }
}

function record({ source, burst, from }: Call, outcome: Outcome): void {
  const atMs = performance.timeOrigin + from - hours.startAt;
  calls.push([source.id, burst, atMs, performance.now() - from, outcome]);
}

async function timeBare(): Promise<number> {
  const from = performance.now();
  await (await fetch(`${origin}/bare`)).text();
  return performance.now() - from;
}

function say(message: WorkerMessage): void {
  process.send?.(message);
}
