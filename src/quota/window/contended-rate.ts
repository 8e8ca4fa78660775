/** Our part of a window at first, if what the first reading counts is not ours to a larger part. */
const FIRST = 0.5;

/** A part by the first reading grows so much with each one that shows nobody any more, a window later: they were there before us only. */
const REGAINED = 2;

/** How full the fullest of the last readings is to be, or the window on average where a rate of all is known: the rest is left to chance. */
const FULLEST = 0.8;

/** In a window the part grows by so much of its root and of the room left, and shrinks by so much of itself and of what is above. */
const GROWTH = 0.3;
const SHRINKING = 1;

/** What a refusal leaves of the part. */
const REFUSED = 0.5;

/** The fullest of at least so many readings counts, and of those of half a window. */
const READINGS = 3;
const READINGS_PART = 0.5;

/** Others are away after so many windows and readings without them. */
const AWAY = 3;
const AWAY_READINGS = 8;

/** However small our part is, a request goes after so many windows: no whole number, because the end of each may be full. */
export const LONGEST_GAP = 3.7;

/**
 * The part of a short window that we may use beside other consumers. It is controlled by how full readings show the window, whichever
 * client filled it: where there is room small parts grow faster, where there is little large ones shrink more, and so clients that cannot
 * communicate come to equal parts, however many they are.
 */
export class ContendedRate {
  readonly #periodMs: number;
  #part = FIRST;
  #observedAt = Number.NEGATIVE_INFINITY;
  /** How full the window was at most, by the last readings and by those before. */
  #fullest = 0;
  #fullestBefore = 0;
  #readings = 0;
  #readingsFrom = Number.NEGATIVE_INFINITY;
  /** When other consumers were last seen, and the readings since. */
  #seenAt = Number.NEGATIVE_INFINITY;
  #readingsSince = 0;
  /** When they were seen by the first reading; undefined: they were not. */
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

  /**
   * A reading shows that `used` of `limit` units are used, `others` of them by other consumers and not known before.
   *
   * @param perMs - the units per millisecond that all consumers together were served lately; undefined: it is not known.
   */
  observe(others: number, used: number, limit: number, now: number, perMs?: number): void {
    const isFirst = this.#seenAt === Number.NEGATIVE_INFINITY;
    this.#readingsSince++;
    if (others > 0) this.#onSeen(now);
    this.#remember(used / limit, now);
    if (isFirst && others > 0) {
      this.#firstAt = this.#observedAt = now;
      this.#set(Math.min(FIRST, 1 - others / used), limit);
      return;
    }
    const haveGone = this.#seenAt === this.#firstAt && now >= this.#seenAt + this.#periodMs;
    if (haveGone && this.#part < FIRST) this.#part = Math.min(FIRST, REGAINED * this.#part);
    const isAway = this.#readingsSince > AWAY_READINGS && now > this.#seenAt + AWAY * this.#periodMs;
    const room = isAway ? 1 : this.#room(used, limit, perMs);
    const change = room > 0 ? GROWTH * Math.sqrt(this.#part) * room : SHRINKING * this.#part * room;
    const windows = Math.min(1, (now - this.#observedAt) / this.#periodMs);
    this.#observedAt = now;
    this.#set(this.#part + windows * change, limit);
  }

  /** A request was refused. Of the window that was full `own` units are ours: so many equal parts fill it. */
  onRefused(own: number, limit: number, now: number): void {
    this.#onSeen(now);
    this.#set(Math.min(this.#part * REFUSED, own / limit), limit);
  }

  /** How much of the window may be used beyond what is; negative: less is to be used. */
  #room(used: number, limit: number, perMs: number | undefined): number {
    if (perMs === undefined) return FULLEST - Math.max(this.#fullest, this.#fullestBefore);
    return FULLEST - Math.max(used, perMs * this.#periodMs) / limit;
  }

  #onSeen(now: number): void {
    this.#seenAt = now;
    this.#readingsSince = 0;
  }

  #remember(full: number, now: number): void {
    if (this.#readings >= READINGS && now >= this.#readingsFrom + READINGS_PART * this.#periodMs) {
      this.#fullestBefore = this.#fullest;
      this.#fullest = this.#readings = 0;
    }
    if (this.#readings++ === 0) this.#readingsFrom = now;
    this.#fullest = Math.max(this.#fullest, full);
  }

  #set(part: number, limit: number): void {
    this.#part = Math.min(1, Math.max(1 / (LONGEST_GAP * limit), part));
  }
}
