import type { Clock } from '../clock.ts';
import { type Operation, remoteStore } from '../sharing/store/operations.ts';
import type { ShareStore } from '../sharing/store/store.ts';
import { LONGEST_TIMEOUT_MS, Patience } from '../sharing/trips/patience.ts';
import { findHost } from './find-host.ts';
import type { Host } from './host.ts';
import type { HostPaths } from './host-paths.ts';
import { Link } from './link.ts';
import type { StoreClock } from './store-clock.ts';

/** A host that does not answer for this long is succeeded, or for longer while the machine is busy: see {@link Patience}. In milliseconds. */
const SILENT_MS = 300;

/** Hosts that an operation is sent to, one after the other, before it fails. */
const HOSTS = 3;

/** The stores of a share, kept by whichever process of this machine is the host. */
export class LocalBooks {
  readonly #paths: HostPaths;
  readonly #clock: Clock;
  readonly #now: StoreClock;
  /** Begins with the longest time-out, because a machine is busy when processes start. */
  readonly #patience = new Patience(SILENT_MS, LONGEST_TIMEOUT_MS);
  #link: Promise<Link> | undefined;
  #present: Link | undefined;
  #host: Host | undefined;
  #known = 0;
  #silent = 0;
  #isClosed = false;

  /** @param now - the clock of the stores that this process keeps while it is the host. */
  constructor(paths: HostPaths, clock: Clock, now: StoreClock) {
    this.#paths = paths;
    this.#clock = clock;
    this.#now = now;
  }

  /** The store of an API key, by its fingerprint. */
  storeOf(share: string): ShareStore {
    const store = remoteStore((operation) => this.#call(share, operation));
    return {
      ...store,
      isNear: true,
      async take(ask) {
        const answer = await store.take(ask);
        return answer === 'stale' ? answer : { ...answer, sequence: ask.sequence };
      },
    };
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

  /**
   * Has an operation performed. If the answer of a host is lost, the next one is asked: it knows whether the operation took effect,
   * and that it is asked again by a sequence number of its own.
   */
  async #call(share: string, operation: Operation): Promise<unknown> {
    let failure: unknown;
    for (let turn = 0; turn < HOSTS; turn++) {
      const link = await this.#linked();
      try {
        const sentAt = this.#clock.now();
        const result = await link.request(share, inTurn(operation, turn), this.#patience.after(turn));
        this.#patience.answered(this.#clock.now() - sentAt);
        return result;
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
    const silent = this.#silent;
    // A host that cannot be succeeded, because it still has its pipe, may answer again.
    this.#silent = 0;
    const { socket, generation, host } = await findHost(this.#paths, this.#known, silent, this.#now);
    this.#host = host;
    this.#known = generation;
    const link: Link = new Link(socket, generation, this.#clock, () => this.#lost(link));
    this.#present = link;
    if (this.#isClosed) this.close();
    return link;
  }

  /** The connection has closed. Another host is found at once, so that the next call need not wait for it. */
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

/** The operation as it is sent to one host after another: each ask has a higher sequence number than the ones before. */
function inTurn(operation: Operation, turn: number): Operation {
  if (operation.do !== 'take') return operation;
  const { ask } = operation;
  return { ...operation, ask: { ...ask, sequence: ask.sequence * HOSTS + turn } };
}
