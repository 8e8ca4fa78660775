import type { ServerClock } from '../../quota/time/server-clock.ts';
import { RecentTimes } from './recent-times.ts';

/** If the interval of the service's clock is wider than this, its middle is used as the time. In milliseconds. */
const VAGUE_MS = 2_500;

/** It is known well when a request arrives if the interval is no wider than this, in milliseconds. */
const SHARP_MS = 600;

/** A measured offset of the store's clock is replaced by any newer one after this time, in milliseconds. */
const OFFSET_LASTS_MS = 60_000;

/**
 * A request arrives within this quantile of the last `RECENT` round trips: longer ones are of a process that starts or is held up, or of
 * a response that takes the service long. What arrives later all the same is charged to a later slot as well.
 */
const USUAL = 0.8;
const RECENT = 9;

/** Bounds of what a clock shows, in milliseconds since the Unix epoch. */
export interface TimeRange {
  readonly least: number;
  readonly most: number;
}

/**
 * The time that slots and windows are named by: the service's clock if its responses have shown it, else the store's. All
 * processes must use the same one.
 */
export class Timeline {
  readonly #service: ServerClock;
  /** Store clock minus local clock, from the fastest recent trip. */
  #store: { readonly offset: number; readonly errorMs: number; readonly at: number } | undefined;
  /** Round trips to the service. */
  readonly #recent = new RecentTimes(RECENT);
  #roundTripMs = 0;

  constructor(service: ServerClock) {
    this.#service = service;
  }

  /** Whether the service's or the store's clock is known, so that slots can be named. */
  get isKnown(): boolean {
    return this.#service.isDated || this.#store !== undefined;
  }

  /** Whether it is known so well when a request arrives that a part of a second can be met. */
  isSharp(now: number): boolean {
    return this.#service.isDated && this.#service.vagueness(now) + this.#roundTripMs <= SHARP_MS;
  }

  /** How long a round trip to the service usually takes, in milliseconds; a few that take longer do not count. */
  get roundTripMs(): number {
    return this.#roundTripMs;
  }

  /** Bounds of store clock minus local clock; `undefined` before the first trip. */
  get storeOffset(): TimeRange | undefined {
    return (
      this.#store && { least: this.#store.offset - this.#store.errorMs, most: this.#store.offset + this.#store.errorMs }
    );
  }

  /** Records the store's clock, as an answer to a call sent at `sentAt` stated it. */
  hearStore(time: number, sentAt: number, now: number): void {
    const errorMs = (now - sentAt + 1) / 2;
    const isOld = this.#store === undefined || now - this.#store.at > OFFSET_LASTS_MS;
    if (isOld || errorMs <= (this.#store?.errorMs ?? 0))
      this.#store = { offset: time + 0.5 - (sentAt + now) / 2, errorMs, at: now };
  }

  /** Records the round trip of a request to the service, in milliseconds. */
  addRoundTrip(ms: number): void {
    this.#recent.add(ms);
    this.#roundTripMs = this.#recent.quantile(USUAL) ?? 0;
  }

  /** Bounds of the time at `now`. */
  at(now: number): TimeRange {
    const offset = this.#guess(now);
    if (offset !== undefined) return { least: now + offset, most: now + offset };
    return { least: this.#service.least(now), most: this.#service.most(now) };
  }

  /** Bounds of the time at which a request that is sent at `now` arrives. */
  arrival(now: number): TimeRange {
    const { least, most } = this.at(now);
    return { least, most: most + this.#roundTripMs };
  }

  /** By how much it is uncertain when a request arrives that is sent at `now`, in milliseconds. */
  vagueMs(now: number): number {
    const { least, most } = this.arrival(now);
    return most - least;
  }

  /** The earliest local instant, as estimated at `now`, at which the time is certainly `time` or later. */
  surely(time: number, now: number): number {
    const offset = this.#guess(now);
    return offset === undefined ? this.#service.surely(time) : time - offset;
  }

  /** Whether the time is a guess: bounds of it are not known, or too far apart. */
  isGuess(now: number): boolean {
    return this.#guess(now) !== undefined;
  }

  /** The offset to use as exact while the service's clock is unknown or its interval wider than {@link VAGUE_MS}. */
  #guess(now: number): number | undefined {
    if (!this.#service.isDated) return this.#store?.offset ?? 0;
    const vagueness = this.#service.vagueness(now);
    return vagueness > VAGUE_MS ? this.#service.least(now) - now + vagueness / 2 : undefined;
  }
}
