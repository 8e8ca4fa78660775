import type { Shapes, WindowNews } from '../quota/share-limit.ts';
import { periodMsOf as lengthOf, type Period } from '../quota/time/periods.ts';
import { allowanceOf, type Fallback } from './fallback.ts';
import { Lots } from './lots.ts';
import type { Wish } from './message.ts';
import type { Moment } from './moments.ts';
import { beginOf, SLICES, sliceOf, windowOf } from './slices.ts';

/** Parts of windows that begin within this time are fetched with the present one, in milliseconds. */
const HORIZON_MS = 4_000;

/** What others have left of a window may be had when this part of it is over. */
const LATE = 0.25;

/** What is held is topped up when no more than this part of the last grant is left. */
const LOW = 0.25;

/** Of a long window no more is held at a time: a process that dies takes it along. */
const LARGEST_PART: Partial<Record<Period, number>> = { hour: 0.01, day: 0.01, month: 0.001 };
const LEAST_PART = 4;

/** Where nothing was left of a window it is asked for again after this time, and then after twice as long, in milliseconds. */
const FIRST_PAUSE_MS = 500;

/** …but never so often that many processes keep Redis busy with it: so long for each of them. */
const EACH_PAUSE_MS = 250;

/** Past an end that the service named, who waits asks again after this time, in milliseconds. */
const EAGER_MS = 100;
const EAGER_FOR_MS = 3_000;

/** What there is to do. */
export interface Demand {
  /** Units that wait to be sent. */
  readonly waiting: number;
  /** Units that the dearest single request takes. */
  readonly dearest: number;
  /** Whether nothing waits, and nothing is under way. */
  readonly isIdle: boolean;
}

/**
 * How much of which instance of one window is ours, is spent, and will be needed. Nothing but bookkeeping: time is an
 * argument, and nobody is called.
 *
 * While only the calendar shape is left for the window, an instance is the whole window, and a request that may arrive in
 * either of two takes from both. Until then it is a slice, and the claims of all on eleven of them, which cover any
 * stretch of time as long as the window, stay within the limit.
 */
export class Holding {
  readonly period: Period;
  readonly length: number;
  /** Units that the window holds in all. */
  limit: number;
  /** Whether no shape but the calendar's is left. */
  isWhole: boolean;
  /** Whether it is known which shape the window has. */
  isSettled: boolean;
  peers = 1;
  fallback: Fallback | undefined;
  /** The last instance that has been reached. */
  latest = -1;
  /** The end that the service named, by its clock. */
  toldEnd: number | undefined;
  said: { slice: number; from: number; to: number; used: number } | undefined;
  /** The most that anybody was told is used of the present instance. */
  #told = { slice: -1, used: 0 };
  readonly lots: Lots = new Lots();
  /** Nobody leaves anything just now. */
  #unluckyUntil = Number.NEGATIVE_INFINITY;
  #pauseMs = 0;

  constructor(period: Period, limit: number) {
    this.period = period;
    this.length = lengthOf(period);
    this.limit = limit;
    this.isWhole = period === 'month';
    this.isSettled = this.isWhole;
  }

  /** Whether it is so long that what is held of it must be little. */
  get isLong(): boolean {
    return LARGEST_PART[this.period] !== undefined;
  }

  /** The instances in which a request that arrives at this moment may be counted. */
  instances({ least, most }: Moment): number[] {
    if (!this.isWhole) return [sliceOf(this.period, most)];
    const first = windowOf(sliceOf(this.period, least));
    const last = windowOf(sliceOf(this.period, most));
    return Array.from({ length: (last - first) / SLICES + 1 }, (_, index) => first + index * SLICES);
  }

  /** Units of an instance that are ours to spend. */
  free(slice: number): number {
    const { granted, used } = this.lots.see(slice);
    if (!this.fallback) return granted - used;
    const spent = this.isWhole ? used : this.lots.usedUpTo(slice);
    return Math.max(granted - used, allowanceOf(this.fallback, this.limit, slice) - spent);
  }

  /** The first of these instances that does not bear `units`. */
  lacking(units: number, moment: Moment): number | undefined {
    return this.instances(moment).find((slice) => this.free(slice) < units);
  }

  /** Whether the service's own word is that `units` do not fit any more. */
  isFull(units: number, moment: Moment): boolean {
    return this.isWhole && this.instances(moment)[0] === this.#told.slice && this.#told.used + units > this.limit;
  }

  /** Takes in which shapes the window may have. */
  adopt({ alive }: Shapes): void {
    // A second that the first request opens hardly gets out of step, and each pacer still reckons with it.
    const asGood = this.period === 'second' ? 'first-request' : 'aligned';
    this.isWhole = alive.every((name) => name === 'aligned' || name === asGood);
    this.isSettled = alive.length === 1;
  }

  /** Takes in what the service said. */
  hear({ used, limit }: WindowNews, sent: Moment, received: Moment): void {
    this.limit = limit;
    const slice = this.isWhole ? windowOf(sliceOf(this.period, sent.least)) : sliceOf(this.period, received.most);
    if (this.isWhole && slice !== windowOf(sliceOf(this.period, received.most))) return;
    if (this.said?.slice === slice && this.said.used >= used) return;
    const from = this.isWhole ? slice : sliceOf(this.period, sent.least) - SLICES;
    this.said = { slice, from, to: this.isWhole ? slice + SLICES - 1 : slice, used };
  }

