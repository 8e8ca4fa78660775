import { doubled } from '../quota/recovery/backoff.ts';
import type { Member } from '../share.ts';
import { StoreBreaker } from './breaker.ts';
import { inTime } from './in-time.ts';
import { ACCOUNT_LASTS_MS, type ShareStore } from './store.ts';

/** The very first trip may take longer, because machines are busy when they start. In milliseconds. */
const FIRST_TRIP_MS = 1_000;

/** The store may forget an account that was not heard of for nearly as long as accounts last. In milliseconds. */
const FORGOTTEN_MS = ACCOUNT_LASTS_MS - 10_000;

/** A sign of life is given this often while there is traffic, in milliseconds, and at first sooner: many start together. */
const SIGN_MS = 10_000;
const FIRST_SIGN_MS = 500;

/** How much the latest trip counts in how long trips take. */
const FRESHNESS = 0.2;

/** A call that may not go asks again after this time at the latest, in milliseconds. */
const RETRY_MS = 50;

/** What a trip does, and what comes of it. */
export interface TripListener {
  /** Makes the calls of one trip. */
  travel(store: ShareStore): Promise<void>;
  /** The key is another, and so is the share. */
  rejoin(): void;
  /** The store may have forgotten this process. */
  forgotten(): void;
  lost(code: string): void;
  regained(afterMs: number): void;
  /** A trip has ended, however. */
  done(): void;
}

/** Makes trips to the store, one at a time, and gives up those that take too long. */
export class Trips {
  readonly #member: Member;
  readonly #connect: () => Promise<ShareStore>;
  readonly #breaker: StoreBreaker;
  readonly #listener: TripListener;
  #name = crypto.randomUUID();
  #sequence = 0;
  #store: ShareStore | undefined;
  #trip: Promise<void> | undefined;
  #signedAt = Number.NEGATIVE_INFINITY;
  #signs = 0;
  #live: number | undefined;
  #tripMs = 1;

  constructor(member: Member, connect: () => Promise<ShareStore>, timeoutMs: number, listener: TripListener) {
    this.#member = member;
    this.#connect = connect;
    this.#breaker = new StoreBreaker(timeoutMs, member.random);
    this.#listener = listener;
  }

  /** The name of this process. */
  get name(): string {
    return this.#name;
  }

  /** Whether the store was ever heard. */
  get hasJoined(): boolean {
    return this.#breaker.heardAt > Number.NEGATIVE_INFINITY;
  }

  get isUnderWay(): boolean {
    return this.#trip !== undefined;
  }

  /** Since when no trip was answered; undefined: the last one was. */
  get failsSince(): number | undefined {
    return this.#breaker.failsSince;
  }

  /** How many processes are live, as far as it was heard. */
  get live(): number | undefined {
    return this.#live;
  }

  /** How long a trip takes, in milliseconds. */
  get tripMs(): number {
    return this.#tripMs;
  }

  /** The instant at which a call that waits for a trip asks again, if it was not woken before. */
  awaits(now: number): number {
    return this.#trip ? now + this.#breaker.timeoutMs : Math.max(now + 1, this.#breaker.retryAt);
  }

  /** When the store is worth asking again. */
  retryAt(now: number): number {
    return this.#trip ? now + this.#breaker.timeoutMs : Math.max(now + RETRY_MS, this.#breaker.retryAt);
  }

  /** Begins a trip, unless one is under way or the store is left alone for now. */
  start(): void {
    if (this.#trip || this.#member.clock.now() < this.#breaker.retryAt) return;
    this.#trip = Promise.resolve()
      .then(() => this.#make())
      .finally(() => {
        this.#trip = undefined;
        this.#listener.done();
      });
  }

  /** The next sequence number of this process. */
  nextSequence(): number {
    return ++this.#sequence;
  }

  /** Takes another name: another process has written under this one. */
  rename(): void {
    this.#name = crypto.randomUUID();
    this.#sequence = 0;
  }

  /** Waits for the trip under way, makes one more, and says that this process leaves. */
  async leave(): Promise<void> {
    await this.#trip;
    if (!this.hasJoined || this.#breaker.failsSince !== undefined) return;
    await this.#make();
    await this.call(async () => void (await this.#store?.live(this.#name, true))).catch(() => {});
  }

  /** Awaits the store no longer than it may take. */
  async call<T>(work: () => Promise<T>): Promise<T> {
    const { clock } = this.#member;
    const sentAt = clock.now();
    const value = await inTime(clock, this.#patienceMs, work());
    const tookMs = clock.now() - sentAt;
    this.#tripMs += FRESHNESS * (tookMs - this.#tripMs);
    this.#breaker.answered(tookMs, clock.now());
    return value;
  }

  get #patienceMs(): number {
    return this.hasJoined ? this.#breaker.timeoutMs : Math.max(FIRST_TRIP_MS, this.#breaker.timeoutMs);
  }

  async #make(): Promise<void> {
    const { clock } = this.#member;
    const sentAt = clock.now();
    const { heardAt } = this.#breaker;
    try {
      // The key is found without the store: that it was found says nothing of the store.
      const store = await inTime(clock, this.#patienceMs, this.#connect());
      if (this.#store && store !== this.#store) this.#move();
      this.#store = store;
      if (this.hasJoined && sentAt - heardAt > FORGOTTEN_MS) this.#listener.forgotten();
      await this.#listener.travel(store);
      if (sentAt - this.#signedAt > doubled(FIRST_SIGN_MS, SIGN_MS, this.#signs)) {
        this.#signs++;
        this.#live = await this.call(() => store.live(this.#name, false));
        this.#signedAt = sentAt;
      }
      const now = clock.now();
      const afterMs = this.#breaker.mend(now);
      if (afterMs !== undefined) this.#listener.regained(afterMs);
    } catch (error) {
      if (this.#breaker.fail(clock.now())) this.#listener.lost(codeOf(error));
    }
  }

  /** The key was replaced: what is held of the old share is left to its slots, and this process is new to the other. */
  #move(): void {
    this.rename();
    this.#signedAt = Number.NEGATIVE_INFINITY;
    this.#listener.rejoin();
  }
}

/** What went wrong, in one word: the server's own (`READONLY`, `OOM`, `LOADING`), or the connection's (`ECONNREFUSED`). */
function codeOf(error: unknown): string {
  const [word] = /^[A-Z]{2,24}\b/.exec(error instanceof Error ? error.message : String(error)) ?? [];
  const { code } = (error ?? {}) as { code?: unknown };
  if (typeof code === 'string' && /^[A-Z_]{2,32}$/.test(code)) return code;
  if (word !== undefined && word !== 'ERR') return word;
  return error instanceof Error && /^[A-Za-z]{3,40}$/.test(error.name) && error.name !== 'Error' ? error.name : 'ERR';
}
