import { ARRIVES_WITHIN_MS, type Flight } from '../usage/in-flight.ts';

/** One request goes first; the others wait until it has ended, or must have arrived. */
export class Probe {
  #flight: Flight | undefined;
  /** Whether it replaces one that was not answered in time. */
  isRepeated = false;

  /** This request goes first; it replaces one that went before. */
  onSent(flight: Flight): void {
    this.isRepeated = this.#flight?.isOver === false;
    this.#flight = flight;
  }

  /** The instant until which the others wait; `now`: they need not, or no longer: how the request ended does not matter. */
  heldUntil(now: number): number {
    const flight = this.#flight;
    return flight?.isOver === false ? Math.max(now, flight.sentAt + ARRIVES_WITHIN_MS) : now;
  }
}
