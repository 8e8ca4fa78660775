import { doubled } from '../../quota/recovery/backoff.ts';
import type { Member } from '../../share.ts';
import { RecentTimes } from '../slots/recent-times.ts';
import { ACCOUNT_LASTS_MS, type ShareStore } from '../store/store.ts';
import { inTime } from './in-time.ts';
import { StoreBreaker } from './store-breaker.ts';

/** Minimum time-out until the store has answered once: machines are busy when they start. In milliseconds. */
const FIRST_TRIP_MS = 1_000;

/** After this long without a trip the store may have dropped the account, with a safety margin. In milliseconds. */
const FORGOTTEN_MS = ACCOUNT_LASTS_MS - 10_000;

/** Interval of signs of life while there are asks, in milliseconds; at first shorter, because processes start together. */
const SIGN_MS = 30_000;
const FIRST_SIGN_MS = 500;

/** How many calls tell how long one takes: one that is late by chance does not count, two of them do. */
const RECENT = 3;

/** A store that is lost is tried again after this long although no call needs it, so that its return is told. In milliseconds. */
const IDLE_RETRY_MS = 5_000;

/** Minimum delay before a waiting call asks again while no trip is under way, in milliseconds. */
const RETRY_MS = 50;

/** A trip after one that had nothing to say begins this much later, in milliseconds: whatever calls for trips must not repeat them at one instant. */
const IDLE_TRIP_MS = 1;

/** The content of a trip, and what it is told of. */
export interface TripListener {
  /** Makes the calls of one trip. */
  travel(store: ShareStore): Promise<void>;
  /** The store may have dropped the account of this process. */
  forgotten(): void;
  /** Why the store cannot be reached, if that is known better than by the calls that fail. */
  readonly problem?: (() => unknown) | undefined;
  lost(code: string): void;
  regained(afterMs: number): void;
  /** A trip has ended, successfully or not. */
  done(): void;
}

/** Makes trips to the store, one at a time, with a time-out for each call. */
export class Trips {
  readonly #member: Member;
  readonly #connect: () => Promise<ShareStore>;
  readonly #breaker: StoreBreaker;
  readonly #listener: TripListener;
  #name = crypto.randomUUID();
  #sequence = 0;
  #trip: Promise<void> | undefined;
  #signedAt = -Infinity;
  #triedAt = -Infinity;
  #signs = 0;
  #live: number | undefined;
  /** Recent calls of the store. */
  readonly #recent = new RecentTimes(RECENT);
  /** Whether this trip is the last one. The one that was under way before it is not, although it may not have asked yet. */
  isLast = false;
  /** Whether the last trip has called the store. */
  #hasCalled = true;
  #lostBy = '';

  constructor(member: Member, connect: () => Promise<ShareStore>, timeoutMs: number, listener: TripListener) {
    this.#member = member;
    this.#connect = connect;
    this.#breaker = new StoreBreaker(timeoutMs, member.random);
    this.#listener = listener;
  }

  /** The name of this process in the store. */
  get name(): string {
    return this.#name;
  }

  /** Whether the store has ever answered. */
  get hasJoined(): boolean {
    return this.#breaker.heardAt > -Infinity;
  }

  get isUnderWay(): boolean {
    return this.#trip !== undefined;
  }

  /** When trips began to fail, if several in a row have; else undefined. */
  get lostSince(): number | undefined {
    return this.#breaker.lostSince;
  }

  /** Why the store was lost, as one word. */
  get lostBy(): string {
    return this.#lostBy;
  }

  /** Trips that have failed in a row. */
  get failures(): number {
    return this.#breaker.failures;
  }

  /** The number of live processes, by the last sign of life; undefined: the store has not counted them. */
  get live(): number | undefined {
    return this.#live;
  }

  /** Median duration of the recent calls of the store, in milliseconds. */
  get tripMs(): number {
    return this.#recent.quantile(0.5) ?? 1;
  }

  /** When a call that waits for the trip under way asks again, unless it is woken before. */
  awaits(now: number): number {
    return now + this.#breaker.timeoutMs;
  }

  /** When to try the store again. */
  retryAt(now: number): number {
    return this.#trip ? this.awaits(now) : Math.max(now + RETRY_MS, this.#breaker.retryAt);
  }

  /** The end of the pause after a failed trip, in force or not. */
  get pausedUntil(): number {
    return this.#breaker.retryAt;
  }

