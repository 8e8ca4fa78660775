import { PROBE_MS, type ShareStore } from './store.ts';

/** After a pause the processes that did not probe follow within this time, in milliseconds. */
const SPREAD_MS = 1_000;

/** How often a process asks whether the probe was served, in milliseconds. */
const POLL_MS = 200;

/** After a pause of the service one process of all sends a probe, and the others follow spread over a second. */
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

  /** The service wants no requests until then. @returns whether that is news. */
  pause(until: number): boolean {
    const isNews = until > this.#pausedUntil;
    if (!isNews) return false;
    this.#pausedUntil = until;
    this.#isPending = true;
    this.#probeUntil = Number.NEGATIVE_INFINITY;
    return true;
  }

  /** A pause is over, of which this process had not heard. */
  hearOver(): void {
    this.#isPending = true;
  }

  /** The instant until which nothing is sent, as far as it is known; `now` or earlier: something may be. */
  until(now: number): number {
    if (!this.#isPending || now < this.#probeUntil) return this.#waitUntil;
    return Math.max(this.#waitUntil, this.#pausedUntil, now + 1);
  }

  /** Whether the probe may be sent, for which nothing need be granted. */
  mayProbe(now: number): boolean {
    return this.#isPending && now < this.#probeUntil && !this.#isProbing;
  }

  /** A request is sent. */
  take(now: number): void {
    if (this.mayProbe(now)) this.#isProbing = true;
  }

  /** Whether the store is to be asked what to do. */
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

  /** A request was served. @returns whether it was the probe, so that the others are to be told. */
  served(sentAt: number, now: number): boolean {
    const isProbe = this.#isPending && now < this.#probeUntil && sentAt >= this.#pausedUntil;
    if (isProbe) this.#isPending = false;
    return isProbe;
  }

  /** The store cannot be asked: the pause is over when its time is. */
  giveUp(): void {
    this.#isPending = false;
  }

  #follow(now: number): void {
    this.#isPending = false;
    this.#waitUntil = now + this.#random() * SPREAD_MS;
  }
}
