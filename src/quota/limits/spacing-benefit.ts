import { TRIAL_MS } from '../recovery/hourly-trial.ts';

/** Spacing helps if requests that are not spaced are refused more than so many times as often as those that are. */
const FEWER = 3;

/** So many spaced requests are refused before it counts as useless, and so many others within {@link COUNTED_MS} before it no longer does. */
const LEAST_REFUSED = 8;

/** Requests that are not spaced are counted for this long, in milliseconds: what they asked for before says nothing of now. */
const COUNTED_MS = 10_000;

/** Added to the requests that are not spaced: a few that were refused by chance are what makes others be spaced. */
const CHANCE = 4;

/** Answered requests of one kind. */
interface Outcomes {
  served: number;
  refused: number;
}

const none = (): Outcomes => ({ served: 0, refused: 0 });
/** Of no outcomes it is no number: nothing helps more, or less, than that. */
const refusedPart = ({ served, refused }: Outcomes, more = 0): number => refused / (served + refused + more);

/**
 * Whether it helps to space requests where some are refused for a reason that no answer names. It does where the rate is limited, also while other
 * consumers take a part of it, and does not where the service refuses some of them at any rate.
 */
export class SpacingBenefit {
  /** When the first spaced request may go. */
  #spacedFrom = Infinity;
  #spaced = none();
  #unspaced = none();
  #countedFrom = -Infinity;
  #uselessUntil = -Infinity;

  /** Whether requests that were spaced have been refused about as often as others, within the last hour. */
  isUseless(now: number): boolean {
    return now < this.#uselessUntil;
  }

  /** Requests are spaced from an instant on, if they are not yet. */
  begin(at: number): void {
    if (this.#spacedFrom < Infinity) return;
    this.#spacedFrom = at;
    this.#spaced = none();
  }

  /** A request was answered. */
  onAnswer(sentAt: number, isRefused: boolean, now: number): void {
    const isSpaced = sentAt >= this.#spacedFrom;
    if (!isSpaced && now > this.#countedFrom + COUNTED_MS) {
      this.#countedFrom = now;
      this.#unspaced = none();
    }
    const outcomes = isSpaced ? this.#spaced : this.#unspaced;
    outcomes[isRefused ? 'refused' : 'served']++;
    if (outcomes.refused >= LEAST_REFUSED) this.#judge(isSpaced, now);
  }

  #judge(isSpaced: boolean, now: number): void {
    if (refusedPart(this.#unspaced, CHANCE) > FEWER * refusedPart(this.#spaced)) this.#uselessUntil = -Infinity;
    else if (isSpaced) {
      this.#uselessUntil = now + TRIAL_MS;
      this.#spacedFrom = Infinity;
    }
  }
}
