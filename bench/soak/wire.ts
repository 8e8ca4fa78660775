import { getEventListeners } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createClient } from '../../src/index.ts';
import { KEY, pageOf } from '../service.ts';
import { isExpected } from './expected.ts';
import { growthIn, type Sample, sample } from './memory.ts';
import type { Soaked } from './virtual.ts';

const SAMPLES = 12;
const IN_FLIGHT = 32;

/** Far above the load: the bookkeeping of the wire is tried here. */
const LIMIT = 100_000;

/** Calls before the first sample: on a busy machine a time alone would be over before the code is compiled. */
const WARM_UP = 200;

/** Names of Node for what keeps a process alive. */
const LEFT = /^(Timeout|Immediate|TCP.*)$/;

/** By then whatever ends by itself has ended, in milliseconds: an answer that is lost is waited for no longer than its time-out. */
const ENDS_WITHIN_MS = 60_000;

/** A server that resets, stalls, lies about lengths and answers out of order: one request in eight. */
function spoilt(request: IncomingMessage, response: ServerResponse, turn: number): void {
  const page = pageOf(5);
  const headers = {
    'content-type': 'application/json',
    'x-ratelimit-limit-stacks-second': `${LIMIT}`,
    'x-ratelimit-remaining-stacks-second': `${LIMIT - 1}`,
  };
  const answer = (): void => void response.writeHead(200, headers).end(page);
  switch (turn % 64) {
    case 7:
      return void request.socket.destroy();
    case 15:
      return void response.writeHead(200, { ...headers, 'content-length': page.length + 100 }).end(page, () => {
        response.socket?.destroy();
      });
    case 23:
      return void response.writeHead(200, headers).write(page.slice(0, 40), () => request.socket.destroy());
    case 31:
      return void response.writeHead(503, { ...headers, 'retry-after': '0' }).end('busy');
    case 39:
      // Stalls in the middle of a body until its client gives up.
      return void response.writeHead(200, headers).write(page.slice(0, 40));
    case 47:
      return void setTimeout(answer, 400);
    case 55:
      return void response.writeHead(302, { location: '/elsewhere' }).end();
    default:
      if (turn % 3 === 0) setTimeout(answer, turn % 40);
      else answer();
  }
}

/** Calls over real sockets to a server that does everything wrong, for a time. Sockets, descriptors and memory must be flat. */
export async function soakOnTheWire(ms: number): Promise<Soaked> {
  let turns = 0;
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => spoilt(request, response, turns++));
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const client = createClient({
    baseUrl: `http://127.0.0.1:${port}`,
    apiKey: KEY,
    timeoutMs: 1_000,
    concurrency: IN_FLIGHT,
  });
  const { signal } = new AbortController();
  let from = Infinity;
  const samples: Sample[] = [];
  const wrong = new Set<string>();
  let [made, failed] = [0, 0];
  const work = async (): Promise<void> => {
    while (made < WARM_UP || performance.now() - from < ms) {
      made++;
      await client
        .fetch('/extended/v1/anything', { signal })
        .then(
          (response) => response.text(),
          (error: Error) => {
            failed++;
            if (!isExpected(error)) wrong.add(`${error.name}: ${error.message}`);
          },
        )
        .catch(() => failed++);
    }
  };
  const watch = async (): Promise<void> => {
    while (made < WARM_UP) await new Promise((resolve) => setTimeout(resolve, 100));
    from = performance.now();
    for (let index = 0; index <= SAMPLES; index++) {
      const due = from + (index * ms) / SAMPLES;
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
      samples.push(await sample(made));
    }
  };
  await Promise.all([watch(), ...Array.from({ length: IN_FLIGHT }, work)]);
  await client.close();
  // What is left now are connections kept alive, no more than calls in flight.
  if (sockets.size > IN_FLIGHT * 2) wrong.add(`${sockets.size} sockets are open`);
  if (getEventListeners(signal, 'abort').length > 0) wrong.add('the signal of all calls has listeners left');
  server.closeAllConnections();
  server.close();
  const left = await leftAfter(() => {
    const { inFlight, held } = client.quota();
    return {
      'requests in flight': inFlight,
      'units held': held,
      'timers or sockets': process.getActiveResourcesInfo().filter((name) => LEFT.test(name)).length,
    };
  });
  for (const [what, count] of left) wrong.add(`${count} ${what} are left`);
  return { samples, faults: [...wrong, ...growthIn(samples)], notes: [`${made} calls, ${failed} of them failed`] };
}

/** What is still left when there was time enough for it to end. */
async function leftAfter(count: () => Readonly<Record<string, number>>): Promise<[string, number][]> {
  const until = performance.now() + ENDS_WITHIN_MS;
  for (;;) {
    const left = Object.entries(count()).filter(([, number]) => number > 0);
    if (left.length === 0 || performance.now() > until) return left;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
