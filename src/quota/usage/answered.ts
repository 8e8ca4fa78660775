import { RunningSum } from './running-sum.ts';

/** Charges posted by the service after its answer left may be missing from a reading for this long, in milliseconds. */
export const POSTING_MS = 50;

/** A flight is over within this time, in milliseconds. */
const LONGEST_FLIGHT_MS = 600_000;

/** Answers that are remembered one by one; a contradiction shows within fewer. */
const REMEMBERED = 512;

interface Answered {
  sentAt: number;
  answeredAt: number;
  /** Units that the service surely counted. */
  sure: number;
}

/** Recently answered requests of this client: the evidence that readings are compared with. */
export class AnsweredRequests {
  readonly #counted = new RunningSum();
  readonly #answered: Answered[] = [];
  #newest = -1;
  /** The sure units of all answers that are remembered one by one. */
  #sure = 0;
  /** Answers up to this instant are no longer part of the sums. */
  #forgottenUntil = -Infinity;

  /** @param most - units that the service may have counted; `sure` - units that it surely did. */
  add(sentAt: number, now: number, most: number, sure: number): void {
    this.#counted.add(most, now);
    this.#forgottenUntil = Math.max(this.#forgottenUntil, now - LONGEST_FLIGHT_MS);
    this.#counted.forget(this.#forgottenUntil);
    if (sure <= 0) return;
    this.#newest = (this.#newest + 1) % REMEMBERED;
    // Written over: an object that lives for so many answers would be moved twice by the garbage collector.
    this.#answered[this.#newest] ??= { sentAt: 0, answeredAt: 0, sure: 0 };
    const entry = this.#answered[this.#newest] as Answered;
    this.#sure += sure - entry.sure;
    entry.sentAt = sentAt;
    entry.answeredAt = now;
    entry.sure = sure;
  }

  /** Units answered since `instant`, which may be missing from the reading of a request sent then. */
  settledSince(instant: number): number {
    return this.#counted.sumAfter(instant - POSTING_MS);
  }

  /** Whether certainly more than `units` of this client were counted after `from` and before `until`. */
  surelyExceeds(units: number, from: number, until: number): boolean {
    // Usually all answers are too few, or those of that time, which takes two searches to see.
    return this.#sure > units && this.atMost(from, until) > units && this.surely(from, until, units) > units;
  }

  /** No less than what {@link surely} adds up of the same time, at the cost of two searches. */
  atMost(from: number, until: number): number {
    if (from <= this.#forgottenUntil) return this.#sure;
    const counted = this.#counted.sumFrom(from) - this.#counted.sumAfter(until - POSTING_MS);
    return Math.max(0, Math.min(this.#sure, counted));
  }

  /** Units of this client that were certainly counted after `from` and before `until`; stops adding beyond `enough`. */
  surely(from: number, until: number, enough: number = Infinity): number {
    let sure = 0;
    for (let back = 0; back < this.#answered.length && sure <= enough; back++) {
      const answer = this.#back(back);
      if (!answer || answer.answeredAt < from) break;
      if (answer.answeredAt <= until - POSTING_MS && answer.sentAt >= from) sure += answer.sure;
    }
    return sure;
  }

  /** Whether a level that sinks at `rate` must have stood above `units` at `instant`, by what we added after `from` and before `until`. */
  surelyRoseTo(units: number, rate: number, instant: number, from: number, until: number): boolean {
    const most = this.#counted.sumAfter(from);
    let sure = 0;
    for (let back = 0; back < this.#answered.length; back++) {
      const answer = this.#back(back);
      if (!answer || answer.answeredAt < from) break;
      // Before this, too much has sunk for all of it together.
      if (most - rate * (instant - answer.sentAt) <= units) break;
      if (answer.answeredAt > until - POSTING_MS) continue;
      sure += answer.sure;
      if (sure - rate * (instant - answer.sentAt) > units) return true;
    }
    return false;
  }

  #back(steps: number): Answered | undefined {
    return this.#answered[(this.#newest - steps + REMEMBERED) % REMEMBERED];
  }
}
