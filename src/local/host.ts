import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type MemoryStore, memoryStore } from '../sharing/memory-store.ts';
import { readLines, writeLine } from './lines.ts';
import { fromJson, type HostReply, type HostRequest, perform } from './messages.ts';
import type { Place, Publication } from './place.ts';
import type { StoreClock } from './store-clock.ts';

/** After a host has gone, the next one answers this much later, so that the processes can tell it what they remember. In milliseconds. */
const REMEMBER_MS = 150;

/** Interval at which a host looks for one of a higher generation, in milliseconds. */
const CHECK_MS = 250;

/**
 * A host whose last check is older than this may have been stopped for so long that another has taken over: it checks again before it
 * serves anything. In milliseconds.
 */
const STOPPED_MS = 300;

/** Number of API keys from which unused stores are dropped. */
const MANY_STORES = 100;

/** The hosts of this process. */
const hosts = new Set<Host>();
const closeHosts = (): void => {
  for (const host of hosts) host.close();
};

/** The process that keeps the books of a share: it serves stores in its memory, one per API key, on a local socket. */
export class Host {
  readonly generation: number;
  readonly #place: Place;
  readonly #now: StoreClock;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #stores = new Map<string, MemoryStore>();
  readonly #remembering: Promise<void>;
  #isRemembering: boolean;
  #timer: ReturnType<typeof setInterval> | undefined;
  #checkedAt: number;
  #publication: Publication | undefined;
  #isClosed = false;

  private constructor(place: Place, generation: number, isSuccessor: boolean, now: StoreClock) {
    this.generation = generation;
    this.#place = place;
    this.#now = now;
    this.#checkedAt = now();
    this.#isRemembering = isSuccessor;
    this.#remembering = isSuccessor ? sleep(REMEMBER_MS, undefined, { ref: false }) : Promise.resolve();
    void this.#remembering.then(() => {
      this.#isRemembering = false;
    });
    this.#server = createServer((socket) => this.#serve(socket));
  }

  /**
   * Opens the socket of a generation. `isSuccessor`: there was a host before. Resolves with `undefined` if another process has
   * opened it.
   */
  static async bind(
    place: Place,
    generation: number,
    isSuccessor: boolean,
    now: StoreClock,
  ): Promise<Host | undefined> {
    const host = new Host(place, generation, isSuccessor, now);
    return (await host.#listen()) ? host : undefined;
  }

  /** Stops serving: every process that is connected looks for the next host. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#timer);
    hosts.delete(this);
    if (hosts.size === 0) process.off('exit', closeHosts);
    // A path that is left tells a process which comes before the next host that there is something to remember.
    const isLast = this.#sockets.size <= 1;
    if (isLast) this.#publication?.remove();
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  async #listen(): Promise<boolean> {
    const path = this.#place.newPath();
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
      this.#publication = await this.#place.publish(path, this.generation);
    } finally {
      if (!this.#publication) this.close();
    }
    if (!this.#publication) return false;
    if (hosts.size === 0) process.on('exit', closeHosts);
    hosts.add(this);
    this.#timer = setInterval(() => void this.#check(), CHECK_MS).unref();
    await this.#check();
    await this.#place.removeBelow(this.generation);
    return true;
  }

  /**
   * Steps down for a host of a higher generation, because this process did not answer for a while, so another has taken over; and if
   * its path no longer leads to its socket, because then no process finds it.
   */
  async #check(): Promise<void> {
    const highest = (await this.#place.generations().catch(() => [])).at(-1) ?? 0;
    this.#checkedAt = this.#now();
    if (highest > this.generation || !this.#publication?.isOurs()) this.close();
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.unref();
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    readLines(socket, (message) => void this.#hear(socket, message as HostRequest).catch(() => socket.destroy()));
  }

  async #hear(socket: Socket, request: HostRequest): Promise<void> {
    if ('remember' in request) {
      // Afterwards the claims of a store that has been used are newer than what others remember.
      for (const [share, memory] of request.remember)
        if (this.#isRemembering || !this.#stores.has(share)) this.#storeOf(share).restore(fromJson(memory));
      return;
    }
    const { id, share, operation } = request;
    await this.#remembering;
    if (this.#now() - this.#checkedAt > STOPPED_MS) await this.#check();
    if (this.#isClosed) return;
    const reply: HostReply = await perform(this.#storeOf(share), operation).then(
      (result) => ({ id, result }),
      (error: unknown) => ({ id, error: String(error) }),
    );
    writeLine(socket, reply);
  }

  #storeOf(share: string): MemoryStore {
    let store = this.#stores.get(share);
    if (store) return store;
    if (this.#stores.size >= MANY_STORES)
      for (const [name, { size }] of this.#stores) if (size === 0) this.#stores.delete(name);
    store = memoryStore(this.#now);
    this.#stores.set(share, store);
    return store;
  }
}
