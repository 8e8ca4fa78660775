import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import type { Client } from '../../../src/client/client.ts';
import { createClient } from '../../../src/client/create-client.ts';
import type { ClientOptions } from '../../../src/options/client-options.ts';
import { createProxy, type ProxyOptions } from '../../../src/proxy/index.ts';

export const KEY = 'k3y-of-the-proxy-tests-0123456789abcdef';
export const INFO = '/extended/v1/info';

/** A service, written by hand. */
export type Handler = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/** What came back. */
export interface Answer {
  readonly status: number | undefined;
  readonly statusText: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly json: { error?: Record<string, unknown> } & Record<string, unknown>;
}

export interface Asked {
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Buffer;
}

/** A proxy between a client and a service. */
export interface Pair {
  readonly client: Client;
  /** URL of the proxy, and its port. */
  readonly url: string;
  readonly port: number;
  readonly serviceUrl: string;
  /** What the service was asked. */
  readonly seen: readonly { readonly method: string; readonly url: string; readonly headers: IncomingHttpHeaders }[];
  /** Asks the proxy. */
  readonly ask: (path: string, asked?: Asked) => Promise<Answer>;
  /** Closes the client and the proxy. */
  readonly close: () => Promise<void>;
}

const open: (() => Promise<void>)[] = [];

/** Closes everything that the tests of a file have opened. */
export async function closeAll(): Promise<void> {
  for (const close of open.splice(0).reverse()) await close();
}

/** A proxy on a real port, the client behind it, and the service behind that, on a real port, too. */
export async function pairOf(
  handler: Handler,
  {
    basePath = '',
    client: clientOptions = {},
    proxy: proxyOptions = {},
  }: {
    basePath?: string;
    client?: ClientOptions;
    proxy?: ProxyOptions;
  } = {},
): Promise<Pair> {
  const seen: Pair['seen'][number][] = [];
  const service = createServer((incoming, outgoing) => {
    const { method = '', url = '', headers } = incoming;
    seen.push({ method, url, headers });
    handler(incoming, outgoing);
  });
  await once(service.listen(0, '127.0.0.1'), 'listening');
  const serviceUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  const client = createClient({ baseUrl: serviceUrl + basePath, apiKey: KEY, random: () => 0, ...clientOptions });
  const proxy = createProxy(client, proxyOptions);
  const listening = await proxy.listen({ port: 0 });
  const { url } = listening;
  const { port } = new URL(url);
  const close = async (): Promise<void> => {
    await Promise.all([client.close(), listening.close()]);
  };
  open.push(async () => {
    service.closeAllConnections();
    await close();
    service.close();
  });
  return {
    client,
    url,
    port: Number(port),
    serviceUrl,
    seen,
    ask: (path: string, asked?: Asked) => ask(Number(port), path, asked),
    close,
  };
}

/** Sends a request with exactly these headers, to exactly this target. */
async function ask(port: number, path: string, { method = 'GET', headers = {}, body }: Asked = {}): Promise<Answer> {
  const outgoing = request({ host: '127.0.0.1', port, path, method, headers, agent: false });
  outgoing.end(body);
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  const { statusCode: status, statusMessage: statusText, headers: got } = incoming;
  const said = await text(incoming);
  return {
    status,
    statusText,
    headers: got,
    body: said,
    get json() {
      return JSON.parse(said);
    },
  };
}

/** Headers that leave this many units of the minute. */
export function minute(remaining: number, limit = 1_000): Record<string, string> {
  return {
    'x-ratelimit-cost-stacks': '1',
    'x-ratelimit-limit-stacks-minute': String(limit),
    'x-ratelimit-remaining-stacks-minute': String(remaining),
  };
}

/** What a stream of events says until it says this. */
export async function heard({ body }: Response, until: RegExp): Promise<string> {
  let told = '';
  for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    told += piece;
    if (until.test(told)) break;
  }
  return told;
}

/** Asks again until the answer is as expected, because machines are busy. */
export function soon<T>(read: () => T): ReturnType<typeof expect.poll> {
  return expect.poll(read, { timeout: 60_000 });
}

/** Resolves to true after a moment in which nothing moved. */
export function stalled(): Promise<boolean> {
  return new Promise((resolve) => setTimeout(() => resolve(true), 400));
}
