import type { Charge } from '../admission.ts';
import type { WindowReading } from '../models/model.ts';
import { TRIAL_MS } from '../recovery/hourly-trial.ts';

/** Whether requests may go that take more units than a whole window holds: a service that charges after the answer serves them. */
export class LargerCharges {
  /** Whether one was served. */
  #areServed = false;
  /** Until when none is sent, because one was refused. */
  #refusedUntil = -Infinity;

  /** Processes a reading of the window. */
  onReading({ limited, own, limit }: WindowReading): void {
    if (!limited && own > limit) this.#areServed = true;
  }

  /** A request was refused because its cost exceeds a window of `limit` units. */
  onRefused(units: number, limit: number, now: number): void {
    if (units > limit) this.#refusedUntil = now + TRIAL_MS;
  }

  /** Whether the charge exceeds the whole window. A learned cost was served before, and may be again, unless it was refused for that. */
  isTooLarge({ units, isStated, least = 0 }: Charge, limit: number, now: number): boolean {
    if (this.#areServed) return false;
    return isStated ? units > limit : least > limit && now < this.#refusedUntil;
  }
}
