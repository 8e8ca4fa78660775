import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ServiceAnswer } from '../answer.ts';
import { once } from '../routes/request.ts';
import type { MockHost } from './network.ts';
import { isConnectionLost } from './network-error.ts';
import { pause } from './pause.ts';
import { pieces, SLOW_PIECE_MS, SLOW_PIECES } from './response.ts';

/** A service listening on a port of this machine. */
export interface ListeningService {
  /** Its URL: `http://127.0.0.1:<port>`. */
  readonly url: string;
  /** Stops listening and closes all connections. */
  close(): Promise<void>;
}

/**
 * For how long an idle connection stays open, in milliseconds, as long as gateways keep theirs: with Node's five seconds a client on
 * a busy machine sends requests to connections that are being closed.
 */
const KEEP_ALIVE_MS = 60_000;

/** Lets a page of another origin read every answer, its quota headers included. */
const CORS = ['access-control-allow-origin', '*', 'access-control-expose-headers', '*'];

/** The answer to a browser that asks whether a page may send a request, such as one with a key. It does not count. */
const PREFLIGHT = [...CORS, 'access-control-allow-methods', '*', 'access-control-allow-headers', '*'];

/** Opens a real port, on the loopback interface only. Faults then affect real sockets. */
export async function listen(host: MockHost, port: number): Promise<ListeningService> {
  // Imported on demand, so that the package loads in runtimes without node:http.
  const { createServer } = await import('node:http');
  const server = createServer(
    { keepAliveTimeout: KEEP_ALIVE_MS },
    (incoming, outgoing) => void serve(host, incoming, outgoing),
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const { port: opened } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${opened}`, close: () => close(server) };
}

async function serve(host: MockHost, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { method = 'GET', headers, socket } = incoming;
  if (method === 'OPTIONS' && headers['access-control-request-method'])
    return void outgoing.writeHead(204, PREFLIGHT).end();
  const get = (name: string): string | null => headers[name.toLowerCase()]?.toString() ?? null;
  try {
    const { url: target = '/' } = incoming;
    // A path may begin with two slashes, which would begin the name of a host.
    const url = new URL(target.startsWith('/') ? host.origin + target : target, host.origin);
    const answer = await host.exchange({ method, url, headers: { get }, bytes: once(() => bytesOf(incoming)) });
    incoming.resume();
    await send(answer, host, outgoing, headers.origin === undefined ? [] : CORS);
  } catch (error) {
    if (isConnectionLost(error)) socket.resetAndDestroy();
    else outgoing.writeHead(500).end(String(error));
  }
}

async function bytesOf(incoming: IncomingMessage): Promise<Uint8Array> {
  return Buffer.concat(await incoming.toArray());
}

async function send(
  { status, headers, body, delivery }: ServiceAnswer,
  host: MockHost,
  outgoing: ServerResponse,
  more: readonly string[],
): Promise<void> {
  const content = body();
  const length = content.length === 0 ? [] : ['content-length', String(Buffer.byteLength(content))];
  outgoing.sendDate = false;
  outgoing.writeHead(status, [...headers.flat(), ...length, ...more]);
  if (delivery === 'truncated' && content.length > 0) {
    outgoing.write(content.slice(0, content.length / 2), () => outgoing.destroy());
    return;
  }
  if (delivery === 'slow') {
    outgoing.flushHeaders();
    for (const piece of pieces(content, SLOW_PIECES)) {
      await pause(host.clock, SLOW_PIECE_MS);
      if (outgoing.destroyed) return;
      outgoing.write(piece);
    }
    outgoing.end();
  } else outgoing.end(content);
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
