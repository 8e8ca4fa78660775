import type { Clock } from '../clock.ts';
import type { Memory } from '../sharing/memory-store.ts';
import type { Answer, ShareAsk, ShareStore } from '../sharing/store.ts';
import type { Host } from './host.ts';
import { findHost } from './hosts.ts';
import { Link } from './link.ts';
import { type Operation, remoteStore, toJson } from './messages.ts';
import type { Place } from './place.ts';
import type { StoreClock } from './store-clock.ts';

/** A host that does not answer for this long is succeeded, in milliseconds. */
const SILENT_MS = 300;

/** Hosts that an operation is sent to, one after the other, before it fails. */
const HOSTS = 3;

/** The stores of a share, kept by whichever process of this machine is the host. */
export class LocalBooks {
  readonly #place: Place;
  readonly #clock: Clock;
  readonly #now: StoreClock;
  readonly #remembered = new Map<string, Remembered>();
  #link: Promise<Link> | undefined;
  #present: Link | undefined;
  #host: Host | undefined;
  #known = 0;
  #silent = 0;
  #isClosed = false;

  /** @param now - the clock of the stores that this process keeps while it is the host. */
  constructor(place: Place, clock: Clock, now: StoreClock) {
    this.#place = place;
    this.#clock = clock;
    this.#now = now;
  }

  /** The store of an API key, by its fingerprint. */
  storeOf(share: string): ShareStore {
    const remembered = this.#remembered.get(share) ?? new Remembered(this.#clock);
    this.#remembered.set(share, remembered);
    return remoteStore(async (operation) => {
      const result = await this.#call(share, operation);
      if (operation.do === 'take' && result !== 'stale') remembered.hear(operation.ask, result as Answer);
      if (operation.do === 'pause') remembered.pause(operation.ms);
      return result;
    });
  }

  /** Leaves the share; another process becomes the host if it was this one. */
  close(): void {
    this.#isClosed = true;
    this.#host?.close();
    void this.#link?.then((link) => link.close()).catch(() => {});
  }

  /** Opens it again, for a client that joins after all others have left. */
  open(): void {
    this.#isClosed = false;
  }

  async #call(share: string, operation: Operation): Promise<unknown> {
    let failure: unknown;
    for (let host = 0; host < HOSTS; host++) {
      const link = await this.#linked();
      try {
        return await link.request(share, operation, SILENT_MS);
      } catch (error) {
        failure = error;
        const { code } = error as { code?: unknown };
        if (code !== 'ECONNRESET' && code !== 'TIMEOUT') throw error;
        if (code === 'TIMEOUT') this.#silent = link.generation;
        this.#drop(link);
      }
    }
    throw failure;
  }

  #linked(): Promise<Link> {
    this.#link ??= this.#connect().catch((error: unknown) => {
      this.#link = undefined;
      throw error;
    });
    return this.#link;
  }

  async #connect(): Promise<Link> {
    const { socket, generation, host } = await findHost(this.#place, this.#known, this.#silent, this.#now);
    this.#host = host;
    this.#known = generation;
    this.#silent = 0;
    const link: Link = new Link(socket, generation, this.#clock, () => this.#lost(link));
    this.#present = link;
    for (const [share, { memory }] of this.#remembered) if (memory) link.remember([[share, toJson(memory)]]);
    if (this.#isClosed) this.close();
    return link;
  }

  /** The connection has closed. Another host is found at once, because it waits only shortly for what processes remember. */
  #lost(link: Link): void {
    if (link !== this.#present) return;
    this.#drop(link);
    if (!this.#isClosed) void this.#linked().catch(() => {});
  }

  #drop(link: Link): void {
    if (link === this.#present) {
      this.#present = undefined;
      this.#link = undefined;
    }
    link.close();
  }
}

/** What this process remembers of a store, by its last answers. */
class Remembered {
  readonly #clock: Clock;
  readonly #used = new Map<string, { readonly units: number; readonly until: number }>();
  #heard: { readonly version: number; readonly since: number } | undefined;
  #pauseUntil = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `undefined`: the store has never answered. */
  get memory(): Memory | undefined {
    if (!this.#heard) return undefined;
    const { version, since } = this.#heard;
    const now = this.#clock.now();
    this.#forget(now);
    const used = [...this.#used].map(([window, { units, until }]) => [window, { units, ttlMs: until - now }] as const);
    return { version, forMs: now - since, pauseMs: Math.max(0, this.#pauseUntil - now), used: new Map(used) };
  }

  pause(ms: number): void {
    this.#pauseUntil = Math.max(this.#pauseUntil, this.#clock.now() + ms);
  }

  hear({ windows }: ShareAsk, { version, urgent, pauseMs, used }: Answer): void {
    const now = this.#clock.now();
    this.#pauseUntil = now + pauseMs;
    this.#heard = { version, since: now - urgent.forMs };
    windows.forEach(({ name, ttlMs }, index) => {
      this.#used.set(name, { units: used[index] ?? 0, until: now + ttlMs });
    });
    this.#forget(now);
  }

  #forget(now: number): void {
    for (const [window, { until }] of this.#used) if (until <= now) this.#used.delete(window);
  }
}