  /** When a store that is lost is tried although no call needs it; Infinity: it is not lost. */
  get idleRetryAt(): number {
    return this.lostSince === undefined ? Infinity : this.#triedAt + IDLE_RETRY_MS;
  }

  /** Begins a trip, unless one is under way or the breaker pauses trips. */
  start(): void {
    if (this.#trip || this.#member.clock.now() < this.#breaker.retryAt) return;
    this.#trip = this.#pauseIfIdle()
      .then(() => this.#make())
      .finally(() => {
        this.#trip = undefined;
        this.#listener.done();
      });
  }

  #pauseIfIdle(): Promise<void> {
    if (this.#hasCalled) return Promise.resolve();
    return new Promise((resolve) => void this.#member.clock.timer(IDLE_TRIP_MS, resolve));
  }

  /** The next sequence number of this process. */
  nextSequence(): number {
    return ++this.#sequence;
  }

  /** Takes a new name, because the account of the present one was written by another ask. */
  rename(): void {
    this.#name = crypto.randomUUID();
    this.#sequence = 0;
  }

  /** Whether the next ask is to be a sign of life. */
  isSignDue(now: number): boolean {
    return now - this.#signedAt > doubled(FIRST_SIGN_MS, SIGN_MS, this.#signs);
  }

  /** Records how many processes the store has counted at a sign of life. `forMs`: since when it counts: it may not have heard of all yet. */
  counted(live: number, forMs: number, now: number): void {
    this.#signedAt = now;
    this.#signs++;
    this.#live = Math.max(live, forMs <= SIGN_MS ? (this.#live ?? 0) : 0);
  }

  /** Waits for the trip under way, and makes a last one. */
  async leave(): Promise<void> {
    await this.#trip;
    this.isLast = true;
    if (this.hasJoined && this.failures === 0) await this.#make();
  }

  /** Makes one call of the store, with a time-out. */
  async call<T>(work: () => Promise<T>): Promise<T> {
    const { clock } = this.#member;
    this.#hasCalled = true;
    const sentAt = clock.now();
    const patienceMs = this.#patienceMs;
    const value = await inTime(clock, patienceMs, work());
    const tookMs = clock.now() - sentAt;
    // A process that was stopped meanwhile finds the answer and the end of its patience together.
    this.#recent.add(Math.min(tookMs, patienceMs));
    this.#breaker.answered(tookMs, clock.now());
    return value;
  }

  /** Records that the store serves this process, although what else the trip has to do may fail. */
  mend(): void {
    const afterMs = this.#breaker.mend(this.#member.clock.now());
    if (afterMs !== undefined) this.#listener.regained(afterMs);
  }

  get #patienceMs(): number {
    return this.hasJoined ? this.#breaker.timeoutMs : Math.max(FIRST_TRIP_MS, this.#breaker.timeoutMs);
  }

  async #make(): Promise<void> {
    const { clock } = this.#member;
    const sentAt = clock.now();
    const { heardAt } = this.#breaker;
    this.#triedAt = sentAt;
    this.#hasCalled = false;
    try {
      // Finding the key needs no store, so it does not count as an answer of the store.
      const store = await inTime(clock, this.#patienceMs, this.#connect());
      if (this.hasJoined && sentAt - heardAt > FORGOTTEN_MS) this.#listener.forgotten();
      await this.#listener.travel(store);
      this.mend();
    } catch (error) {
      if (!this.#breaker.fail(clock.now())) return;
      this.#lostBy = codeOf(this.#listener.problem?.() ?? error);
      this.#listener.lost(this.#lostBy);
    }
  }
}

/** The error as one word: the server's (`READONLY`, `OOM`, `LOADING`), the connection's (`ECONNREFUSED`) or its class (`ClientClosedError`). */
function codeOf(error: unknown): string {
  const [word] = /^[A-Z]{2,24}\b/.exec(error instanceof Error ? error.message : String(error)) ?? [];
  const { code } = (error ?? {}) as { code?: unknown };
  if (typeof code === 'string' && /^[A-Z_]{2,32}$/.test(code)) return code;
  if (word !== undefined && word !== 'ERR') return word;
  if (!(error instanceof Error)) return 'ERR';
  const { name } = error.name === 'Error' ? error.constructor : error;
  return /^[A-Za-z]{3,40}$/.test(name) && name !== 'Error' ? name : 'ERR';
}
