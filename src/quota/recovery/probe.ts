import { ARRIVES_WITHIN_MS, type Flight } from '../usage/in-flight.ts';

/** One request goes first; the others wait until it has ended, or must have arrived. */
export class Probe {
  #flight: Flight | undefined;

  /** This request goes first; it replaces one that went before. */
  onSent(flight: Flight): void {
    this.#flight = flight;
  }

  /** A request has ended. @returns whether it went first, so that the others need not wait. */
  onEnded(flight: Flight): boolean {
    if (this.#flight !== flight) return false;
    this.#flight = undefined;
    return true;
  }

  /** The instant until which the others wait; `now`: they need not. */
  heldUntil(now: number): number {
    return this.#flight?.state === 'held' ? Math.max(now, this.#flight.sentAt + ARRIVES_WITHIN_MS) : now;
  }
}