  /** What was claimed and is still of use, each as the total that is ours; what is not needed any more is let go. */
  claims(moment: Moment, { waiting, dearest, isIdle }: Demand): [number, number][] {
    const present = this.instances(moment)[0] ?? 0;
    const oldest = this.isWhole ? present : present - SLICES - 1;
    // Whoever holds more than its part when others come lets go of the rest.
    const part = this.peers === 1 ? this.limit : Math.max(dearest, Math.ceil(this.limit / this.peers));
    const usual = this.#usual(present);
    const claims: [number, number][] = [];
    for (const [slice, lot] of this.lots.since(oldest)) {
      const free = Math.max(0, lot.granted - lot.used);
      const isOpen = slice >= present && !(this.isWhole && slice !== windowOf(slice));
      const keep = !isOpen || isIdle ? 0 : Math.min(free, part, Math.max(waiting, usual, dearest));
      lot.granted = lot.used + keep;
      claims.push([slice, lot.granted]);
    }
    return claims;
  }

  /** What to ask for. */
  wishes(moment: Moment, { waiting, dearest, isIdle }: Demand): Wish[] {
    if (isIdle) return [];
    const present = this.instances(moment);
    const all = this.isWhole ? this.instances({ least: moment.least, most: moment.most + HORIZON_MS }) : present;
    const first = present[0] ?? 0;
    // Who waits now is followed by others, so each instance is asked for as if all of them were for it.
    const useful = Math.max(waiting, this.#usual(first), dearest);
    return all.flatMap((slice): Wish[] => {
      const { granted, used } = this.lots.see(slice);
      const free = Math.max(0, granted - used);
      const want = Math.min(this.limit, useful) - free;
      if (want <= 0) return [];
      const ahead = !present.includes(slice);
      const need = Math.min(this.limit, Math.max(1, dearest - free));
      const late = this.peers === 1 || !this.isWhole || this.#gone(slice, moment) >= LATE;
      const range = this.isWhole
        ? { from: slice, to: slice + SLICES - 1 }
        : { from: sliceOf(this.period, moment.least) - SLICES, to: slice };
      const most = this.isLong ? Math.max(need, LEAST_PART, this.limit * (LARGEST_PART[this.period] ?? 1)) : this.limit;
      const ended = this.#endedBy(moment);
      return [
        {
          slice,
          ...range,
          want: Math.max(want, need),
          need,
          most,
          ahead,
          late,
          ...(ended && slice === first ? { try: ended } : {}),
        },
      ];
    });
  }

  /** Takes in what a wish brought: units that are ours now, and how many anybody was told are used. `now` is by our clock. */
  grant(wish: Wish, units: number, used: number, now: number, moment: Moment): void {
    const lot = this.lots.at(wish.slice);
    lot.granted += units;
    lot.wasAsked = true;
    lot.last = units;
    if (!wish.ahead) this.#told = { slice: wish.slice, used };
    if (wish.late && this.isWhole && !wish.ahead) this.#pause(units > 0, now);
    if (this.isWhole && !wish.late) lot.retryAt = now + (LATE - this.#gone(wish.slice, moment)) * this.length;
    else if (this.isWhole) lot.retryAt = Number.NEGATIVE_INFINITY;
    else if (units === 0) lot.retryAt = now + Math.min(this.length / SLICES, this.#untilEnd(moment));
  }

  /** Where nothing is left it is asked for less and less often. */
  #pause(isLucky: boolean, now: number): void {
    const longest = Math.max(HORIZON_MS, this.length / 8, this.peers * EACH_PAUSE_MS);
    const first = this.length <= HORIZON_MS ? HORIZON_MS / 2 : FIRST_PAUSE_MS;
    this.#pauseMs = isLucky ? 0 : Math.min(longest, this.#pauseMs * 2 || first);
    this.#unluckyUntil = now + this.#pauseMs;
  }

  /** Since when, or from when, it is of use to ask for more of an instance. */
  retryAt(slice: number): number {
    const { retryAt } = this.lots.see(slice);
    return this.isWhole ? Math.max(retryAt, this.#unluckyUntil) : retryAt;
  }

  /** Whether it is time to fetch more, although nobody has to wait yet. */
  isLow(now: number, moment: Moment, waiting: number): boolean {
    const [present = 0] = this.instances(moment);
    const { granted, used, last } = this.lots.see(present);
    if (!this.isWhole) return false;
    const next = present + SLICES;
    const isNextClose = beginOf(this.period, next) - moment.most < HORIZON_MS / 2;
    if (isNextClose && !this.lots.see(next).wasAsked && waiting + used > 0) return true;
    const left = granted - used;
    return this.length > HORIZON_MS && waiting > left && left <= last * LOW && now >= this.retryAt(present);
  }

  /** Units that were used lately in an instance. */
  #usual(present: number): number {
    const before = this.isWhole ? present - SLICES : present - 1;
    return Math.max(this.lots.see(present).used, this.lots.see(before).used);
  }

  /** The part of an instance's window that is over. */
  #gone(slice: number, { least }: Moment): number {
    return (least - beginOf(this.period, slice)) / this.length;
  }

  /** How long until the service named an end, or until one who waits for what comes of it asks again. */
  #untilEnd({ least }: Moment): number {
    const left = this.toldEnd === undefined ? Number.POSITIVE_INFINITY : this.toldEnd - least;
    return left < -EAGER_FOR_MS ? Number.POSITIVE_INFINITY : Math.max(EAGER_MS, left);
  }

  /** The slice since which one request may try, if the end that the service named is past. */
  #endedBy({ least }: Moment): number | undefined {
    if (this.isWhole || this.toldEnd === undefined || least < this.toldEnd) return undefined;
    return sliceOf(this.period, this.toldEnd);
  }
}
