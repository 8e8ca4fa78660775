import { isDateLeft } from '../../headers/snapshot.ts';
import type { ServerClock } from '../../time/server-clock.ts';
import { ROUNDING_MS, type WindowEnd } from '../../time/window-end.ts';
import { SAME_MS } from './endpoint-requests.ts';
import type { SlidingRequests } from './sliding-requests.ts';

/** Windows that begin on the calendar end on a multiple of a minute. A guess: shorter ones show by their successors. */
const CALENDAR_MS = 60_000;

/** When the present instance of a window ends, by the resets that answers name: cut to seconds, or timestamps of a clock that is not known. */
export class InstanceEnd {
  readonly #clock: ServerClock;
  readonly #sliding: Pick<SlidingRequests, 'longestMs' | 'usualMs'>;
  #resetAt = -Infinity;
  /** The shortest time between two resets so far. */
  #periodMs = CALENDAR_MS;
  #isOnCalendar = false;
  /** When the present instance ends by our clock, as stated by one answer. */
  #endsAt = Infinity;
  /** When the first answer of the present instance came. */
  #firstAt = -Infinity;
  /** Whether some reset was not a whole number of seconds from its answer: then it is a timestamp. */
  #isTimestamp = false;

  /** @param sliding - tells how long an instance lasts. */
  constructor(clock: ServerClock, sliding: Pick<SlidingRequests, 'longestMs' | 'usualMs'>) {
    this.#clock = clock;
    this.#sliding = sliding;
  }

  /** Whether an answer has named a reset. */
  get isNamed(): boolean {
    return this.#resetAt > -Infinity;
  }

  /** The shortest time between two resets so far, in milliseconds. */
  get periodMs(): number {
    return this.#periodMs;
  }

  /** Whether a reset may be a timestamp. */
  get isTimestamp(): boolean {
    return this.#isTimestamp;
  }

  /** When the present instance has surely ended. Only for one that is named. */
  get at(): number {
    const clock = this.#clock;
    if (clock.known && this.#isOnCalendar) return clock.surely(this.#resetAt);
    const named = clock.known ? clock.surely(this.#resetAt + ROUNDING_MS) : this.#endsAt;
    const { longestMs, usualMs } = this.#sliding;
    // When its first answer came it had begun.
    return Math.min(named, this.#firstAt + (!clock.known && this.#isTimestamp ? longestMs : usualMs));
  }

  /** The same, for people. */
  get view(): WindowEnd {
    if (!this.isNamed) return { certainty: 'unknown' };
    const to = this.at;
    return { certainty: 'known', from: this.#clock.known ? Math.min(to, this.#clock.soonest(this.#resetAt)) : to, to };
  }

  /** Whether a reset names an instance that follows the present one. */
  isNext(resetAt: number): boolean {
    return resetAt > this.#resetAt + SAME_MS;
  }

  /** Whether a reset names an instance before the present one, or this one, rounded differently. */
  isEarlier(resetAt: number): boolean {
    return resetAt < this.#resetAt - SAME_MS;
  }

  /** Whether a reset names the present instance, which surely had not ended when the answer came. */
  isPresent(resetAt: number, receivedAt: number): boolean {
    const clock = this.#clock;
    const endsFrom = clock.known ? clock.soonest(resetAt) : this.#endsAt - ROUNDING_MS;
    return Math.abs(resetAt - this.#resetAt) <= SAME_MS && receivedAt < endsFrom - ROUNDING_MS;
  }

  /** An answer names a reset so many milliseconds from it. */
  observe(leftMs: number): void {
    this.#isTimestamp ||= isDateLeft(leftMs);
  }

  /** An answer that came at `receivedAt` names the reset of an instance that follows, `leftMs` milliseconds from the answer. */
  begin(resetAt: number, leftMs: number, receivedAt: number): void {
    this.#periodMs = Math.min(this.#periodMs, resetAt - this.#resetAt);
    this.#isOnCalendar = this.#periodMs > ROUNDING_MS && resetAt % this.#periodMs === 0;
    this.#resetAt = resetAt;
    this.#endsAt = receivedAt + leftMs + ROUNDING_MS;
    this.#firstAt = receivedAt;
  }
}
