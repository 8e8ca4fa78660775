import { type Charge, type Hold, holdUntil, type Limit } from '../admission.ts';
import { Backoff } from '../recovery/backoff.ts';
import { Probe } from '../recovery/probe.ts';
import type { Flight } from '../usage/in-flight.ts';

/** Time between two inspections that pass a pause or a full window, in milliseconds; it doubles until one is served. */
const FIRST_GAP_MS = 2_000;
const LONGEST_GAP_MS = 60_000;

/** Paces inspections that pass what holds all other requests back: one at a time, with a growing gap between them. */
export class InspectionPace implements Limit {
  readonly #backoff = new Backoff(FIRST_GAP_MS, LONGEST_GAP_MS);
  readonly #probe = new Probe();
  #nextAt = -Infinity;

  /** An inspection is sent although something holds other requests back. */
  onSent(flight: Flight, now: number): void {
    this.#probe.onSent(flight);
    this.#nextAt = now + this.#backoff.next();
  }

  /** A request was served. */
  onServed(): void {
    this.#backoff.reset();
  }

  check(_charge: Charge, now: number): Hold | undefined {
    const until = Math.max(this.#nextAt, this.#probe.heldUntil(now));
    if (until <= now) return undefined;
    const why = 'another inspection of the quota was sent a moment ago';
    return holdUntil(until, () => ({ kind: 'inspection', why }), { scope: 'endpoint' });
  }
}
