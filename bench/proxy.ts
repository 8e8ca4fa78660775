/**
 * What the proxy adds to a call, beside bare proxies that only pass requests on, by `node:http` and by `fetch` as the client does, and
 * a call without any proxy. The service, each proxy and the caller have a process of their own. The subjects take turns within each
 * round, so that other load on the machine affects all of them equally. Quota is unlimited, so no call waits.
 *
 * Then 1,000 requests at once through the proxy from each of curl, Python's urllib and Go's net/http, as far as they are on this
 * machine, against the mock with limits of 200 a second and 6,000 a minute, and the memory of the proxy after each of several rounds.
 *
 *   node bench/proxy.ts [--rounds 15] [--storms 5]
 */
import { type ChildProcess, fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createClient } from '../src/index.ts';
import { createProxy } from '../src/proxy/index.ts';
import { createMockService } from '../src/testing/index.ts';
import { KEY, pageOf } from './service.ts';

const IN_FLIGHT = 32;
const CALLS = 1_000;
const AT_ONCE = 1_000;
const PATH = '/extended/v1/address/SP3HXJJMJQ06GNAZ8XWDN1QM48JEDC6PP6W3YZPZJ/assets';

/**
 * Cost of a call: CPU of the proxy's process in microseconds, and latencies in milliseconds, one call at a time and many. `quiet` is
 * the fastest tenth of calls one at a time, which other load on the machine disturbs least.
 */
interface Score {
  readonly cpu: number;
  readonly quiet: number;
  readonly alone: number;
  readonly p50: number;
  readonly p99: number;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    as: { type: 'string' },
    rounds: { type: 'string', default: '15' },
    storms: { type: 'string', default: '5' },
  },
});

/** Latency and CPU of each subject, in turn. */
async function compare(): Promise<void> {
  const service = await start('service');
  const subjects = [
    { name: 'no proxy', ...service },
    { name: 'bare pass-through of `node:http`', ...(await start('bare', service.url)) },
    { name: 'bare pass-through of `fetch`', ...(await start('bare-fetch', service.url)) },
    { name: 'stacks-quota proxy', ...(await start('proxy', service.url)) },
  ];
  const rounds: Score[][] = [];
  // The first rounds are dominated by compilation.
  for (let round = -3; round < Number(values.rounds); round++) {
    const scores: Score[] = [];
    for (const subject of subjects) scores.push(await scoreOf(subject));
    if (round >= 0) rounds.push(scores);
  }
  console.log(`\n20 events a page, ${CALLS} calls a round, medians of ${rounds.length} rounds\n`);
  console.log(
    `| | CPU of the proxy, µs a call | one at a time: p10 ms | p50 ms | ${IN_FLIGHT} in flight: p50 ms | p99 ms |`,
  );
  console.log('|---|--:|--:|--:|--:|--:|');
  for (const [index, { name }] of subjects.entries()) {
    const middle = (of: (score: Score) => number): number =>
      median(rounds.flatMap((scores) => scores[index] ?? []).map(of));
    const cpu = index === 0 ? '–' : middle((score) => score.cpu).toFixed(0);
    const times = [
      middle(({ quiet }) => quiet),
      middle(({ alone }) => alone),
      middle(({ p50 }) => p50),
      middle(({ p99 }) => p99),
    ];
    console.log(`| ${[name, cpu, ...times.map((ms) => ms.toFixed(2))].join(' | ')} |`);
  }
  for (const { child } of subjects) child.disconnect();
}

async function scoreOf({ child, url }: { child: ChildProcess; url: string }): Promise<Score> {
  const agent = new Agent({ keepAlive: true, maxSockets: IN_FLIGHT });
  const before = await usageOf(child);
  const many = await timesOf(url, agent, IN_FLIGHT, CALLS);
  const after = await usageOf(child);
  const alone = await timesOf(url, agent, 1, CALLS / 10);
  agent.destroy();
  return {
    cpu: (after.cpu - before.cpu) / CALLS,
    quiet: quantile(alone, 0.1),
    alone: quantile(alone, 0.5),
    p50: quantile(many, 0.5),
    p99: quantile(many, 0.99),
  };
}

