/** Nearly all questions are about the last entries, so many: they are looked at first. */
const LAST = 64;

/** What slides out of a window is kept this much longer, for answers that were long under way, in milliseconds. */
export const LINGER_MS = 60_000;

/** Instants that differ by less are the same but for rounding, in milliseconds. */
const SAME_MS = 1e-6;

/** Room that the log frees in one go, so that forgetting costs nothing on average. */
const SWEEP = 1_024;

/**
 * Units by the instant they were booked, oldest first, with running sums: the sum over any stretch of time, and the
 * instant at which enough of it is past, take O(log n).
 */
export class RunningSum {
  #at: number[] = [];
  #sum: number[] = [];
  /** The sum of all that was ever booked, and of what is forgotten. */
  #total = 0;
  #forgotten = 0;
  #head = 0;
  /** The sum of what is no longer kept, see {@link keepLast}. */
  #dropped = -Infinity;

  /** Books `units` at `at`, or at the instant last booked where that is later. */
  add(units: number, at: number): void {
    this.#at.push(Math.max(at, this.#at[this.#at.length - 1] ?? at));
    this.#total += units;
    this.#sum.push(this.#total);
  }

  /** The units booked later than `instant`. */
  sumAfter(instant: number): number {
    const last = this.#at.length - LAST;
    const isRecent = last > this.#head && (this.#at[last] ?? 0) <= instant;
    let low = isRecent ? last : this.#head;
    let high = this.#at.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#at[middle] ?? 0) <= instant) low = middle + 1;
      else high = middle;
    }
    return this.#total - this.#sumBefore(low);
  }

  /** The units booked at `instant` or later. */
  sumFrom(instant: number): number {
    return this.sumAfter(instant - SAME_MS);
  }

  /** The units booked later than `instant` and kept. */
  keptAfter(instant: number): number {
    return Math.min(this.sumAfter(instant), this.#total - this.#dropped);
  }

  /** Keeps no more than the last `units` that were booked: {@link keptAfter} and {@link instantBelow} know of no more. */
  keepLast(units: number): void {
    this.#dropped = Math.max(this.#dropped, this.#total - units);
  }

  /** The earliest instant after which no more than `units` were booked and kept; what was forgotten counts as long ago. */
  instantBelow(units: number): number {
    const enough = this.#total - units;
    if (enough <= Math.max(this.#dropped, this.#sumBefore(this.#head))) return -Infinity;
    let low = this.#head;
    let high = this.#sum.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#sum[middle] ?? 0) >= enough) high = middle;
      else low = middle + 1;
    }
    return this.#at[low] ?? -Infinity;
  }

  /** Forgets everything booked at or before `instant`. */
  forget(instant: number): void {
    while ((this.#at[this.#head] ?? Infinity) <= instant) this.#head++;
    if (this.#head < SWEEP || this.#head * 2 < this.#at.length) return;
    this.#forgotten = this.#sumBefore(this.#head);
    this.#at.splice(0, this.#head);
    this.#sum.splice(0, this.#head);
    this.#head = 0;
  }

  #sumBefore(index: number): number {
    return index > 0 ? (this.#sum[index - 1] ?? 0) : this.#forgotten;
  }
}
