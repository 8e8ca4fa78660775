import type { ServiceAnswer } from './gateway.ts';
import { unlessAborted } from './pause.ts';
import type { ServiceRequest } from './routes.ts';

/** What a network needs to know of a service. */
export interface Host {
  readonly origin: string;
  readonly exchange: (request: ServiceRequest) => Promise<ServiceAnswer>;
}

/** Some services that can redirect to each other, and nothing else. */
export interface MockNetwork {
  /** Answers like the global `fetch`, without patching it. Other origins than the services' own are network errors. */
  readonly fetch: typeof fetch;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const BODYLESS = new Set([204, 205, 304]);
const MOST_REDIRECTS = 20;

/** What undici takes off when a redirect leaves the origin. `x-api-key` is not among them: `fetch` carries it anywhere. */
const LEFT_BEHIND = ['authorization', 'proxy-authorization', 'cookie', 'host'];

/** Joins services into a network of their own. */
export function mockNetwork(...hosts: readonly Host[]): MockNetwork {
  const byOrigin = new Map(hosts.map((host) => [host.origin, host]));
  return {
    async fetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
      const request = input instanceof Request ? input : undefined;
      const signal = init?.signal === undefined ? request?.signal : init.signal;
      const redirect = init?.redirect ?? request?.redirect ?? 'follow';
      const headers = new Headers(init?.headers ?? request?.headers);
      let method = (init?.method ?? request?.method ?? 'GET').toUpperCase();
      let url = new URL(request?.url ?? String(input));
      for (let hops = 0; ; hops++) {
        const host = byOrigin.get(url.origin);
        if (!host) throw failed(`getaddrinfo ENOTFOUND ${url.hostname}`, 'ENOTFOUND');
        const asked: ServiceRequest = { method, url, headers };
        const answer = await unlessAborted(() => host.exchange(asked), signal);
        const location = REDIRECTS.has(answer.status) && answer.headers.find(([name]) => name === 'location')?.[1];
        if (!location || redirect === 'manual') return responseFrom(answer, url, hops > 0, signal);
        if (redirect === 'error') throw failed('unexpected redirect');
        if (hops === MOST_REDIRECTS) throw failed('redirect count exceeded');
        const next = new URL(location, url);
        if (next.origin !== url.origin) for (const name of LEFT_BEHIND) headers.delete(name);
        if (answer.status === 303 ? method !== 'HEAD' : answer.status <= 302 && method === 'POST') method = 'GET';
        url = next;
      }
    },
  };
}

function responseFrom(
  answer: ServiceAnswer,
  url: URL,
  redirected: boolean,
  signal: AbortSignal | null | undefined,
): Response {
  const text = BODYLESS.has(answer.status) ? '' : answer.body();
  const body = text === '' ? null : signal ? abortable(text, signal) : text;
  const response = new Response(body, { status: answer.status, headers: answer.headers });
  return Object.defineProperties(response, { url: { value: url.href }, redirected: { value: redirected } });
}

const encoder = new TextEncoder();

/** A body that fails with the signal's reason when it is read too late. Nothing listens, so a long-lived signal gathers no listeners. */
function abortable(text: string, signal: AbortSignal): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      pull(controller) {
        if (signal.aborted) return controller.error(signal.reason);
        controller.enqueue(encoder.encode(text));
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}

function failed(message: string, code?: string): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(message), code && { code }) });
}
