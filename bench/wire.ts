/**
 * Benchmark on real sockets, compared with a bare fetch: 1,500 concurrent calls, 32 in flight, to a server in its own process. Each
 * client has its own process, too, and they take turns, so that other load on the machine affects all of them equally. Quota is
 * unlimited, so no call waits.
 *
 * To compare another build, pass a name and a path: `npm run bench:wire -- before=/somewhere/src/index.ts`.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { REST } from '@discordjs/rest';
import ky from 'ky';
import PQueue from 'p-queue';
import { addressAssetsBody, validateBody } from '../src/endpoints/body-check.ts';
import type { createClient } from '../src/index.ts';
import { readQuota } from '../src/quota/headers/snapshot.ts';
import { ADDRESSES } from './addresses.ts';
import { pageOf } from './service.ts';

const IN_FLIGHT = 32;
const CALLS = 1_500;
const PAGES = [0, 20];

/** Rounds that are not counted: compilation dominates them. */
const WARM_UP = 3;
/** Rounds of a process that still compiles what it runs: 36,000 calls of a backend's first minutes. Those after them are its later life. */
const YOUNG = 12;

/** Units of each window: far above the load. */
const LIMITS = { second: 100_000, minute: 6_000_000, month: 1_000_000_000 };
const PERIODS = ['second', 'minute', 'month'] as const;

/** One way to make calls, with a fixed number in flight. */
type Call = (address: string) => Promise<unknown>;

/** Cost of a call in microseconds: CPU time of the process, including garbage collection and compilation, and elapsed time. */
interface Score {
  readonly cpu: number;
  readonly time: number;
}

const pathOf = (address: string): `/${string}` => `/extended/v1/address/${address}/assets`;

const SUBJECTS: Readonly<Record<string, (origin: string, key: string) => Call>> = {
  'bare fetch': (origin, key) => {
    const headers = { 'x-api-key': key };
    return atMost(async (address) => (await fetch(origin + pathOf(address), { headers })).json());
  },
  ky: (origin, key) => {
    const api = ky.create({ headers: { 'x-api-key': key } });
    return atMost((address) => api.get(origin + pathOf(address)).json());
  },
  'ky in p-queue': (origin, key) => {
    const api = ky.create({ headers: { 'x-api-key': key } });
    const queue = new PQueue({ concurrency: IN_FLIGHT });
    return (address) => queue.add(() => api.get(origin + pathOf(address)).json());
  },
  // The floor of the same work: what no client can leave out that knows the quota, and returns bodies that are what their type says.
  'ky in p-queue that reads': (origin, key) => {
    const api = ky.create({ headers: { 'x-api-key': key } });
    const queue = new PQueue({ concurrency: IN_FLIGHT });
    return (address) =>
      queue.add(async () => {
        const response = await api.get(origin + pathOf(address));
        const quota = readQuota(response.headers, Date.now());
        return { quota, body: validateBody(addressAssetsBody, await response.json()) };
      });
  },
  '@discordjs/rest': (origin, key) => {
    const headers = { 'x-api-key': key };
    const rest = new REST({ api: origin, globalRequestsPerSecond: LIMITS.second, headers });
    return atMost((address) => rest.get(pathOf(address), { auth: false }));
  },
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '60' }, only: { type: 'string' }, as: { type: 'string' } },
});

if (values.as === 'server') serve();
else if (values.as === 'client') await measure(positionals);
else await compare();

async function compare(): Promise<void> {
  const builds = ['stacks-quota=../src/index.ts', ...positionals];
  const wanted = values.only?.split(',');
  const all = [...Object.keys(SUBJECTS).map((name) => `${name}=`), ...builds];
  const server = fork(import.meta.filename, ['--as', 'server']);
  const [origin] = (await once(server, 'message')) as [string];
  const subjects = all
    .map((subject) => ({ name: subject.replace(/=.*/, ''), place: subject.replace(/.*?=/, '') }))
    .filter(({ name }) => !wanted || name === 'bare fetch' || wanted.includes(name))
    .map(({ name, place }) => {
      const child = fork(import.meta.filename, ['--as', 'client', '--', origin, name, place]);
      return { name, child };
    });
  const names = subjects.map(({ name }) => name);
  const rounds = PAGES.map((): Score[][] => []);
  for (let round = -WARM_UP; round < Number(values.rounds); round++) {
    for (const [page, events] of PAGES.entries()) {
      const scores: Score[] = [];
      for (const { child } of subjects) scores.push(await roundOf(child, events));
      if (round >= 0) rounds[page]?.push(scores);
    }
  }
  for (const [page, events] of PAGES.entries()) {
    const scores = rounds[page] ?? [];
    print(`${events} events a page, the first ${YOUNG} rounds`, names, scores.slice(0, YOUNG));
    if (scores.length > YOUNG) print(`${events} events a page, the rounds after them`, names, scores.slice(YOUNG));
  }
  for (const { child } of subjects) child.disconnect();
  server.disconnect();
}

