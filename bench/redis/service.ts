/**
 * The rate-limited service, in a process of its own. It counts each request when it arrives, per API key, by its own clock,
 * which the runner sets; and answers after some milliseconds with the headers of the real service. It shares no code with
 * `src/testing`. A request for `/bare` is answered the same way and not counted.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { listOf } from './calendar.ts';
import { COSTLY_UNITS, type ServiceEntry, type ServiceJob, type ServiceMessage } from './messages.ts';
import { createWindow, type Window } from './windows.ts';

const INFO = '{"server_version":"bench"}';
const PAGE = '{"limit":20,"offset":0,"total":0,"results":[]}';

const job = JSON.parse(process.argv[2] ?? '') as ServiceJob;
const windowsOf = new Map<string, readonly Window[]>();
const log: ServiceEntry[] = [];
let aheadMs = 0;
let lastMs = 0;

const server = createServer((request, response) => {
  request.resume();
  const isPage = request.url?.includes('/address/') === true;
  const answer = request.url === '/bare' ? { status: 200, headers: {} } : count(request, isPage ? COSTLY_UNITS : 1);
  const [least, most] = job.delayMs;
  setTimeout(() => write(response, answer, isPage ? PAGE : INFO), least + Math.random() * (most - least));
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  send({ kind: 'listening', origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});

process.on('message', (message: { readonly aheadMs: number } | 'log') => {
  if (message === 'log') return send({ kind: 'log', entries: log });
  aheadMs = message.aheadMs;
  lastMs = 0;
  send({ kind: 'clock set' });
});
process.on('disconnect', () => process.exit());

function send(message: ServiceMessage): void {
  process.send?.(message);
}

/** The service's time, which never decreases. */
function now(): number {
  lastMs = Math.max(lastMs, performance.timeOrigin + performance.now() + aheadMs);
  return lastMs;
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

function count({ headers }: IncomingMessage, units: number): Answer {
  const at = now();
  const key = String(headers['x-api-key'] ?? '');
  const windows = windowsOf.get(key) ?? listOf(job.limits).map((limit) => createWindow(limit, job.shape));
  windowsOf.set(key, windows);
  const full = windows.filter((window) => window.left(at) < units);
  if (full.length === 0) for (const window of windows) for (let unit = 0; unit < units; unit++) window.count(at);
  log.push([at, full.length === 0 ? 1 : 0]);
  const freeAt = Math.max(...full.map((window) => window.freeAt(at)));
  return {
    status: full.length === 0 ? 200 : 429,
    headers: {
      ...quotaHeaders(windows, at, units),
      ...(full.length > 0 && { 'retry-after': String(Math.max(1, Math.ceil((freeAt - at) / 1_000))) }),
    },
  };
}

/** The headers of section 8. `ratelimit-*` describe the window with the least remaining. */
function quotaHeaders(windows: readonly Window[], at: number, units: number): Record<string, string> {
  const headers: Record<string, string> = { 'x-ratelimit-cost-stacks': String(units) };
  for (const window of windows) {
    headers[`x-ratelimit-limit-stacks-${window.period}`] = String(window.limit);
    headers[`x-ratelimit-remaining-stacks-${window.period}`] = String(window.left(at));
  }
  const tightest = windows.reduce((least, window) => (window.left(at) <= least.left(at) ? window : least));
  headers['ratelimit-limit'] = String(tightest.limit);
  headers['ratelimit-remaining'] = String(tightest.left(at));
  headers['ratelimit-reset'] = String(Math.ceil(Math.max(at, tightest.freeAt(at)) / 1_000));
  return headers;
}

function write(response: ServerResponse, { status, headers }: Answer, served: string): void {
  response.sendDate = false;
  const body = status === 200 ? served : '{"message":"API rate limit exceeded"}';
  response.writeHead(status, {
    ...{ date: new Date(now()).toUTCString(), 'content-type': 'application/json', 'content-length': body.length },
    ...headers,
  });
  response.end(body);
}
