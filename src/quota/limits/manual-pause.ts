import { type Charge, type Hold, holdUntil, type Limit } from '../admission.ts';

/** How often a pause without an end is checked, in milliseconds: it holds calls back, but none is refused for it. */
const CHECK_MS = 60_000;

/** A pause that the caller ordered. It holds back every request. */
export class ManualPause implements Limit {
  readonly kind = 'paused';
  #until = -Infinity;

  /** The instant until which nothing may be sent; Infinity: until it is ended. */
  get until(): number {
    return this.#until;
  }

  /** Pauses until `instant`, or with -Infinity ends the pause. */
  set(instant: number): void {
    this.#until = instant;
  }

  check(_charge: Charge, now: number): Hold | undefined {
    if (this.#until <= now) return undefined;
    const isOpen = this.#until === Infinity;
    const why = 'the client is paused';
    const until = isOpen ? now + CHECK_MS : this.#until;
    return holdUntil(until, () => ({ kind: this.kind, why }), { isFirm: !isOpen, mayEndOnAnswer: false });
  }
}
