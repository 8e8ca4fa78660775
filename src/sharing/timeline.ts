import type { ServerClock } from '../quota/time/server-clock.ts';

/** A service clock that is vaguer than this is taken to show the middle of what it may show. In milliseconds. */
const VAGUE_MS = 2_500;

/** An offset of the store's clock that was measured this long ago is replaced by any newer one. In milliseconds. */
const OFFSET_LASTS_MS = 60_000;

/** How fast the longest round trip to the service fades, per answer. */
const FADING = 0.98;

/** What a clock may show, in milliseconds since the Unix epoch. */
export interface TimeRange {
  readonly least: number;
  readonly most: number;
}

/**
 * The time by which slots and windows are named: the service's clock as far as answers show it, else the store's. Either
 * will do as long as all processes use the same one.
 */
export class Timeline {
  readonly #service: ServerClock;
  /** The store's clock less ours, from the fastest of the recent trips. */
  #store: { readonly offset: number; readonly errorMs: number; readonly at: number } | undefined;
  #roundTripMs = 0;

  constructor(service: ServerClock) {
    this.#service = service;
  }

  /** Whether anything can be named. */
  get isKnown(): boolean {
    return this.#service.known || this.#store !== undefined;
  }

  /** The longest that a request to the service took lately, in milliseconds. */
  get roundTripMs(): number {
    return this.#roundTripMs;
  }

  /** The store's clock, as an interval of offsets from ours. */
  get storeOffset(): TimeRange | undefined {
    return (
      this.#store && { least: this.#store.offset - this.#store.errorMs, most: this.#store.offset + this.#store.errorMs }
    );
  }

  /** Takes in the store's clock, as an answer showed it. */
  hearStore(time: number, sentAt: number, now: number): void {
    const errorMs = (now - sentAt + 1) / 2;
    const isOld = this.#store === undefined || now - this.#store.at > OFFSET_LASTS_MS;
    if (isOld || errorMs <= (this.#store?.errorMs ?? 0))
      this.#store = { offset: time + 0.5 - (sentAt + now) / 2, errorMs, at: now };
  }

  /** Takes in how long a request to the service took, in milliseconds. */
  hearRoundTrip(ms: number): void {
    this.#roundTripMs = Math.max(ms, this.#roundTripMs * FADING);
  }

  /** What the clock may show at `now`. */
  at(now: number): TimeRange {
    const offset = this.#guess(now);
    if (offset !== undefined) return { least: now + offset, most: now + offset };
    return { least: this.#service.least(now), most: this.#service.most(now) };
  }

  /** What the clock may show when a request that is sent at `now` arrives. */
  arrival(now: number): TimeRange {
    const { least, most } = this.at(now);
    return { least, most: most + this.#roundTripMs };
  }

  /** The first instant of ours, as seen from `now`, at which the clock surely shows `time`. */
  surely(time: number, now: number): number {
    const offset = this.#guess(now);
    return offset === undefined ? this.#service.surely(time) : time - offset;
  }

  /** The offset that stands in where the service's clock is unknown, or too vague. */
  #guess(now: number): number | undefined {
    if (!this.#service.known) return this.#store?.offset ?? 0;
    const vagueness = this.#service.vagueness(now);
    return vagueness > VAGUE_MS ? this.#service.least(now) - now + vagueness / 2 : undefined;
  }
}
