import type { WindowNews } from '../../quota/share-limit.ts';
import { type Period, periodMsOf } from '../../quota/time/periods.ts';
import { RunningSum } from '../../quota/usage/running-sum.ts';
import { isShort } from '../slots/instances.ts';

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

/**
 * It is at most so many times what the readings of late count beyond the requests of this process: in the middle of a calendar window they count half of
 * what strangers take of it, and by chance less.
 */
const MOST_TIMES = 4;

/** Only what this process has sent in this time is told from what others have, in milliseconds. */
const OWN_MS = 10_000;

/** A longer window has none: of a day it would last for days, and what refusals show of its last units is little. In milliseconds. */
const LONGEST_MS: number = periodMsOf('minute');

/** The reserve of a window after its last refusal, as a part of the limit. */
interface Last {
  readonly part: number;
  readonly at: number;
}

/**
 * Units of each window that this process leaves to strangers: consumers that are no processes of the share. What they use after a response shows in the
 * next one, and then a granted request may have been refused. So each such refusal adds to the reserve, which fades. Of a second it is no more than readings
 * allow: while they count nothing of others, nothing is left to them.
 */
export class StrangersReserve {
  readonly #last = new Map<Period, Last>();
  /** Units that readings count of others: a mean of the last seconds of which any was read. */
  #counted = 0;
  #countedAt = -Infinity;
  /** Units that this process has sent. */
  readonly #own = new RunningSum();

  /** A request of so many units is sent. */
  onSent(units: number, now: number): void {
    this.#own.add(units, now);
    this.#own.forget(now - OWN_MS);
  }

  /** Processes a reading. `from`: it counts all that this process has sent since that local instant. */
  read(news: WindowNews, from: number): void {
    const { period, used, limit, isRefused, receivedAt: now } = news;
    const last = this.#last.get(period);
    const periodMs = periodMsOf(period);
    if (periodMs > LONGEST_MS) return;
    if (isShort(period)) this.#count(news, from);
    if (!isRefused || used < limit) return;
    if (last && now < last.at + TOGETHER_PART * periodMs) return;
    const part = this.#partAt(period, now) + Math.max(LEAST_STEP / limit, STEP_PART);
    this.#last.set(period, { part: Math.min(part, MOST_PART), at: now });
  }

  /** The reserve of a window in whole units. */
  units({ period, limit }: Pick<WindowNews, 'period' | 'limit'>, now: number): number {
    const most = isShort(period) ? MOST_TIMES * this.#counted : limit;
    return Math.floor(Math.min(limit * this.#partAt(period, now), most));
  }

  /** Records what a reading counts beyond what this process has sent. All readings of a second count as one. */
  #count({ period, used, sentAt, receivedAt: now }: WindowNews, from: number): void {
    const theirs = Math.max(0, used - this.#own.sumFrom(from) + this.#own.sumAfter(sentAt));
    const seconds = Math.min(1, (now - this.#countedAt) / periodMsOf(period));
    this.#counted = theirs + (this.#counted - theirs) * Math.exp(-seconds);
    this.#countedAt = now;
  }

  /** It as a part of the limit. */
  #partAt(period: Period, now: number): number {
    const last = this.#last.get(period);
    if (!last) return 0;
    return last.part * Math.exp((last.at - now) / Math.max(FADES_MS, FADES_WINDOWS * periodMsOf(period)));
  }
}
