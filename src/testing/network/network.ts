import type { Clock } from '../../clock.ts';
import type { ServiceAnswer } from '../answer.ts';
import { once, type ServiceRequest } from '../routes/request.ts';
import { networkError } from './network-error.ts';
import { unlessAborted } from './pause.ts';
import { responseFrom } from './response.ts';

/** A service as part of a network. */
export interface MockHost {
  readonly origin: string;
  readonly clock: Clock;
  /** Answers a request, with latency and faults. */
  readonly exchange: (request: ServiceRequest) => Promise<ServiceAnswer>;
}

/** A network of services that can redirect to each other. */
export interface MockNetwork {
  /** Answers like the global `fetch`, without patching it. A request to an unknown origin is a network error. */
  readonly fetch: typeof fetch;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const MOST_REDIRECTS = 20;

/** Headers that undici removes on a redirect to another origin. `x-api-key` is not among them: `fetch` sends it everywhere. */
const LEFT_BEHIND = ['authorization', 'proxy-authorization', 'cookie', 'host'];

/**
 * Creates a network of these services.
 *
 * @example
 * ```ts
 * const clock = virtualClock();
 * const service = createMockService({ clock });
 * const other = createMockService({ clock, origin: 'https://other.example' });
 * const client = createClient({ baseUrl: service.origin, fetch: mockNetwork(service, other).fetch, clock });
 * ```
 */
export function mockNetwork(...hosts: readonly MockHost[]): MockNetwork {
  const isHost = (host: MockHost | null | undefined): boolean =>
    typeof host?.exchange === 'function' && typeof host.origin === 'string';
  if (!hosts.every(isHost)) throw new Error('mockNetwork takes mock services, one after the other.');
  const byOrigin = new Map(hosts.map((host) => [host.origin, host]));
  if (byOrigin.size < hosts.length) throw new Error('Two services have one origin: give each an origin of its own.');
  return {
    async fetch(input: string | URL | Request, options?: RequestInit | null): Promise<Response> {
      const init = options ?? {};
      // Accepts a Request of another realm or of the package undici as well.
      const given = typeof input === 'object' && input !== null && !('href' in input) ? input : undefined;
      const signal = init.signal === undefined ? given?.signal : init.signal;
      const redirect = init.redirect ?? given?.redirect ?? 'follow';
      const headers = new Headers(init.headers ?? given?.headers);
      let method = (init.method ?? given?.method ?? 'GET').toUpperCase();
      let url = new URL(given?.url ?? String(input));
      let bytes = bodyOf(init.body ?? given?.body, headers);
      for (let hops = 0; ; hops++) {
        const host = byOrigin.get(url.origin);
        if (!host) throw networkError(`getaddrinfo ENOTFOUND ${url.hostname}`, 'ENOTFOUND');
        const request: ServiceRequest = { method, url, headers, bytes };
        const answer = await unlessAborted(() => host.exchange(request), signal);
        const location = REDIRECTS.has(answer.status) && answer.headers.find(([name]) => name === 'location')?.[1];
        if (!location || redirect === 'manual') {
          const seen = { url: { value: url.href }, redirected: { value: hops > 0 } };
          return Object.defineProperties(responseFrom(answer, host.clock, signal), seen);
        }
        if (redirect === 'error') throw networkError('unexpected redirect');
        if (hops === MOST_REDIRECTS) throw networkError('redirect count exceeded');
        const next = new URL(location, url);
        if (next.origin !== url.origin) for (const name of LEFT_BEHIND) headers.delete(name);
        if (answer.status === 303 ? method !== 'HEAD' : answer.status <= 302 && method === 'POST') {
          method = 'GET';
          bytes = undefined;
        }
        url = next;
      }
    },
  };
}

/** Reads a body when it is asked for. Adds the `content-type` that `fetch` derives from the body. */
function bodyOf(body: BodyInit | null | undefined, headers: Headers): ServiceRequest['bytes'] {
  if (body === null || body === undefined) return undefined;
  const carrier = new Response(body);
  const type = carrier.headers.get('content-type');
  if (type !== null && !headers.has('content-type')) headers.set('content-type', type);
  return once(async () => new Uint8Array(await carrier.arrayBuffer()));
}
