import type { WindowNews } from '../../quota/share-limit.ts';
import { type Period, periodMsOf } from '../../quota/time/periods.ts';

/** A refusal adds this part of the limit to the reserve of the window that was full, and at least so many units. */
const STEP_PART = 0.03;
const LEAST_STEP = 2;

/** Refusals within this part of a window count once: their requests were under way together. */
const TOGETHER_PART = 0.25;

/** The reserve is this part of the limit at most, so that it is half of it for some time. */
const MOST_PART = 0.55;

/** The reserve fades by a factor of e in so many windows, and no sooner than in this time, in milliseconds. */
const FADES_WINDOWS = 10;
const FADES_MS = 120_000;

/** A longer window has none: of a day it would last for days, and what refusals show of its last units is little. In milliseconds. */
const LONGEST_MS: number = periodMsOf('minute');

/** The reserve of a window after its last refusal, as a part of the limit. */
interface Last {
  readonly part: number;
  readonly at: number;
}

/**
 * Units of each window that this process leaves to strangers: consumers that are no processes of the share. What they use after a response shows in the
 * next one, and then a granted request may have been refused. So each such refusal adds to the reserve, which fades.
 */
export class StrangersReserve {
  readonly #last = new Map<Period, Last>();

  /** Processes a reading. */
  read({ period, used, limit, isRefused, receivedAt: now }: WindowNews): void {
    const last = this.#last.get(period);
    const periodMs = periodMsOf(period);
    if (!isRefused || used < limit || periodMs > LONGEST_MS) return;
    if (last && now < last.at + TOGETHER_PART * periodMs) return;
    const part = this.#partAt(period, now) + Math.max(LEAST_STEP / limit, STEP_PART);
    this.#last.set(period, { part: Math.min(part, MOST_PART), at: now });
  }

  /** The reserve of a window in whole units. */
  units({ period, limit }: Pick<WindowNews, 'period' | 'limit'>, now: number): number {
    return Math.floor(limit * this.#partAt(period, now));
  }

  /** It as a part of the limit. */
  #partAt(period: Period, now: number): number {
    const last = this.#last.get(period);
    if (!last) return 0;
    return last.part * Math.exp((last.at - now) / Math.max(FADES_MS, FADES_WINDOWS * periodMsOf(period)));
  }
}
