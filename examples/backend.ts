/**
 * A backend that serves the assets of accounts. If the quota is exhausted it answers 503 with `retry-after` instead of waiting.
 *
 *   npm run build && node examples/backend.ts                     against a mock of the service, on this machine
 *   STACKS_API_URL=… STACKS_API_KEY=… node examples/backend.ts    against a live service
 *   curl http://127.0.0.1:3000/assets/SP3HXJJMJQ06GNAZ8XWDN1QM48JEDC6PP6W3YZPZJ
 *
 * PORT=… sets the port instead of 3000; 0 takes any free one.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  createClient,
  isClosed,
  isConfigError,
  isConnectionError,
  isQuotaExhausted,
  isResponseShape,
  isServiceError,
} from 'stacks-quota';
import { createMockService } from 'stacks-quota/testing';

/** Priority of calls that a user waits for. Background work has priority 0. */
const INTERACTIVE = 10;

/** A request waits in a queue that moves, but fails if the queue would stand still for longer than this. */
const STANDSTILL_MS = 2_000;

const DAY_MS = 86_400_000;

const apiKey = 'a-key-of-the-mock';
const mock = process.env.STACKS_API_URL
  ? undefined
  : await createMockService({ keys: [apiKey], latencyMs: 50 }).listen();

// One client for the whole process: it can only account for requests that go through it.
const client = createClient(mock ? { baseUrl: mock.url, apiKey } : {});

const server = createServer(async (request, response) => {
  const [, address] = /^\/assets\/([^/?]+)$/.exec(request.url ?? '') ?? [];
  if (request.url === '/quota') return answer(response, 200, client.quota());
  if (address === undefined) return answer(response, 404, { error: 'Not found.' });

  // If the user disconnects, the call is aborted. It uses no quota if it was not sent yet.
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  try {
    const { data } = await client.getAddressAssets(address, {
      priority: INTERACTIVE,
      maxWaitMs: STANDSTILL_MS,
      signal: gone.signal,
    });
    answer(response, 200, data);
  } catch (error) {
    if (!gone.signal.aborted) refuse(response, error);
  }
});

server.listen(Number(process.env.PORT ?? 3_000), '127.0.0.1', () => {
  console.log(`Listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});

// Waiting calls are rejected and requests in flight finish; after that nothing keeps the process alive.
process.once('SIGTERM', async () => {
  server.close();
  await client.close();
  await mock?.close();
});

/** Maps errors of the client to responses of this backend. */
function refuse(response: ServerResponse, error: unknown): void {
  if (isQuotaExhausted(error)) {
    response.setHeader('retry-after', Math.ceil(Math.min(error.retryAfterMs, DAY_MS) / 1_000));
  }
  const status = statusOf(error);
  if (status === 500) console.error(error);
  answer(response, status, { error: status === 500 ? 'Internal error.' : (error as Error).message });
}

function statusOf(error: unknown): number {
  if (isQuotaExhausted(error) || isClosed(error)) return 503;
  if (isConfigError(error)) return 400;
  if (isServiceError(error)) return error.status === 404 ? 404 : 502;
  return isConnectionError(error) || isResponseShape(error) ? 502 : 500;
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
