import { LONGEST_PAUSE_MS, PROBE_MS, type ShareStore, type StoreCall } from '../store/store.ts';
import { Notice } from './notice.ts';

/** The processes that did not probe resume at random instants within this time, in milliseconds. */
const SPREAD_MS = 1_000;

/** Ends of a pause that differ by no more than this are the same pause, in milliseconds. */
const SAME_PAUSE_MS = 50;

/** Interval at which the other processes ask whether the probe was served, in milliseconds. */
const POLL_MS = 200;

/** After a pause one process of the share sends a probe; once it is served the others resume, spread over a second. */
export class Resumption {
  readonly #random: () => number;
  #pausedUntil = -Infinity;
  #isPending = false;
  #isProbing = false;
  #probeUntil = -Infinity;
  #waitUntil = -Infinity;
  /** The end of a pause that the store is to be told of. */
  #toTell = -Infinity;
  readonly #resumed = new Notice();

  constructor(random: () => number) {
    this.#random = random;
  }

  /** Records a pause. @returns whether it ends later than the known one. */
  pause(until: number): boolean {
    const isNews = until > this.#pausedUntil;
    if (!isNews) return false;
    this.#pausedUntil = until;
    this.#isPending = true;
    this.#probeUntil = -Infinity;
    return true;
  }

  /** Records a pause that the service ordered this process, of which the store is to be told. @returns whether it ends later than the known one. */
  order(until: number): boolean {
    const isNews = this.pause(until);
    if (isNews) this.#toTell = until;
    return isNews;
  }

  /** Whether there is a pause to tell the store of. */
  tellsPause(now: number): boolean {
    return this.#toTell > now;
  }

  /** Whether there is anything to tell the store of. */
  isDue(now: number): boolean {
    return this.tellsPause(now) || this.#resumed.isDue;
  }

  /**
   * Records what the store said of a pause: how long it lasts still, or 1 where one is over that this process did not know of.
   *
   * @returns the end of a pause that is news.
   */
  hear(pauseMs: number, now: number): number | undefined {
    if (pauseMs === 1) this.#isPending = true;
    if (pauseMs <= 1) return undefined;
    const until = now + Math.min(pauseMs, LONGEST_PAUSE_MS);
    if (until <= this.#pausedUntil + SAME_PAUSE_MS) return undefined;
    this.pause(until);
    return until;
  }

  /** The instant before which nothing may be sent, as far as known; `now` or earlier: requests may be sent. */
  until(now: number): number {
    if (!this.#isPending || now < this.#probeUntil) return this.#waitUntil;
    return Math.max(this.#waitUntil, this.#pausedUntil, now + 1);
  }

  /** Whether this process may send the probe, which needs no grant. */
  mayProbe(now: number): boolean {
    return this.#isPending && now < this.#probeUntil && !this.#isProbing;
  }

  /** Records that a request is sent: if this process may probe, it was the probe. */
  onSent(): void {
    this.#isProbing = true;
  }

  /** Whether to ask the store what to do. */
  mayAsk(now: number): boolean {
    return this.#isPending && now >= this.#pausedUntil && now >= this.#probeUntil && now >= this.#waitUntil;
  }

  async ask(store: ShareStore, member: string, now: () => number): Promise<void> {
    const answer = await store.resume(member);
    if (answer === 'probe') {
      this.#probeUntil = now() + PROBE_MS;
      this.#isProbing = false;
    } else if (answer === 'free') this.#follow(now());
    else this.#waitUntil = now() + Math.min(answer, POLL_MS);
  }

  /** Tells the store what it is to know, and asks it what to do where a pause has ended. */
  async tell(store: ShareStore, call: StoreCall, member: string, now: () => number): Promise<void> {
    const until = this.#toTell;
    if (until > now()) await call(() => store.pause(until - now()));
    // A longer pause that began meanwhile is told by the next trip.
    if (this.#toTell === until) this.#toTell = -Infinity;
    await this.#resumed.tell(() => call(() => store.resumed()));
    if (this.mayAsk(now())) await call(() => this.ask(store, member, now));
  }

  /** Records that a request was served: if it was the probe, the store is to be told. */
  onServed(sentAt: number, now: number): void {
    const isProbe = this.#isPending && now < this.#probeUntil && sentAt >= this.#pausedUntil;
    if (!isProbe) return;
    this.#isPending = false;
    this.#resumed.raise();
  }

  /** One that asks long after the pause has ended, and did not wait for the probe, goes at once: those that did have gone. */
  #follow(now: number): void {
    this.#isPending = false;
    const isLate = now > Math.max(this.#pausedUntil, this.#waitUntil) + SPREAD_MS;
    this.#waitUntil = isLate ? now : now + this.#random() * SPREAD_MS;
  }
}
