/** What each further window leaves of the most that was taken of one. */
const FADING = 0.98;

/** What other consumers have taken of the present calendar window, compared with the most that they took of one before. */
export class TakenInAll {
  #taken = 0;
  #most = 0;

  /** A reading shows that they have taken `units` of a window; `isNew`: of a later one than the last reading. */
  observe(units: number, isNew: boolean): void {
    if (isNew) this.#most = Math.max(this.#taken, this.#most * FADING);
    this.#taken = isNew ? units : Math.max(this.#taken, units);
  }

  /** Units that they will still take of it, if it is as much in all as they took of one before. */
  get left(): number {
    return Math.max(0, this.#most - this.#taken);
  }
}
