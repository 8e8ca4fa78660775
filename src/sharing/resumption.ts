import { PROBE_MS, type ShareStore } from './store.ts';

/** The processes that did not probe resume at random instants within this time, in milliseconds. */
const SPREAD_MS = 1_000;

/** Interval at which the other processes ask whether the probe was served, in milliseconds. */
const POLL_MS = 200;

/** After a pause one process of the share sends a probe; once it is served the others resume, spread over a second. */
export class Resumption {
  readonly #random: () => number;
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #isPending = false;
  #isProbing = false;
  #probeUntil = Number.NEGATIVE_INFINITY;
  #waitUntil = Number.NEGATIVE_INFINITY;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** Records a pause. @returns whether it ends later than the known one. */
  pause(until: number): boolean {
    const isNews = until > this.#pausedUntil;
    if (!isNews) return false;
    this.#pausedUntil = until;
    this.#isPending = true;
    this.#probeUntil = Number.NEGATIVE_INFINITY;
    return true;
  }

  /** Records that a pause is over which this process did not know of. */
  hearOver(): void {
    this.#isPending = true;
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

  /** Records that a request is sent. */
  take(now: number): void {
    if (this.mayProbe(now)) this.#isProbing = true;
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

  /** Records that a request was served. @returns whether it was the probe, so that the store must be told. */
  served(sentAt: number, now: number): boolean {
    const isProbe = this.#isPending && now < this.#probeUntil && sentAt >= this.#pausedUntil;
    if (isProbe) this.#isPending = false;
    return isProbe;
  }

  /** Ends the pause at its time without a probe, because the store cannot be asked. */
  giveUp(): void {
    this.#isPending = false;
  }

  #follow(now: number): void {
    this.#isPending = false;
    this.#waitUntil = now + this.#random() * SPREAD_MS;
  }
}
