import type { Clock } from './clock.ts';
import type { EventListener } from './events.ts';
import { type ShareLimit, type SiblingFacts, wholeShareLimit } from './quota/share-limit.ts';
import type { ServerClock } from './quota/time/server-clock.ts';

/** A client, as its share of the quota sees it. */
export interface Member {
  readonly clock: Clock;
  readonly random: () => number;
  /** What the client has found out about the service's clock. */
  readonly time: ServerClock;
  /** Whose quota it is: the service's origin and the key. A function, so that no inspected object shows the key. */
  readonly credential: () => Promise<string>;
  /** Calls that wait to be sent. */
  readonly waiting: () => number;
  /** Those of them with a priority above 0. */
  readonly urgentWaiting: () => number;
  /** Requests that may be under way at once. */
  readonly concurrency: number;
  /** Takes what others found out. */
  readonly learn: (knowledge: SiblingFacts) => void;
  /** The part has grown, so that whoever waits asks again. */
  readonly wake: () => void;
  readonly tell: EventListener;
}

/** What a client that has joined a share holds of it. */
export interface Membership {
  readonly part: ShareLimit;
  /** Gives back what was not spent. Called when the client is closed. */
  leave(): Promise<void>;
}

/**
 * How much of each window a client may spend. Processes that share one API key share one quota, so each gets a part; how
 * to pace within the part stays with the pacer of each process.
 *
 * {@link wholeShare} is for a process that has its key to itself; `redisShare` of `stacks-quota/redis` is for many.
 */
export interface QuotaShare {
  /**
   * What the client calls when it is made.
   *
   * @internal
   */
  join(member: Member): Membership;
}

/** The share of a process that has its key to itself: all of every window. */
export const wholeShare: QuotaShare = { join: () => ({ part: wholeShareLimit, leave: () => Promise.resolve() }) };
