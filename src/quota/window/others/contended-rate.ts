import { FillTrend } from './fill-trend.ts';
import { beganTogether, type LongerWindow, type ServedRate } from './total-rate.ts';

/** Our part of a window before the first reading that counts others, of which what is ours is our part. */
const FIRST = 0.5;

/** Where consumers begin together, this part of that: more are yet to come, and the parts of those that came first add up. */
const AMID_CROWD = 0.25;

/** Of so few units no crowd is told from one other consumer. */
const FEW = 4;

/**
 * A part that the first reading gave, or a refusal before it, is multiplied by this with each later one, from a window on, that shows no other
 * consumer: there were others before this client only.
 */
const REGAINED = 4;

/** How full the window is to be on average, where a rate of all is known: the rest is left to chance. */
const FULL = 0.8;

/** The same where units are free again one by one: of the windows that end at any instant chance fills more than of those of the calendar. */
const FULL_SLIDING = 0.7;

/** How full it is to be at its end by a trend. */
const FULL_AT_END = 0.9;

/** In a window the part grows by so much of its root and of the room left, and shrinks by so much of itself and of what is above. */
const GROWTH = 0.3;
const SHRINKING = 1;

/** What a refusal leaves of the part. */
const REFUSED = 0.5;

/** While readings vary no more than by chance, a refusal takes nothing up to this trend, and from there on the more, the fuller the trend is. */
const CROWDED = 0.8;

/** Where a longer window allows less than this part of the limit, the window is full in bursts only, and those are not by chance. */
const BURSTS = 0.5;

/**
 * A trend follows late, and so changes the part by so many times less than the rate of all does, because clients would swing together. While
 * readings vary no more than by chance, nothing swings.
 */
const LATE = 3;

/** Where only a trend is known, so much of the part is given back in a window: without chance, unequal parts would stay as they are. */
const GIVEN_BACK = 0.03;

/** Others are away after so many windows and readings without them. */
const AWAY = 3;
const AWAY_READINGS = 8;

/** However small our part is, a request goes after so many windows: no whole number, because the end of each may be full. */
export const LONGEST_GAP = 3.7;

/** What is known of a short window that others use, too, beside how much of it is used. */
export interface Contention {
  /** Whether that is more than this client has sent in the time of one window. */
  readonly isShared: boolean;
  /** The part of the calendar window that was over. */
  readonly elapsed: number;
  /** Whether units of it surely are free again before it ends. */
  readonly slides: boolean;
  /** What the same answer says of a longer window; undefined: it names none. */
  readonly longer?: LongerWindow | undefined;
}

/**
 * The part of a short window that we may use beside other consumers. It is controlled by how full readings show the window, whichever
 * client filled it: where there is room small parts grow faster, where there is little large ones shrink more, and so clients that cannot
 * communicate come to equal parts, however many they are.
 */
export class ContendedRate {
  readonly #periodMs: number;
  #part = FIRST;
  /** What a longer window allows. */
  #mostPerMs = Infinity;
  #observedAt = -Infinity;
  readonly #trend = new FillTrend();
  /** When other consumers were last seen, and the readings since. */
  #seenAt = -Infinity;
  #readingsSince = 0;
  /** When they were seen by the first reading, or a refusal before it; undefined: they were not. */
  #firstAt: number | undefined;

  constructor(periodMs: number) {
    this.#periodMs = periodMs;
  }

  /** The part of the window, of 1. */
  get part(): number {
    return this.#part;
  }

  /** There are no other consumers. */
  restart(): void {
    this.#part = FIRST;
  }

  /** A reading shows that `used` of `limit` units are used, `others` of them by other consumers and not known before. */
  observe(
    others: number,
    used: number,
    limit: number,
    now: number,
    { isShared, elapsed, slides, longer }: Contention,
  ): void {
    const isFirst = this.#seenAt === -Infinity;
    this.#readingsSince++;
    if (others > 0 || isShared) this.#onSeen(now);
    this.#trend.observe(used / limit, elapsed);
    if (isFirst && others > 0) {
      this.#firstAt = this.#observedAt = now;
      const isCrowd = used > FEW && beganTogether(used, longer);
      this.#set((1 - others / used) * (isCrowd ? AMID_CROWD : 1), limit);
      return;
    }
    const rate = longer?.rate;
    // A longer window counts on where each new one of these may hide a few units of others beneath our requests under way.
    this.#seenAt = Math.max(this.#seenAt, rate?.othersAt ?? this.#seenAt);
    const haveGone = this.#seenAt === this.#firstAt && now >= this.#seenAt + this.#periodMs;
    if (haveGone && this.#part < FIRST) this.#part = Math.min(FIRST, REGAINED * this.#part);
    this.#mostPerMs = rate?.mostPerMs ?? this.#mostPerMs;
    const isAway = this.#readingsSince > AWAY_READINGS && now > this.#seenAt + AWAY * this.#periodMs;
    const change = isAway ? this.#changeBy(1) : this.#change(used, limit, rate, slides);
    const windows = Math.min(1, (now - this.#observedAt) / this.#periodMs);
    this.#observedAt = now;
    this.#set(this.#part + windows * change, limit);
  }

  /** A request was refused. Of the window that was full `own` units are ours: so many equal parts fill it. */
  onRefused(own: number, limit: number, now: number): void {
    if (this.#seenAt === -Infinity) this.#firstAt = now;
    this.#onSeen(now);
    const least = Math.min(this.#part * REFUSED, own / limit);
    this.#set(this.#part - (this.#part - least) * this.#pressure(limit), limit);
  }

  /** How the part changes within a window. */
  #change(used: number, limit: number, rate: ServedRate | undefined, slides: boolean): number {
    const late = this.#isByChance(limit) ? 1 : LATE;
    const byTrend = this.#changeBy(FULL_AT_END - this.#trend.atEnd) / late - GIVEN_BACK * this.#part;
    if (!rate) return byTrend;
    const byRate = this.#changeBy((slides ? FULL_SLIDING : FULL) - Math.max(used, rate.perMs * this.#periodMs) / limit);
    if (rate.isExact) return byRate;
    // A client that asks less than once a window sees too few of them for a trend.
    return this.#part * limit < 1 ? Math.min(byTrend, byRate) : byTrend;
  }

  /** @param room - how much of the window may be used beyond what is; negative: less is to be used. */
  #changeBy(room: number): number {
    return room > 0 ? GROWTH * Math.sqrt(this.#part) * room : SHRINKING * this.#part * room;
  }

  /** How much of the part that a refusal takes is taken. Chance alone fills a window now and then, however small our part is. */
  #pressure(limit: number): number {
    return this.#isByChance(limit) ? Math.max(0, (this.#trend.atEnd - CROWDED) / (1 - CROWDED)) : 1;
  }

  /** Whether the window is the one that limits all consumers, and readings of it vary no more than by chance. */
  #isByChance(limit: number): boolean {
    return this.#mostPerMs * this.#periodMs >= BURSTS * limit && this.#trend.dispersion <= 1 / limit;
  }

  #onSeen(now: number): void {
    this.#seenAt = now;
    this.#readingsSince = 0;
  }

  #set(part: number, limit: number): void {
    this.#part = Math.min(1, Math.max(1 / (LONGEST_GAP * limit), part));
  }
}
