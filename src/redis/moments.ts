import type { ServerClock } from '../quota/time/server-clock.ts';

/** A clock that is vaguer than this, after hours without an answer, is taken to show the middle: the next answer tells. In milliseconds. */
const VAGUE_MS = 1_000;

/** The least and the most that the service's clock can show, in milliseconds since the Unix epoch. */
export interface Moment {
  readonly least: number;
  readonly most: number;
}

/**
 * The service's clock, by which windows and slices are named. While it is not known Redis's stands in for it: any will do
 * that all share.
 */
export class Moments {
  readonly #clock: ServerClock;
  readonly #spreadMs: number;
  /** Redis's clock, as an offset from ours. */
  #redisLead: number | undefined;
  /** The longest that an answer took lately. */
  #roundTripMs = 0;

  /** @param spreadMs - how much later than others this process takes a window's beginning to be. */
  constructor(clock: ServerClock, spreadMs: number) {
    this.#clock = clock;
    this.#spreadMs = spreadMs;
  }

  /** Whether instances can be named at all. */
  get isKnown(): boolean {
    return this.#clock.known || this.#redisLead !== undefined;
  }

  /** Redis's clock, as an offset from ours. */
  hearRedis(lead: number): void {
    this.#redisLead = lead;
  }

  /** An answer took so long. */
  hearRoundTrip(ms: number): void {
    this.#roundTripMs = Math.max(ms, this.#roundTripMs * 0.98);
  }

  /** What the clock may show. */
  at(now: number): Moment {
    const lead = this.#guessedLead(now);
    if (lead !== undefined) return { least: now + lead, most: now + lead };
    return { least: this.#clock.least(now), most: this.#clock.most(now) };
  }

  /** What the clock may show when a request that is sent now arrives. */
  arrival(now: number): Moment {
    const { least, most } = this.at(now);
    return { least, most: most + this.#roundTripMs };
  }

  /** The instant of ours at which the clock surely shows `time`, as seen from `now`. */
  surely(time: number, now: number): number {
    const lead = this.#guessedLead(now);
    return this.#spreadMs + (lead === undefined ? this.#clock.surely(time) : time - lead);
  }

  /** How far the clock is taken to be ahead of ours, where too little is known of it. */
  #guessedLead(now: number): number | undefined {
    if (!this.#clock.known) return this.#redisLead ?? 0;
    const vagueness = this.#clock.vagueness(now);
    return vagueness > VAGUE_MS ? this.#clock.least(now) - now + vagueness / 2 : undefined;
  }
}
