import type { WindowNews } from '../quota/share-limit.ts';
import { type Period, periodMsOf } from '../quota/time/periods.ts';
import type { SharedWindow } from './windows.ts';

/** What a process does while it cannot ask the store. */
export type FailureMode = 'partial' | 'closed' | 'open';

/** The part of the quota that all processes together aim at while they cannot ask the store. */
const AIM = 0.9;

/** The part that a process of so many begins with, and where their number is a guess because the store was never reached. */
const FIRST = 0.8;
const FIRST_GUESS = 0.4;

/** Processes that have never reached the store start together, unseen by each other: they wait this long after the first answer. In milliseconds. */
const HESITATION_MS = 1_000;

/** How often the part is adapted, in milliseconds, and by how much at once. */
const ADAPT_MS = 2_000;
const LEAST_STEP = 0.7;
const LARGEST_STEP = 1.6;

/** Smaller parts are of no use. */
const LEAST_PART = 0.005;

/**
 * Readings tell how much of a long window is left to all: in this time a process takes its part of that. It waits no longer
 * for a window that may be over by then. In milliseconds.
 */
const SHARED_OUT_MS = 60_000;

/** A window that is found full counts as used this far. */
const REFUSED = 1.3;

/** A reading of a short window tells how fast it is spent when this part of it is over. */
const TELLING_PART = 0.4;

/** How the rate of all processes together is measured: the first reading of a stretch, and what came since. */
interface Measured {
  readonly limit: number;
  readonly used: number;
  readonly at: number;
  /** Units a millisecond. */
  readonly rate: number | undefined;
}

/**
 * How fast a process sends while it cannot ask the store: evenly, at a part of each window's limit, or of what is left of a
 * window longer than a minute. The part begins with what is due to one of so many processes, and adapts: readings count what
 * all processes together spend, and all of them correct their parts by the same factor.
 */
export class Fallback {
  readonly #mode: FailureMode;
  #part: number;
  #sentAt = Number.NEGATIVE_INFINITY;
  readonly #beginAt: number;
  readonly #measured = new Map<Period, Measured>();
  #adaptAt: number;
  #isRefused = false;
  /** Whether calls were held back since the part was adapted: only then does it grow. */
  #isHeld = false;

  /** @param isGuess - whether the number of processes is a guess. */
  constructor(mode: FailureMode, processes: number, isGuess: boolean, random: number, now: number) {
    this.#mode = mode;
    this.#part = (isGuess ? FIRST_GUESS : FIRST) / processes;
    this.#beginAt = isGuess ? now + HESITATION_MS * (0.5 + random) : now;
    this.#adaptAt = now + ADAPT_MS;
  }

  /** The instant at which `units` may be sent; Infinity: not before the store can be asked. */
  earliest(units: number, windows: Iterable<SharedWindow>, now: number): number {
    if (this.#mode !== 'partial') return this.#mode === 'open' ? now : Number.POSITIVE_INFINITY;
    let at = this.#beginAt;
    for (const window of windows) at = Math.max(at, this.#sentAt + this.#pace(units, window));
    this.#isHeld ||= at > now;
    return at;
  }

  /** How long to wait after a request, in milliseconds. */
  #pace(units: number, { period, limit, left, isLong }: SharedWindow): number {
    if (isLong) return Math.min(SHARED_OUT_MS, (units * SHARED_OUT_MS) / (left * this.#part));
    return (Math.min(units, limit) * periodMsOf(period)) / (limit * this.#part);
  }

  /** A request was sent. */
  take(now: number): void {
    this.#sentAt = now;
  }

  /** Takes in what all processes together have spent; `elapsedMs`: how long the window of the calendar had lasted then. */
  hear({ period, used, limit, receivedAt: now }: WindowNews, elapsedMs: number): void {
    if (periodMsOf(period) > SHARED_OUT_MS) return;
    this.#isRefused ||= used >= limit;
    const since = this.#measured.get(period);
    const length = periodMsOf(period);
    if (length <= ADAPT_MS) {
      const rate = elapsedMs >= length * TELLING_PART ? used / elapsedMs : undefined;
      this.#measured.set(period, { limit, used, at: now, rate: mean(since?.rate, rate) });
    } else if (!since || used < since.used) this.#measured.set(period, { limit, used, at: now, rate: undefined });
    else if (now > since.at)
      this.#measured.set(period, { ...since, limit, rate: (used - since.used) / (now - since.at) });
    // A reading that comes after a long time begins a new stretch, which tells nothing yet.
    if (
      now >= this.#adaptAt &&
      (this.#isRefused || [...this.#measured.values()].some(({ rate }) => rate !== undefined))
    )
      this.#adapt(now);
  }

  #adapt(now: number): void {
    const all = [...this.#measured].sort(([one], [other]) => periodMsOf(other) - periodMsOf(one));
    // The longer a window, the longer the stretch over which its readings tell the rate.
    const rate = all.find(([, measured]) => measured.rate !== undefined)?.[1].rate ?? 0;
    const utilisation = Math.max(
      ...all.map(([period, { limit }]) => (rate * periodMsOf(period)) / limit),
      this.#isRefused ? REFUSED : 0,
    );
    const step = utilisation > 0 ? Math.min(LARGEST_STEP, Math.max(LEAST_STEP, AIM / utilisation)) : 1;
    if (step < 1 || this.#isHeld) this.#part = Math.min(1, Math.max(LEAST_PART, this.#part * step));
    this.#measured.clear();
    this.#isRefused = false;
    this.#isHeld = false;
    this.#adaptAt = now + ADAPT_MS;
  }
}

function mean(one: number | undefined, other: number | undefined): number | undefined {
  return one !== undefined && other !== undefined ? (one + other) / 2 : (one ?? other);
}
