import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A server on the loopback that answers each request with bytes of the test's own, well-formed or not. */
export interface RawServer {
  readonly url: string;
  /** The connections so far. */
  readonly connections: readonly Socket[];
  /** Requests received. */
  readonly requests: number;
}

/**
 * Starts one, which ends with the test.
 *
 * @param answer - called when the head of a request has arrived, with the number of the request, from 1.
 */
export async function rawServer(answer: (socket: Socket, nth: number) => void): Promise<RawServer> {
  const connections: Socket[] = [];
  let requests = 0;
  const server = createServer((socket) => {
    connections.push(socket);
    socket.on('error', () => {});
    let head = '';
    socket.on('data', (bytes) => {
      head += bytes.toString('latin1');
      if (!head.endsWith('\r\n\r\n')) return;
      head = '';
      answer(socket, ++requests);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of connections) socket.destroy();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections,
    get requests() {
      return requests;
    },
  };
}