/** Latencies of calls, so many at a time. */
async function timesOf(url: string, agent: Agent, atOnce: number, calls: number): Promise<number[]> {
  const times: number[] = [];
  let left = calls;
  const caller = async (): Promise<void> => {
    while (left-- > 0) {
      const since = performance.now();
      await get(url, agent);
      times.push(performance.now() - since);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, caller));
  return times;
}

function get(url: string, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    request(url + PATH, { agent }, (incoming) => {
      incoming.resume().on('end', resolve).on('error', reject);
    })
      .on('error', reject)
      .end();
  });
}

/** Very many at once, from other languages. */
async function storm(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-proxy-'));
  const service = await start('mock');
  const proxy = await start('proxy', service.url);
  const all = callersOf(folder, proxy.url + PATH);
  const callers = all.filter(({ needs }) => spawnSync('which', [needs]).status === 0);
  console.log(`\n${AT_ONCE} requests at once through the proxy, 200 a second and 6,000 a minute\n`);
  console.log('| round | caller | answered 200 | anything else | seconds | resident MiB | heap MiB |');
  console.log('|--:|---|--:|--:|--:|--:|--:|');
  for (const { name, needs } of all.filter((one) => !callers.includes(one)))
    console.log(`| – | ${name}: no ${needs} on this machine | – | – | – | – | – |`);
  for (let round = 1; round <= Number(values.storms); round++) {
    for (const { name, command } of callers) {
      const since = performance.now();
      const statuses = await linesOf(command);
      const seconds = (performance.now() - since) / 1_000;
      const good = statuses.filter((status) => status === '200').length;
      const { resident, heap } = await usageOf(proxy.child);
      const cells = [name, good, AT_ONCE - good, seconds.toFixed(1), mib(resident), mib(heap)];
      console.log(`| ${round} | ${cells.join(' | ')} |`);
    }
  }
  const { limited } = await usageOf(service.child);
  console.log(`\nRefused by the service because of a limit: ${limited}.`);
  for (const { child } of [proxy, service]) child.disconnect();
  rmSync(folder, { recursive: true });
}

/** Programs that print the status of each of their requests on a line. */
function callersOf(folder: string, url: string): { name: string; needs: string; command: readonly string[] }[] {
  const script = join(folder, 'storm.py');
  const program = join(folder, 'storm.go');
  const config = join(folder, 'curl.txt');
  writeFileSync(script, PYTHON);
  writeFileSync(program, GO);
  writeFileSync(config, Array.from({ length: AT_ONCE }, () => `url = "${url}"\noutput = /dev/null\n`).join(''));
  const curl = [
    'curl',
    '--silent',
    '--no-progress-meter',
    '--parallel',
    '--parallel-immediate',
    '--parallel-max',
    '300',
  ];
  return [
    {
      name: 'curl, 300 connections',
      needs: 'curl',
      command: [...curl, '--write-out', '%{http_code}\\n', '--config', config],
    },
    { name: 'urllib, 1,000 threads', needs: 'python3', command: ['python3', script, url, String(AT_ONCE)] },
    { name: 'net/http, 1,000 goroutines', needs: 'go', command: ['go', 'run', program, url, String(AT_ONCE)] },
  ];
}

const PYTHON = `import sys, threading, urllib.request
url, count = sys.argv[1], int(sys.argv[2])
statuses = []
def call():
    try:
        with urllib.request.urlopen(url, timeout=300) as answer:
            answer.read()
            statuses.append(str(answer.status))
    except Exception as error:
        statuses.append(repr(error))
threading.stack_size(256 * 1024)
threads = [threading.Thread(target=call) for _ in range(count)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print("\\n".join(statuses))
`;

