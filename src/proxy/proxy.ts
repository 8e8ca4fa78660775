import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, isIP } from 'node:net';
import type { FetchClient } from '../client/client.ts';
import { ClosedError, ConfigError, quote } from '../errors.ts';
import { isLoopback } from '../options/credentials.ts';
import { argument, checkClient, optionsParser, withDefault } from '../validation/arguments.ts';
import { createForward } from './forward.ts';
import { type ProxyOptions, readProxyOptions } from './options.ts';
import { createPages } from './pages.ts';
import { sendProblem } from './problem.ts';
import { checkRequest } from './request-check.ts';

/** Connections that wait to be accepted: as many as the system allows, so that none of very many at once is refused. */
const BACKLOG = 4_096;

/**
 * How long an idle connection is kept, in milliseconds: longer than programs keep theirs (Go 90 s), because a request on a connection
 * that is closed at the same time fails, and a POST is not sent again.
 */
const KEEP_ALIVE_MS = 120_000;

/** A closing proxy waits no longer than twice this time, in milliseconds, for a caller that neither sends nor reads. */
const STALLED_MS = 4_000;

/** Where a proxy listens. */
export interface ListenOptions {
  /** The port, 0 to 65,535; 0 for any free one. Default: 3999. */
  readonly port?: number | undefined;
  /** The address, without a port. Another one than the loopback requires the option `token` of the proxy. Default: `127.0.0.1`. */
  readonly host?: string | undefined;
}

/** A proxy that listens. */
export interface ListeningProxy {
  /** Its URL, such as `http://127.0.0.1:3999`. */
  readonly url: string;
  /**
   * Accepts no more connections and requests, lets those in progress finish, and resolves when they have. Close the client, too: its
   * calls then end. A caller that stops sending its request, or reading its answer, is disconnected after four to eight seconds.
   */
  close(): Promise<void>;
}

/** A proxy that paces what any program sends through it. */
export interface Proxy {
  /**
   * The listener for a server of your own: `createServer(proxy.handle)`. A server with another address than the loopback needs the option
   * `token`. A body parser must not come before it.
   */
  readonly handle: RequestListener;
  /**
   * Opens a port.
   *
   * @throws ConfigError if an option is invalid, or the address is not the loopback and there is no token; the error of the system,
   * such as `EADDRINUSE`.
   */
  listen(options?: ListenOptions): Promise<ListeningProxy>;
}

/**
 * Creates an HTTP proxy that sends each request through `client.fetch`: it waits for quota, gets the key, and is retried like any
 * call of the client. Requests keep their path; the headers `x-quota-priority`, `x-quota-cost`, `x-quota-max-wait-ms`,
 * `x-quota-max-queue-ms` and `x-quota-timeout-ms` set the options of the call. Below `/-/` is what the proxy says of itself: a page,
 * `quota`, `queue`, `metrics`, `healthz` and `events`.
 *
 * @example
 * ```ts
 * const { url } = await createProxy(client).listen({ port: 3999 });
 * // curl http://localhost:3999/extended/v1/info
 * ```
 *
 * @throws ConfigError if an option is invalid.
 */
export function createProxy(client: FetchClient, options: ProxyOptions = {}): Proxy {
  checkClient(client);
  const { token, clock } = readProxyOptions(options);
  const forward = createForward(client, token !== undefined);
  const pages = createPages(client, clock);

  const handle = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    // A caller that hangs up breaks the pipe, which is no failure of the proxy.
    outgoing.on('error', () => {});
    try {
      const path = checkRequest(incoming, token);
      const page = pages.find(path, incoming.method);
      if (page) page(incoming, outgoing);
      else void forward(incoming, outgoing, path);
    } catch (error) {
      sendProblem(outgoing, error);
    }
  };

  return {
    handle,
    listen: async (given = {}) => {
      const { port, host } = readListenOptions(given, token !== undefined);
      const server: Server = serverOf((incoming, outgoing) => {
        if (server.listening) return handle(incoming, outgoing);
        // A connection that was in use may bring one more request.
        outgoing.shouldKeepAlive = false;
        sendProblem(outgoing, new ClosedError());
      });
      const answered = inProgress(server, pages.end);
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen({ port, host, backlog: BACKLOG }, resolve);
      });
      const { port: opened } = server.address() as AddressInfo;
      return {
        url: `http://${host.includes(':') ? `[${host}]` : host}:${opened}`,
        close: async () => {
          const closed = new Promise<void>((resolve) => server.close(() => resolve()));
          await answered();
          server.closeAllConnections();
          await closed;
        },
      };
    },
  };
}

function serverOf(handle: RequestListener): Server {
  // A request may wait for quota for longer than five minutes before its body is read.
  const server = createServer({ requestTimeout: 0, keepAliveTimeout: KEEP_ALIVE_MS }, handle);
  // Node gives no `CONNECT` to `handle`.
  return server.on('connect', (_, socket) => {
    socket.on('error', () => {});
    socket.end(
      'HTTP/1.1 405 Method Not Allowed\r\nx-quota-error: method\r\nconnection: close\r\ncontent-length: 0\r\n\r\n',
    );
  });
}

/**
 * Follows the requests of a server. Its own `close` would also wait for connections that browsers keep in reserve.
 *
 * @param end - ends a response that would go on for ever.
 * @returns a function that resolves as soon as none is in progress, and disconnects callers that stall.
 */
function inProgress(server: Server, end: (outgoing: ServerResponse) => void): () => Promise<void> {
  const open = new Set<ServerResponse>();
  server.on('request', (_, outgoing) => {
    open.add(outgoing);
    outgoing.once('close', () => open.delete(outgoing));
  });
  return async () => {
    while (open.size > 0) {
      // Only the last answer on each connection may close it: those before it answer pipelined requests.
      const last = new Map(Array.from(open, (outgoing) => [outgoing.req.socket, outgoing]));
      for (const outgoing of last.values()) outgoing.shouldKeepAlive = false;
      for (const outgoing of open) {
        outgoing.setTimeout(STALLED_MS, () => disconnectStalled(outgoing));
        end(outgoing);
      }
      await Promise.all(Array.from(open, (outgoing) => once(outgoing, 'close')));
    }
  };
}

/** Nothing has moved for a time. That is the caller's fault if it owes bytes of its request, or has not read those of its answer. */
function disconnectStalled(outgoing: ServerResponse): void {
  const { req: incoming, writableLength } = outgoing;
  if (writableLength > 0 || (!incoming.complete && incoming.readableLength === 0)) outgoing.destroy();
}

const listenOptions = optionsParser('options of listen', {
  port: withDefault(
    argument<number>((port) => Number.isInteger(port) && port >= 0 && port <= 65_535, 'a whole number from 0 to 65535'),
    3_999,
  ),
  host: withDefault(
    argument<string>(
      (host) => typeof host === 'string' && (isIP(host) > 0 || /^[^:]+$/.test(host)),
      'an address such as 127.0.0.1 or ::1, without a port',
    ),
    '127.0.0.1',
  ),
});

function readListenOptions(given: ListenOptions, hasToken: boolean): { readonly port: number; readonly host: string } {
  const { port, host } = listenOptions(given);
  if (hasToken || isLoopback(host === '::1' ? '[::1]' : host)) return { port, host };
  throw new ConfigError(
    'host',
    `must be the loopback, such as 127.0.0.1, unless the proxy has a token; ${quote(host)} is open to others`,
  );
}
