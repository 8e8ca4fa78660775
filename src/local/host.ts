import { createServer, type Server, type Socket } from 'node:net';
import { keepLast } from '../keep-last.ts';
import type { HostPaths, Publication } from './host-paths.ts';
import { KeptStore } from './kept-store.ts';
import { readLines, writeLine } from './lines.ts';
import type { HostReply, HostRequest } from './messages.ts';
import type { StoreClock } from './store-clock.ts';

/** Interval at which a host looks for one of a higher generation, in milliseconds. */
const CHECK_MS = 250;

/** Maximum number of stores in memory. The least recently used one is dropped, and read from its file when it is needed again. */
const MANY_STORES = 100;

/** The hosts of this process. */
const hosts = new Set<Host>();
const closeHosts = (): void => {
  for (const host of hosts) host.close();
};

/**
 * The process that keeps the books of a share: it serves stores in its memory, one per API key, on a local socket, and writes them
 * to files, which the next host reads.
 */
export class Host {
  readonly generation: number;
  readonly #paths: HostPaths;
  readonly #now: StoreClock;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #stores = new Map<string, KeptStore>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #publication: Publication | undefined;
  #isClosed = false;

  private constructor(paths: HostPaths, generation: number, now: StoreClock) {
    this.generation = generation;
    this.#paths = paths;
    this.#now = now;
    this.#server = createServer((socket) => this.#serve(socket));
  }

  /** Opens the socket of a generation. Resolves with `undefined` if another process has opened it. */
  static async bind(paths: HostPaths, generation: number, now: StoreClock): Promise<Host | undefined> {
    const host = new Host(paths, generation, now);
    return (await host.#listen()) ? host : undefined;
  }

  /** Stops serving: every process that is connected looks for the next host. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#timer);
    hosts.delete(this);
    if (hosts.size === 0) process.off('exit', closeHosts);
    // A path that is left shows a process which comes before the next host that this generation was used.
    const isLast = this.#sockets.size <= 1;
    if (isLast) this.#publication?.remove();
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  async #listen(): Promise<boolean> {
    const path = this.#paths.newPath();
    const isBound = await new Promise<boolean>((resolve, reject) => {
      this.#server.once('error', (error: Error & { code?: unknown }) =>
        error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
      );
      // In a worker of `node:cluster` the primary process would bind it otherwise.
      this.#server.listen({ path, exclusive: true }, () => resolve(true));
    });
    if (!isBound) return false;
    // Neither the socket nor the timer keeps a process alive that has nothing else to do.
    this.#server.unref();
    this.#server.on('error', () => this.close());
    try {
      this.#publication = await this.#paths.publish(path, this.generation);
    } finally {
      if (!this.#publication) this.close();
    }
    if (!this.#publication) return false;
    if (hosts.size === 0) process.on('exit', closeHosts);
    hosts.add(this);
    this.#timer = setInterval(() => void this.#check(), CHECK_MS).unref();
    await this.#check();
    await this.#paths.removeBelow(this.generation);
    return true;
  }

  /**
   * Steps down for a host of a higher generation, because this process did not answer for a while, so another has taken over; and if
   * its path no longer leads to its socket, because then no process finds it.
   */
  async #check(): Promise<void> {
    const highest = (await this.#paths.generations().catch(() => [])).at(-1) ?? 0;
    if (highest > this.generation || !this.#publication?.isOurs()) this.close();
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.unref();
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    readLines(
      socket,
      (message, line) => void this.#answer(socket, message as HostRequest, line).catch(() => socket.destroy()),
    );
  }

  async #answer(socket: Socket, { id, share, operation }: HostRequest, line: string): Promise<void> {
    // Another host may have taken over while this process was stopped: then the books of this one are out of date.
    if (this.#paths.isSucceeded(this.generation) || !this.#publication?.isOurs()) this.close();
    if (this.#isClosed) return;
    const reply: HostReply = await this.#storeOf(share)
      .perform(operation, line)
      .then(
        (result) => ({ id, result }),
        (error: unknown) => ({ id, error: String(error) }),
      );
    writeLine(socket, reply);
  }

  #storeOf(share: string): KeptStore {
    const known = this.#stores.get(share) ?? new KeptStore(this.#paths.booksPath(share), this.#now);
    // The last one used is the last one of the map.
    this.#stores.delete(share);
    this.#stores.set(share, known);
    keepLast(this.#stores, MANY_STORES);
    return known;
  }
}
