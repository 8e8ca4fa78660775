import { connect, type Socket } from 'node:net';
import { Host } from './host.ts';
import type { HostPaths } from './host-paths.ts';
import type { StoreClock } from './store-clock.ts';

/** Tries to find a host or to become it. Each fails only if another process was quicker. */
const TRIES = 20;

/** A connection to the host of a share, and the host itself if it is this process. */
export interface Found {
  readonly socket: Socket;
  readonly generation: number;
  readonly host: Host | undefined;
}

/**
 * Connects to the host of a share; if there is none, this process becomes it.
 *
 * @param known - the highest generation that this process has been connected to; 0: none.
 * @param silent - the generation of a host that does not answer: it is succeeded rather than connected to; 0: none.
 */
export async function findHost(paths: HostPaths, known: number, silent: number, now: StoreClock): Promise<Found> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const highest = (await paths.generations()).at(-1) ?? 0;
    if (highest > silent) {
      const socket = await connectTo(paths, highest);
      if (socket) return { socket, generation: highest, host: undefined };
    }
    const host = await Host.bind(paths, Math.max(highest, known) + 1, now);
    const socket =
      host &&
      (await connectTo(paths, host.generation).catch((error: unknown) => {
        host.close();
        throw error;
      }));
    if (socket) return { socket, generation: host.generation, host };
    host?.close();
  }
  throw Object.assign(new Error('Found no host of the share, and could not become it'), { code: 'NOHOST' });
}

/** Resolves with `undefined` if nothing listens there. */
async function connectTo(paths: HostPaths, generation: number): Promise<Socket | undefined> {
  try {
    await paths.check(generation);
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return undefined;
    throw error;
  }
  return await new Promise((resolve, reject) => {
    const socket = connect(paths.pathOf(generation));
    socket.once('connect', () => resolve(socket));
    socket.once('error', (error: Error & { code?: unknown }) =>
      error.code === 'ECONNREFUSED' || error.code === 'ENOENT' ? resolve(undefined) : reject(error),
    );
  });
}
