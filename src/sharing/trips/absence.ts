import type { WindowNews } from '../../quota/share-limit.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { type FailureMode, Fallback } from './fallback.ts';
import type { Trips } from './trips.ts';

/** The slots that other processes held have ended this long after the store was lost, in milliseconds. */
const BOOKED_MS = 4_000;

/**
 * After an absence longer than `ABSENT_MS`, processes may be sending without grants. Each notices the store's return within a little
 * more than a second, continues without grants for `UNGRANTED_MS`, and asks only for slots that begin after `RETURN_MS`. So no process
 * uses granted units while another still sends without grants. In milliseconds.
 */
const ABSENT_MS = 3_500;
const UNGRANTED_MS = 700;
const RETURN_MS = 2_000;

/** Decides about requests without a grant: while the store cannot be reached, and shortly after its return. */
export class Absence {
  readonly #trips: Trips;
  readonly #ledger: Ledger;
  readonly #random: () => number;
  readonly #mode: FailureMode;
  readonly #processes: number;
  #fallback: Fallback | undefined;
  #ungrantedUntil = -Infinity;

  /** @param processes - the number of processes to assume while the store has never been reached. */
  constructor(trips: Trips, ledger: Ledger, random: () => number, mode: FailureMode, processes: number) {
    this.#trips = trips;
    this.#ledger = ledger;
    this.#random = random;
    this.#mode = mode;
    this.#processes = processes;
  }

  /** Whether this process sends without grants. */
  get isUngranted(): boolean {
    return this.#fallback !== undefined;
  }

  /** Whether a process may have sent without a grant recently. */
  isOverdrawn(now: number): boolean {
    return this.isUngranted || now < this.#ungrantedUntil + RETURN_MS;
  }

  /** Whether the store cannot be reached, and no units granted to other processes are in the way. */
  isNow(now: number): boolean {
    return now >= this.beginsAt(now);
  }

  /** When calls may go without a grant; Infinity: the store is not lost. */
  beginsAt(now: number): number {
    const { hasJoined, lostSince } = this.#trips;
    if (lostSince === undefined) return Infinity;
    // If it was never reached, no other process is known to hold units.
    const isLikelyFree = !hasJoined || (this.#ledger.policy.isAmple(now) && !this.#ledger.windows.isAnySmall);
    return isLikelyFree ? lostSince : lostSince + BOOKED_MS;
  }

  /** Whether to send without grants: the store cannot be reached, or has just returned. */
  goesUngranted(now: number): boolean {
    return this.isNow(now) || now < this.#ungrantedUntil;
  }

  /** The earliest instant at which `units` may be sent without a grant, or at which the store is worth asking again. */
  earliest(units: number, now: number): number {
    const { live, hasJoined } = this.#trips;
    this.#fallback ??= new Fallback(this.#mode, live ?? this.#processes, !hasJoined, this.#random(), now);
    return Math.max(now, Math.min(this.#fallback.earliest(units, this.#ledger.windows, now), this.#trips.retryAt(now)));
  }

  /** Since when the store has failed, where nothing is sent without a grant until it is back. */
  get closedSince(): number | undefined {
    return this.#mode === 'closed' ? this.#trips.lostSince : undefined;
  }

  /** Why calls wait while the store is lost, a sentence for people. */
  get why(): string | undefined {
    const { lostSince, lostBy } = this.#trips;
    if (lostSince === undefined) return undefined;
    return `the store of the share cannot be reached (${lostBy}; onStoreFailure: '${this.#mode}')`;
  }

  /** Records a request that is sent without a grant. */
  onSent(now: number): void {
    this.#fallback?.onSent(now);
  }

  /** Records a reading, which counts the usage of all processes. */
  read(news: WindowNews): void {
    this.#fallback?.read(news, this.#ledger.elapsed(news.period, news.receivedAt));
  }

  /** Called before an ask. After a long absence it excludes slots in which other processes may still send without grants. */
  ask(now: number): void {
    if (this.#lasted(now) > ABSENT_MS) this.#ledger.choice.askFrom(now + RETURN_MS);
  }

  /** Records that the store answered an ask that was sent at `sentAt`. */
  answered(sentAt: number, now: number): void {
    if (this.#lasted(sentAt) > ABSENT_MS) this.#ungrantedUntil = now + UNGRANTED_MS;
    if (now >= this.#ungrantedUntil) this.#fallback = undefined;
  }

  #lasted(now: number): number {
    return now - (this.#trips.lostSince ?? now);
  }
}