async function roundOf(child: ChildProcess, events: number): Promise<Score> {
  child.send(events);
  const [score] = await once(child, 'message');
  return score as Score;
}

function print(title: string, names: readonly string[], rounds: readonly (readonly Score[])[]): void {
  const above = (subject: number): number =>
    median(rounds.map((scores) => (scores[subject]?.cpu ?? 0) - (scores[0]?.cpu ?? 0)));
  const yardstick = above(names.indexOf('ky in p-queue'));
  console.log(`\n${title}: ${IN_FLIGHT} in flight, medians of ${rounds.length}\n`);
  console.log('| | CPU µs a call | above bare fetch | ÷ ky in p-queue | requests per second |');
  console.log('|---|---|---|---|---|');
  for (const [subject, name] of names.entries()) {
    const cpu = median(rounds.map((scores) => scores[subject]?.cpu ?? 0));
    const rate = 1e6 / median(rounds.map((scores) => scores[subject]?.time ?? 0));
    const ratio = above(subject) / yardstick;
    const cells = [name, cpu.toFixed(0), above(subject).toFixed(0), ratio.toFixed(2), rate.toFixed(0)];
    console.log(`| ${cells.join(' | ')} |`);
  }
}

/** The process of a client: makes all calls of a round at once, for each message. */
async function measure([origin = '', name = '', place = '']: readonly string[]): Promise<void> {
  const open = SUBJECTS[name] ?? (await ours(place));
  const key = randomBytes(16).toString('hex');
  const calls = new Map(PAGES.map((events) => [events, open(`${origin}/${events}`, key)]));
  process.on('message', async (events: number) => {
    const call = calls.get(events);
    if (!call) throw new Error(`There is no page of ${events} events.`);
    const [before, start] = [process.cpuUsage(), performance.now()];
    await Promise.all(Array.from({ length: CALLS }, (_, index) => call(ADDRESSES[index % ADDRESSES.length] ?? '')));
    const { user, system } = process.cpuUsage(before);
    const score: Score = { cpu: (user + system) / CALLS, time: ((performance.now() - start) * 1_000) / CALLS };
    process.send?.(score);
  });
}

async function ours(place: string): Promise<(origin: string, key: string) => Call> {
  const build: { createClient: typeof createClient } = await import(place);
  return (baseUrl, apiKey) => {
    const client = build.createClient({ baseUrl, apiKey, concurrency: IN_FLIGHT });
    return (address) => client.getAddressAssets(address);
  };
}

/** A minimal queue for clients without one. */
function atMost(call: Call): Call {
  const waiting: (() => void)[] = [];
  let free = IN_FLIGHT;
  return async (address) => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await call(address);
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
}

/** One window of the service for one key. */
interface Count {
  readonly period: keyof typeof LIMITS;
  start: number;
  used: number;
}

/** The service: counts its responses for each key and states the quota in thirteen headers. */
function serve(): void {
  const pages = new Map(PAGES.map((events) => [`${events}`, pageOf(events)]));
  const keys = new Map<string, Count[]>();
  const countsOf = (key: string): Count[] => {
    const counts = keys.get(key) ?? PERIODS.map((period) => ({ period, start: Number.NaN, used: 0 }));
    keys.set(key, counts);
    return counts;
  };
  const answer = (page: string, counts: readonly Count[], response: ServerResponse): void => {
    const now = Date.now();
    const minute = Math.floor(now / 60_000);
    const starts = { second: Math.floor(now / 1_000), minute, month: 0 };
    const headers: [string, string][] = [
      ['date', new Date(now).toUTCString()],
      ['content-type', 'application/json; charset=utf-8'],
      ['content-length', String(page.length)],
      ['x-ratelimit-cost-stacks', '1'],
    ];
    let leftInMinute = 0;
    for (const count of counts) {
      const start = starts[count.period];
      if (start !== count.start) count.used = 0;
      count.start = start;
      count.used++;
      const limit = LIMITS[count.period];
      if (count.period === 'minute') leftInMinute = limit - count.used;
      headers.push([`x-ratelimit-limit-stacks-${count.period}`, String(limit)]);
      headers.push([`x-ratelimit-remaining-stacks-${count.period}`, String(limit - count.used)]);
    }
    headers.push(['ratelimit-limit', String(LIMITS.minute)], ['ratelimit-remaining', String(leftInMinute)]);
    headers.push(['ratelimit-reset', String((minute + 1) * 60)]);
    response.writeHead(200, headers.flat()).end(page);
  };
  const server = createServer(({ url = '', headers }, response) => {
    const events = url.replace(/^\/(?:v\d+\/)?/, '').replace(/\/.*/, '');
    answer(pages.get(events) ?? pages.get('0') ?? '', countsOf(String(headers['x-api-key'])), response);
  });
  // Connections must stay open while the other clients have their turn.
  server.keepAliveTimeout = 120_000;
  server.listen(0, '127.0.0.1', () => {
    process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });
  process.on('disconnect', () => process.exit());
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
