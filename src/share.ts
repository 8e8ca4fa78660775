import type { Clock } from './clock.ts';
import type { EventListener } from './events.ts';
import { type ShareLimit, type SiblingFacts, wholeShareLimit } from './quota/share-limit.ts';
import type { ServerClock } from './quota/time/server-clock.ts';

/** The class of a priority, by which processes of a share reserve units for each other's calls: below 0, 0 (usual) or above 0 (urgent). */
export type Rank = 0 | 1 | 2;
export const USUAL: Rank & 1 = 1;
export const URGENT: Rank & 2 = 2;

/** The rank of a priority. */
export function rankOf(priority: number): Rank {
  return (Math.sign(priority) + 1) as Rank;
}

/** A client as seen by its share. */
export interface Member {
  readonly clock: Clock;
  readonly random: () => number;
  /** The service's clock, as far as the client knows it. */
  readonly time: ServerClock;
  /** Identifies the quota: the service's origin and the key. A function, so that no inspected object shows the key. */
  readonly credential: () => Promise<string>;
  /** Number of calls that wait and that no pause holds back; given a rank, of those of it or a higher one, including calls that ask for the first time. */
  readonly waiting: (rank?: Rank) => number;
  /** Maximum number of requests in flight. */
  readonly concurrency: number;
  /** Receives facts from other processes. */
  readonly learn: (knowledge: SiblingFacts) => void;
  /** Makes waiting calls ask again, because more may be allowed now. */
  readonly wake: () => void;
  /** Emits an event of the share to the listeners of the client. */
  readonly tell: EventListener;
}

/** The result of joining a share. */
export interface Membership {
  readonly part: ShareLimit;
  /** Returns unspent units. Called when the client is closed. */
  leave(): Promise<void>;
}

/**
 * How much of each window a client may use. Processes with one API key have one quota, so each gets a part of it; the pacer of
 * each process paces within its part.
 *
 * Use {@link wholeShare} for a process that has its key to itself; for several processes `redisShare` of `stacks-quota/redis`, or
 * `localShare` of `stacks-quota/local` if they run on one machine.
 */
export interface QuotaShare {
  /**
   * Called by the client when it is created, and again when it is given another key.
   *
   * @internal
   */
  join(member: Member): Membership;
}

/**
 * The share of a process that has its key to itself: all of every window.
 *
 * @example
 * ```ts
 * const client = createClient({ share: wholeShare }); // the default
 * ```
 */
export const wholeShare: QuotaShare = { join: () => ({ part: wholeShareLimit, leave: () => Promise.resolve() }) };
