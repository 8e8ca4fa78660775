import type { WindowNews } from '../../quota/share-limit.ts';
import { type Period, periodMsOf } from '../../quota/time/periods.ts';
import type { SharedWindow } from '../slots/windows.ts';

/** What a process does while it cannot reach the store. */
export type FailureMode = 'partial' | 'closed' | 'open';

/** The part of each limit that all processes together aim to use without the store. */
const AIM = 0.9;

/** The part that all processes together begin with; and if their number is a guess, because the store was never reached. */
const FIRST = 0.8;
const FIRST_GUESS = 0.4;

/** Mean delay of the first request of a process that never reached the store: others may start at the same time. In milliseconds. */
const HESITATION_MS = 1_000;

/** Interval at which the part is adapted, in milliseconds, and the bounds of each factor. */
const ADAPT_MS = 2_000;
const LEAST_STEP = 0.7;
const LARGEST_STEP = 1.6;

/** Lower bound of the part. */
const LEAST_PART = 0.005;

/**
 * A process spreads its part of what remains of a long window over this time. It is also the longest wait for such a window, which
 * may have been reset by then. In milliseconds.
 */
const SHARED_OUT_MS = 60_000;

/** Utilisation to assume if a reading showed a full window. */
const REFUSED = 1.3;

/** A reading of a short window yields a rate once this part of the window has elapsed. */
const TELLING_PART = 0.4;

/** The measured rate of all processes: the first reading since the last adaptation, and the rate since then. */
interface Measured {
  readonly limit: number;
  readonly used: number;
  readonly at: number;
  /** Units a millisecond. */
  readonly rate: number | undefined;
}

/**
 * Paces a process that cannot reach the store: evenly, at a part of each limit or, in a window longer than a minute, of what
 * remains. The part begins as an equal share and adapts: readings count the usage of all processes, so all of them correct their
 * parts by about the same factor.
 */
export class Fallback {
  readonly #mode: FailureMode;
  #part: number;
  #sentAt = Number.NEGATIVE_INFINITY;
  readonly #beginAt: number;
  readonly #measured = new Map<Period, Measured>();
  #adaptAt: number;
  #isRefused = false;
  /** Whether calls waited since the last adaptation: the part grows only then. */
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
    if (this.#mode !== 'partial') return this.#mode === 'open' ? now : Number.POSITIVE_INFINITY;
    let at = this.#beginAt;
    for (const window of windows) at = Math.max(at, this.#sentAt + this.#pace(units, window));
    this.#isHeld ||= at > now;
    return at;
  }

  /** Minimum distance from the previous request, in milliseconds. */
  #pace(units: number, { period, limit, left, isLong }: SharedWindow): number {
    if (isLong) return Math.min(SHARED_OUT_MS, (units * SHARED_OUT_MS) / (left * this.#part));
    return (Math.min(units, limit) * periodMsOf(period)) / (limit * this.#part);
  }

  /** Records a request. */
  take(now: number): void {
    this.#sentAt = now;
  }

  /** Records a reading; `elapsedMs`: time since the calendar window of that period began. */
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
    // A single reading yields no rate: the part is adapted only if some window has one.
    if (
      now >= this.#adaptAt &&
      (this.#isRefused || [...this.#measured.values()].some(({ rate }) => rate !== undefined))
    )
      this.#adapt(now);
  }

  #adapt(now: number): void {
    const all = [...this.#measured].sort(([one], [other]) => periodMsOf(other) - periodMsOf(one));
    // The rate of the longest window is measured over the longest time.
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
