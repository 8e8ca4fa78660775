import type { Charge } from '../admission.ts';

/** Charges of fewer units pass a larger one only while no more requests than this are passed, which bounds how far ahead a window is filled. */
export const MOST_PASSED = 256;

/**
 * The charge that cheaper ones pass because it does not fit what is left of a window. They may take only units that do not delay
 * it: at the instant at which it fits, there must be room for it and for them.
 */
export class PassedCharge {
  #units = 0;
  #priority = 0;
  #until = -Infinity;

  /** A charge is held until an instant. Of several the one that fits soonest counts; the same one may fit later than it did. */
  onHeld(units: number, priority: number, until: number, now: number): void {
    const isSame = units === this.#units && priority === this.#priority;
    if (now < this.#until && this.#until < until && !isSame && priority <= this.#priority) return;
    this.#units = units;
    this.#priority = priority;
    this.#until = until;
  }

  /**
   * The earliest instant at which a charge does not delay the one that is passed.
   *
   * @param fitsFrom - the instant at which that many units fit.
   */
  earliest({ units, priority }: Charge, fitsFrom: (units: number) => number, now: number): number {
    if (now >= this.#until || units >= this.#units || priority > this.#priority) return now;
    return fitsFrom(units + this.#units) <= this.#until ? now : this.#until;
  }
}
