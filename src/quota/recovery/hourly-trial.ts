import type { Hold } from '../admission.ts';
import { periodMsOf } from '../time/periods.ts';

/**
 * After this time what the service has refused is tried again: the quota may have been raised, or paid for. So a request goes although the
 * quota is used up, or the service ordered a pause, if no answer has come for so long. In milliseconds.
 */
export const TRIAL_MS: number = periodMsOf('hour');

/** When the next hourly trial is due. */
export class HourlyTrial {
  /** When the last answer came, or the last trial was sent; -Infinity: a sibling's trial was served since. */
  #heardAt: number | undefined;

  /** When it is due unless an answer comes before, in monotonic milliseconds. */
  get dueAt(): number {
    return (this.#heardAt ?? Infinity) + TRIAL_MS;
  }

  /** Whether it is due because the trial of a sibling was served. */
  get isFollowing(): boolean {
    return this.#heardAt === -Infinity;
  }

  /** Whether it is due, and may pass this hold: nothing but the quota, or a pause that was ordered. */
  isDue({ isFirm, until, failingSince }: Hold, now: number): boolean {
    this.#heardAt ??= now;
    return now >= this.dueAt && isFirm && until < Infinity && failingSince === undefined;
  }

  /** An answer came, or a trial is sent. */
  reset(now: number): void {
    this.#heardAt = now;
  }

  /** A sibling had an answer to its trial: what served it may serve this process, which can only be seen by a trial of its own. */
  learn({ at, isServed }: { readonly at: number; readonly isServed: boolean }): void {
    if (at > (this.#heardAt ?? at)) this.#heardAt = isServed ? -Infinity : at;
  }
}
