/**
 * A call waits for the share for so much longer than it may, in milliseconds: looks take up to six seconds in all, and units that another
 * process holds are free two seconds later.
 */
const SPARED_MS = 8_000;

/** A call that has not asked again for this long after the end of its hold waits no more, in milliseconds. */
const LATE_MS = 1_000;

/** For how long the share has let no call of this process go, and the store has answered no ask, whatever the cause. */
export class Standstill {
  #since: number | undefined;
  #until = Number.NEGATIVE_INFINITY;

  /** A call is held until `until`. @returns since when calls count as held for too long; undefined: they do not. */
  hold(until: number, now: number): number | undefined {
    if (this.#since === undefined || now > this.#until + LATE_MS) this.#since = now;
    this.#until = until;
    const from = this.#since + SPARED_MS;
    return now > from ? from : undefined;
  }

  /** A call may go, or the store has answered an ask. */
  end(): undefined {
    this.#since = undefined;
  }
}
