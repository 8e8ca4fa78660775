import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ServiceAnswer } from './gateway.ts';
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

/** Opens a real port, on the loopback interface only. Faults then affect real sockets. */
export async function listen(host: MockHost, port: number): Promise<ListeningService> {
  // Imported on demand, so that the package loads in runtimes without node:http.
  const { createServer } = await import('node:http');
  const server = createServer((incoming, outgoing) => void serve(host, incoming, outgoing));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const { port: opened } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${opened}`, close: () => close(server) };
}

async function serve(host: MockHost, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  incoming.resume();
  const { method = 'GET', headers, socket } = incoming;
  const get = (name: string): string | null => headers[name]?.toString() ?? null;
  try {
    const answer = await host.exchange({ method, url: new URL(incoming.url ?? '/', host.origin), headers: { get } });
    await send(answer, host, outgoing);
  } catch (error) {
    if (isConnectionLost(error)) socket.resetAndDestroy();
    else outgoing.writeHead(500).end(String(error));
  }
}

async function send(
  { status, headers, body, delivery }: ServiceAnswer,
  host: MockHost,
  outgoing: ServerResponse,
): Promise<void> {
  const text = body();
  const length = text === '' ? [] : ['content-length', String(Buffer.byteLength(text))];
  outgoing.sendDate = false;
  outgoing.writeHead(status, [...headers.flat(), ...length]);
  if (delivery === 'truncated' && text !== '') {
    outgoing.write(text.slice(0, text.length / 2), () => outgoing.destroy());
    return;
  }
  if (delivery === 'slow') {
    outgoing.flushHeaders();
    for (const piece of pieces(text, SLOW_PIECES)) {
      await pause(host.clock, SLOW_PIECE_MS);
      if (outgoing.destroyed) return;
      outgoing.write(piece);
    }
    outgoing.end();
  } else outgoing.end(text);
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
