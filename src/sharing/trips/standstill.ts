/**
 * A standstill that is shorter than this says nothing, in milliseconds: looks take up to six seconds in all, and units that another process
 * holds are free two seconds later.
 */
const SPARED_MS = 8_000;

/** A call that has not asked again for this long after the end of its hold waits no more, in milliseconds. */
const LATE_MS = 1_000;

/** For how long the share has held back every call of this process, and the store has answered no ask, whatever the cause. */
export class Standstill {
  #since: number | undefined;
  #until = -Infinity;

  /** A call is held until `until`. @returns whether calls are held for so long that the patience of each ends its wait. */
  hold(until: number, now: number): boolean {
    if (this.#since === undefined || now > this.#until + LATE_MS) this.#since = now;
    this.#until = until;
    return now > this.#since + SPARED_MS;
  }

  /** A call may go, or the store has answered an ask. */
  end(): void {
    this.#since = undefined;
  }
}
