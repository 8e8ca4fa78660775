import type { WindowNews } from '../../quota/share-limit.ts';
import { type Period, periodMsOf } from '../../quota/time/periods.ts';
import { TOGETHER } from '../../quota/window/others/room-for-others.ts';
import type { SharedWindow } from '../slots/window.ts';
import type { UnderWay } from './call-needs.ts';
import type { StrangersReserve } from './strangers-reserve.ts';

/** A reading that is older does not show what is left, in milliseconds. */
const RECENT_MS = 5_000;

/** The longest time that is taken for that in which a unit slides out, in milliseconds. */
const LONGEST_MS = 2_000;

/** The requests of a job wait this long at most for the response to its first one, in milliseconds. */
const FIRST_MS = 1_000;

/** A window of which too little is left by the latest responses, and until when that holds a request back. */
export interface StatedHold {
  readonly window: SharedWindow;
  readonly until: number;
  /** The period of that window, where a request under way is to show what is left of it. */
  readonly unknown?: Period;
}

/**
 * What the latest responses to this process leave of windows that may slide, or that strangers use, too. No process can tell when the units of consumers
 * that are no processes of the share slide out, nor what they have under way. So whatever the store has granted, a process sends no more than the
 * service has just said is left, and one request first where that is not known.
 */
export class StatedRoom {
  readonly #latest = new Map<Period, WindowNews>();
  readonly #strangers: Pick<StrangersReserve, 'units'>;
  readonly #underWay: Readonly<UnderWay>;
  /** When the store was found to have lost its memory. */
  #lostAt = -Infinity;

  constructor(strangers: Pick<StrangersReserve, 'units'>, underWay: Readonly<UnderWay>) {
    this.#strangers = strangers;
    this.#underWay = underWay;
  }

  /** Records a reading. Of requests that were under way together, the one that was counted last says most. */
  read(news: WindowNews): void {
    const known = this.#latest.get(news.period);
    if (!known || news.sentAt >= known.receivedAt || news.used >= known.used) this.#latest.set(news.period, news);
  }

  /** The store has lost its memory: until a response shows what is used, what it grants says little. */
  lose(now: number): void {
    this.#lostAt = now;
  }

  /** What holds a request of so many units back for longest, if anything does. `isAmple`: whether the store counts little of each window as used. */
  hold(windows: Iterable<SharedWindow>, units: number, isAmple: boolean, now: number): StatedHold | undefined {
    let longest: StatedHold | undefined;
    for (const window of windows) {
      if (window.isShort) continue;
      const isLost = (this.#latest.get(window.period)?.receivedAt ?? -Infinity) < this.#lostAt + RECENT_MS;
      if (window.isCalendar && !isLost && this.#strangers.units(window, now) === 0) continue;
      const hold = this.#holdOf(window, units, isAmple && !isLost, now);
      if (hold && hold.until > (longest?.until ?? now)) longest = hold;
    }
    return longest;
  }

  #holdOf(window: SharedWindow, units: number, isAmple: boolean, now: number): StatedHold | undefined {
    const { period, isCalendar } = window;
    const latest = this.#latest.get(period);
    const isUnderWay = this.#underWay.units > 0;
    if (latest) {
      const { limit, used, receivedAt } = latest;
      const strangers = this.#strangers.units(latest, now);
      const underWay = this.#underWay.units * (strangers > 0 ? 1 + TOGETHER : 1);
      const over = used + underWay + units - limit;
      // What slides out until then is theirs, too.
      const until = receivedAt + (over + strangers) * Math.min(periodMsOf(period) / limit, LONGEST_MS);
      // A request that is alone shows what is left.
      if (!isCalendar && over > 0 && (isUnderWay || strangers > 0) && now < until) return { window, until };
      // The window that was full may have ended.
      if (now <= receivedAt + RECENT_MS && !(isCalendar && over > 0)) return undefined;
    }
    if (!isUnderWay || isAmple) return undefined;
    return { window, until: this.#underWay.sentAt + FIRST_MS, unknown: period };
  }
}
