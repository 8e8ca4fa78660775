import { Backoff } from '../../recovery/backoff.ts';
import { TRIAL_MS } from '../../recovery/hourly-trial.ts';
import { endOf } from '../../time/periods.ts';
import type { ServerClock } from '../../time/server-clock.ts';

/** When the first probe follows the request that used the window up, in milliseconds. More follow, ever rarer, until they are hourly trials. */
const FIRST_MS = 400;

/** What is left for probes, so that none is refused: this part of the window, and at most so many requests. */
const PART = 0.1;
const MOST = 8;

/** Requests that find out now and then, and at each full minute, whether a window of which no reset is named holds more again. */
export class RoomProbes {
  /** Requests that are left for probes. */
  readonly reserved: number;
  /** When the next probe may go. */
  nextAt: number = -Infinity;
  readonly #clock: ServerClock;
  readonly #backoff = new Backoff(FIRST_MS, TRIAL_MS);

  /** @param limit - requests that the window holds in all. */
  constructor(limit: number, clock: ServerClock) {
    this.reserved = Math.min(MOST, Math.ceil(limit * PART));
    this.#clock = clock;
  }

  /** A probe is sent. With a full minute probes are as frequent again, as long as requests are `left` for them. */
  onSent(left: number, now: number): void {
    const at = now + this.#backoff.next();
    const clock = this.#clock;
    const minute = clock.known ? clock.surely(endOf('minute', clock.least(now))) : Infinity;
    if (at > minute && left >= 1) this.#backoff.reset();
    this.nextAt = Math.min(at, minute);
  }

  /** An answer shows that what was used is free again, but room for no more than the probe itself. */
  onFreed(): void {
    this.#backoff.repeat();
  }

  /** An answer shows that there is more again. */
  onRoom(): void {
    this.#backoff.reset();
  }
}
