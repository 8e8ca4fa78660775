import { chmod } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Listens on a path that is closed to others, until the test has finished. */
export async function listenAt(path: string, serve: (socket: Socket) => void = () => {}): Promise<Server> {
  const server = createServer(serve);
  await new Promise<void>((resolve) => server.listen(path, resolve));
  await chmod(path, 0o600);
  onTestFinished(() => void server.close());
  return server;
}
