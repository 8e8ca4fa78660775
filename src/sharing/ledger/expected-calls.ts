import { CHUNK } from './slot-choice.ts';

/**
 * A trip for one call asks for those, too, that are expected within `forMs` by the rate of the last `RATE_MS`, if these are at least `likely`;
 * for no more of them than {@link CHUNK}, and than a part of the smallest limit. From a store that is near fewer are asked for, of a shorter time and
 * sooner, because more can be had at once. In milliseconds.
 */
const SPARE = { forMs: 2_000, likely: 0.7, part: 1 };
const SPARE_NEAR = { forMs: 1_000, likely: 0.3, part: 0.05 };
const RATE_MS = 5_000;

/** After an ask ahead of any call that was granted nothing, the next one is made this much later at the earliest, in milliseconds. */
const IN_VAIN_MS = 2_000;

/**
 * Calls that are sent within this time of another one, in milliseconds, came together with it. They make one trip, and so many units of a slot that is wide
 * enough for the next of them would count in every second of it.
 */
const TOGETHER_MS = 10;

/** Calls that are likely to follow, by those of late: units for them are asked for before they need any. */
export class ExpectedCalls {
  /** Units spent, which decay by a factor of e in {@link RATE_MS}. */
  #spent = 0;
  #spentAt = 0;
  /** Units that the last call has spent. */
  #latest = 0;
  #askFrom = -Infinity;

  /** No ask for them alone is made before this instant. */
  get askFrom(): number {
    return this.#askFrom;
  }

  /** A request of so many units is sent. */
  onSent(units: number, now: number): void {
    const isTogether = now < this.#spentAt + TOGETHER_MS;
    this.#spent = this.#spentLately(now) + (isTogether ? 0 : units);
    this.#spentAt = now;
    this.#latest = units;
  }

  /** Units that they will likely need, and within which time; none where these are too few for a call like the last. `size`: the smallest limit, in units. */
  demand(isNear: boolean, size: number, now: number): { readonly units: number; readonly forMs: number } {
    const { forMs, likely, part } = isNear ? SPARE_NEAR : SPARE;
    const expected = (this.#spentLately(now) * forMs) / RATE_MS;
    const units = Math.min(Math.floor(expected + 1 - likely), CHUNK, Math.ceil(size * part));
    return { units: units < this.#latest ? 0 : units, forMs };
  }

  /** Records that an ask for them was granted nothing. */
  askedInVain(now: number): void {
    this.#askFrom = now + IN_VAIN_MS;
  }

  #spentLately(now: number): number {
    return this.#spent * Math.exp((this.#spentAt - now) / RATE_MS);
  }
}