const GO = `package main

import ("fmt"; "io"; "net/http"; "os"; "strconv"; "sync")

func main() {
  count, _ := strconv.Atoi(os.Args[2])
  var all sync.WaitGroup
  for left := count; left > 0; left-- {
    all.Add(1)
    go func() {
      defer all.Done()
      answer, err := http.Get(os.Args[1])
      if err != nil { fmt.Println(err); return }
      io.Copy(io.Discard, answer.Body)
      answer.Body.Close()
      fmt.Println(answer.StatusCode)
    }()
  }
  all.Wait()
}
`;

async function linesOf([command = '', ...args]: readonly string[]): Promise<string[]> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await once(child, 'close');
  return said.trim().split('\n');
}

/** What a process has used. */
interface Usage {
  /** Microseconds. */
  readonly cpu: number;
  /** Bytes. */
  readonly resident: number;
  readonly heap: number;
  readonly limited: number;
}

async function start(role: string, upstream = ''): Promise<{ child: ChildProcess; url: string }> {
  const child = fork(import.meta.filename, ['--as', role, '--', upstream], { execArgv: ['--expose-gc'] });
  const [url] = (await once(child, 'message')) as [string];
  return { child, url };
}

async function usageOf(child: ChildProcess): Promise<Usage> {
  child.send('usage');
  const [usage] = (await once(child, 'message')) as [Usage];
  return usage;
}

/** One of the processes. */
async function serve(role: string, upstream: string): Promise<void> {
  let limited = (): number => 0;
  const opened = await open(role, upstream, (count) => {
    limited = count;
  });
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    globalThis.gc?.();
    const { rss, heapUsed } = process.memoryUsage();
    const usage: Usage = { cpu: user + system, resident: rss, heap: heapUsed, limited: limited() };
    process.send?.(usage);
  });
  process.on('disconnect', () => process.exit());
  process.send?.(opened);
}

async function open(role: string, upstream: string, count: (limited: () => number) => void): Promise<string> {
  if (role === 'proxy') {
    const client = createClient({ baseUrl: upstream, apiKey: KEY, concurrency: IN_FLIGHT });
    return (await createProxy(client).listen({ port: 0 })).url;
  }
  if (role === 'mock') {
    const mock = createMockService({ keys: [KEY], keyed: { second: 200, minute: 6_000 }, keepLog: false });
    count(() => mock.limited);
    return (await mock.listen()).url;
  }
  const page = pageOf(20);
  const agent = new Agent({ keepAlive: true, maxSockets: IN_FLIGHT });
  const server = createServer((incoming, outgoing) => {
    if (role === 'service') {
      outgoing.writeHead(200, HEADERS).end(page);
      return;
    }
    const { method, url: path, headers } = incoming;
    if (role === 'bare-fetch') return void passByFetch(upstream + path, outgoing);
    const passed = { ...headers, host: new URL(upstream).host, 'x-api-key': KEY };
    const outgoingRequest = request(upstream, { method, path, headers: passed, agent }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.rawHeaders);
      answer.pipe(outgoing);
    });
    incoming.pipe(outgoingRequest);
  });
  server.keepAliveTimeout = 120_000;
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function passByFetch(url: string, outgoing: ServerResponse): Promise<void> {
  const response = await fetch(url, { headers: { 'x-api-key': KEY } });
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  for await (const piece of response.body ?? []) outgoing.write(piece);
  outgoing.end();
}

/** Limits far above the load. */
const HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'x-ratelimit-cost-stacks': '1',
  'x-ratelimit-limit-stacks-second': '100000',
  'x-ratelimit-remaining-stacks-second': '99990',
  'x-ratelimit-limit-stacks-minute': '6000000',
  'x-ratelimit-remaining-stacks-minute': '5999990',
};

function median(numbers: readonly number[]): number {
  return quantile(numbers, 0.5);
}

function quantile(numbers: readonly number[], part: number): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor((numbers.length - 1) * part)] ?? Number.NaN;
}

function mib(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0);
}

if (values.as) await serve(values.as, positionals[0] ?? '');
else {
  await compare();
  await storm();
}
