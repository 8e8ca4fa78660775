import type { WindowNews } from '../../quota/share-limit.ts';
import { PERIODS, type Period, periodMsOf } from '../../quota/time/periods.ts';
import type { SharedWindow } from '../slots/window.ts';

/** What a process does while it cannot reach the store. */
export type FailureMode = 'partial' | 'closed' | 'open';

/** The part of each limit that all processes together aim to use without the store; of a second, half a unit is left to chance. */
const AIM = 0.9;
const CHANCE = 0.5;

/** The part that all processes together begin with; and if their number is a guess, because the store was never reached. */
const FIRST = 0.8;
const FIRST_GUESS = 0.5;

/** Mean delay of the first request of a process that never reached the store: others may start at the same time. In milliseconds. */
const HESITATION_MS = 1_000;

/** Interval at which the part is adapted, in milliseconds, and the bounds of each factor. */
const ADAPT_MS = 2_000;
const LEAST_STEP = 0.7;
const LARGEST_STEP = 2;

/** Lower bound of the part: a unit in this time, in milliseconds, but no more than this part. */
const LONGEST_PACE_MS = 10_000;
const LEAST_PART = 0.25;

/**
 * A process spreads its part of what remains of a long window over this time. It is also the longest wait for such a window, which
 * may have been reset by then. In milliseconds.
 */
const SHARED_OUT_MS = 60_000;

/** A reading of a short window yields a rate once this part of the window has elapsed. */
const TELLING_PART = 0.4;

/** What a reading showed, and when. */
interface Mark {
  readonly used: number;
  readonly at: number;
}

/** The measured rate of all processes: the reading of the last adaptation or the first since, the latest, and the rate between them. */
interface Measured {
  readonly from: Mark;
  readonly last: Mark;
  /** Units a millisecond. */
  readonly rate: number | undefined;
}

/**
 * Paces a process that cannot reach the store: evenly, at a part of each limit or, in a window longer than a minute, of what
 * remains. A call that comes later than it might have lets the next one follow it at once. The part begins as an equal share and
 * adapts: readings count the usage of all processes, so all that are held back correct their parts by about the same factor.
 */
export class Fallback {
  readonly #mode: FailureMode;
  #part: number;
  #sentAt = -Infinity;
  readonly #beginAt: number;
  /** When the last request could have gone, and its distance from the one before, in milliseconds. */
  #dueAt = -Infinity;
  #paceMs = 0;
  /** The longest of the times for a unit that windows allow to all processes together, in milliseconds. */
  #unitMs = 0;
  readonly #measured = new Map<Period, Measured>();
  #adaptAt: number;
  /** The largest part of a window that others used, too, by the readings since the last adaptation: all there is to see of one that slides. */
  #fullest = 0;
  /** Whether calls waited since the last adaptation: else it is not the part that bounds what this process sends. */
  #isHeld = false;

  /** @param isGuess - whether the number of processes is a guess. */
  constructor(mode: FailureMode, processes: number, isGuess: boolean, random: number, now: number) {
    this.#mode = mode;
    this.#part = (isGuess ? FIRST_GUESS : FIRST) / processes;
    this.#beginAt = isGuess ? now + HESITATION_MS * (0.5 + random) : now;
    this.#adaptAt = now + ADAPT_MS;
  }

  /** The earliest instant at which `units` may be sent; Infinity: not before the store is reachable. */
  earliest(units: number, windows: Iterable<SharedWindow>, now: number): number {
    if (this.#mode !== 'partial') return this.#mode === 'open' ? now : Infinity;
    const all = [...windows];
    this.#unitMs = Math.max(0, ...all.filter(({ isLong }) => !isLong).map(unitMsOf));
    this.#part = Math.max(this.#part, Math.min(LEAST_PART, this.#unitMs / LONGEST_PACE_MS));
    this.#paceMs = Math.max(0, ...all.map((window) => this.#pace(units, window)));
    this.#dueAt = Math.max(this.#beginAt, this.#sentAt + this.#paceMs);
    this.#isHeld ||= this.#dueAt > now;
    return this.#dueAt;
  }

  /** Minimum distance from the previous request, in milliseconds. */
  #pace(units: number, window: SharedWindow): number {
    const { limit, left, isLong } = window;
    if (isLong) return Math.min(SHARED_OUT_MS, (units * SHARED_OUT_MS) / (left * this.#part));
    return (Math.min(units, limit) * unitMsOf(window)) / this.#part;
  }

  /** Records a request. */
  onSent(now: number): void {
    this.#sentAt = Math.max(now - this.#paceMs, Math.min(now, this.#dueAt));
  }

  /** Records a reading; `elapsedMs`: time since the calendar window of that period began. */
  read({ period, used, limit, own, receivedAt: at }: WindowNews, elapsedMs: number): void {
    const lengthMs = periodMsOf(period);
    const isShort = lengthMs <= ADAPT_MS;
    if (lengthMs <= SHARED_OUT_MS && used > own) this.#fullest = Math.max(this.#fullest, used / limit);
    const known = this.#measured.get(period);
    const last = { used, at };
    const begun = isShort ? { used: 0, at: at - elapsedMs } : known?.from;
    const from = begun && used >= begun.used ? begun : last;
    const isTelling = at - from.at >= (isShort ? lengthMs * TELLING_PART : 1);
    const rate = isTelling ? (used - from.used) / (at - from.at) : known?.rate;
    this.#measured.set(period, { from, last, rate });
    if (at >= this.#adaptAt) this.#adapt(at);
  }

  #adapt(now: number): void {
    // The rate of the longest window that has one is measured over the longest time. A single reading yields none.
    let rate: number | undefined;
    for (const period of PERIODS) rate = this.#measured.get(period)?.rate ?? rate;
    if (rate === undefined) return;
    const step = Math.min(LARGEST_STEP, Math.max(LEAST_STEP, AIM / Math.max(rate * this.#unitMs, this.#fullest)));
    if (this.#isHeld) this.#part = Math.min(1, this.#part * step);
    for (const [period, { last }] of this.#measured) this.#measured.set(period, { from: last, last, rate: undefined });
    this.#fullest = 0;
    this.#isHeld = false;
    this.#adaptAt = now + ADAPT_MS;
  }
}

/** The time for a unit that a window allows to all processes together, in milliseconds. */
function unitMsOf({ period, limit, isShort }: SharedWindow): number {
  return periodMsOf(period) / (isShort ? Math.max(1, limit - CHANCE) : limit);
}
