import { type Hold, holdUntil } from '../admission.ts';
import type { Flight } from '../usage/in-flight.ts';
import { Probe } from './probe.ts';
import { Ramp } from './ramp.ts';

/** What follows a pause: while it is half-open one request probes the service, and once that is served the others follow, ever faster. */
export class Reopening {
  readonly #after: string;
  readonly #probe = new Probe();
  readonly #ramp = new Ramp();

  /** @param after - what has paused the requests, for people: `a pause`. */
  constructor(after: string) {
    this.#after = after;
  }

  /** A request is sent. */
  onSent(flight: Flight, isHalfOpen: boolean): void {
    if (isHalfOpen) this.#probe.onSent(flight);
    else this.#ramp.onSent(flight.sentAt);
  }

  /** The pause is no longer half-open: the others may follow. */
  open(): void {
    this.#ramp.begin();
  }

  /** @param firstAt - when the probe may go. Default: at once. */
  check(isHalfOpen: boolean, now: number, firstAt: number = now): Hold | undefined {
    const until = isHalfOpen ? Math.max(firstAt, this.#probe.heldUntil(now)) : this.#ramp.heldUntil(now);
    if (until <= now) return undefined;
    const what = isHalfOpen ? 'one request probes the service' : 'requests follow one by one';
    return holdUntil(until, () => ({ kind: 'half-open', why: `${what} after ${this.#after}` }));
  }
}
