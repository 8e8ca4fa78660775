import { SHORT_MS } from '../time/periods.ts';
import { Demand, type Shown } from './demand.ts';

/** How fast the memory of a busy window fades, per window. */
const FADING = 0.9;

/** Less than this per window is chance: in units, and in parts of the limit. */
const CHANCE = 0.5;
const CHANCE_PART = 0.005;

/** The part of the limit that this client always uses, because it would starve otherwise. */
const FAIR_PART = 0.5;

/** What a refusal leaves of our part of a short window, the least, and what each window that they left free gives back of the limit. */
const REFUSED = 0.75;
const LEAST_PART = 1 / 16;
const REGAINED = 0.005;

/** After so many windows without them each gives back this much of our part. */
const CALM = 3;
const REGAINED_CALM = 1.5;

/** How long a short window is left alone after a refusal: doubled by each further one, halved by each window without; in windows. */
const FIRST_PAUSE = 0.5;
const LONGEST_PAUSE = 16;

/** What is left beyond the estimate: standard deviations of a random arrival, and a part of the limit. */
const DEVIATIONS = 2;
const MARGIN = 0.02;

/** The slowest even pace, as a fraction of our share: no other consumer needs us to be slower. */
const SLOWEST = 0.5;

/** Their rate is that of the last so many milliseconds. */
const RATE_MS = 500;

/** How long a rate is believed that no answer has confirmed, in milliseconds. */
const RATE_FADES_MS = 20_000;

/** What they take unseen is not reckoned over more than this, in milliseconds: it may be that they have gone. */
const LONGEST_UNSEEN_MS = 1_000;

/** Of windows up to this length a part tells what they take in all, in milliseconds. */
const SOON_MS = 3_600_000;

/** Towards a window's end, what is left is not spread over less than this part of it. */
const LAST_PART = 0.05;

const ALL: Shown = {
  ...{ startedAt: Number.NEGATIVE_INFINITY, used: Number.POSITIVE_INFINITY },
  ...{ isFull: false, isBlurred: false },
};

/**
 * Estimates other consumers of the same quota from readings: units that our own requests do not explain.
 *
 * While there are other consumers, their usual usage, up to half of the limit, is reserved for them and released as the window
 * elapses, down to what they may take unseen. In a short window, of which an answer tells too late what they took, our own requests
 * are spaced evenly, and after a refusal pause and take a smaller part.
 */
export class OtherConsumers {
  readonly #periodMs: number;
  #seen = 0;
  /** Units per millisecond that they took lately. */
  #rate = 0;
  #ratedAt = Number.NEGATIVE_INFINITY;
  readonly #demand: Demand;
  /** Whether their demand is reckoned with: of a day or a month only when one is over, because minutes say nothing about the rest. */
  #isKnown: boolean;
  /** The part of the limit for this client: half, but less if several consumers would each take half. */
  #part = FAIR_PART;
  #refusedAt = Number.NEGATIVE_INFINITY;
  /** How long a short window is left alone after a refusal, in milliseconds. */
  #pauseMs = 0;
  /** Windows in a row that showed no other consumers. */
  #calm = 0;
  #most = 0;
  #stretch = Number.NEGATIVE_INFINITY;

  constructor(periodMs: number) {
    this.#periodMs = periodMs;
    this.#demand = new Demand(periodMs);
    this.#isKnown = periodMs <= SOON_MS;
  }

  /** Whether other consumers have been seen lately. */
  get areActive(): boolean {
    return this.#most > 0;
  }

  /** Takes in what a reading left unexplained. */
  observe(units: number, limit: number, now: number, shown: Shown = ALL): void {
    const stretch = Math.floor(now / this.#periodMs);
    if (this.#stretch === Number.NEGATIVE_INFINITY) this.#stretch = stretch;
    if (stretch > this.#stretch) this.#roll(stretch, limit);
    const taken = Math.max(0, units);
    this.#seen += taken;
    if (this.#seen >= chanceOf(limit)) this.#most = Math.max(this.#most, this.#seen);
    const isNew = shown.startedAt > this.#ratedAt && this.#ratedAt > Number.NEGATIVE_INFINITY;
    const ms = this.#ratedAt > Number.NEGATIVE_INFINITY ? now - Math.max(this.#ratedAt, shown.startedAt) : 0;
    this.#demand.observe(taken, ms, isNew, shown);
    const kept = Math.exp(-ms / RATE_MS);
    this.#rate = this.#rate * kept + (ms > 0 ? (taken * (1 - kept)) / ms : taken / RATE_MS);
    this.#ratedAt = now;
  }

  /** Units of a window to leave them, when the part `gone` of it is over and an answer takes `roundTripMs`. */
  reserve(limit: number, gone: number, roundTripMs: number): number {
    const inAll = this.#expected(limit);
    const rest = inAll * (1 - gone);
    const chance = DEVIATIONS * Math.sqrt(Math.max(rest, inAll * Math.min(1, roundTripMs / this.#periodMs)));
    return this.#periodMs > SHORT_MS ? Math.min(rest + chance, FAIR_PART * limit) : rest + chance;
  }

  /** A request was refused because the window was full: other consumers must have filled it. */
  onRefused(now: number): void {
    if (now < this.#refusedAt + this.#periodMs) return;
    this.#refusedAt = now;
    // The window of a refusal is not without them, although a full one may show nothing new.
    this.#calm = -1;
    if (this.#periodMs <= SHORT_MS) {
      this.#part = Math.max(LEAST_PART, this.#part * REFUSED);
      this.#pauseMs = Math.min(
        LONGEST_PAUSE * this.#periodMs,
        Math.max(FIRST_PAUSE * this.#periodMs, 2 * this.#pauseMs),
      );
    }
    this.#most = Math.max(this.#most, 1);
  }

  /**
   * Units that they may have used in the `ms` milliseconds since the last reading: by their rate lately, or their usual one.
   *
   * @param mostMs - the longest time to reckon with.
   */
  unobserved(ms: number, mostMs: number = LONGEST_UNSEEN_MS): number {
    const rate = Math.max(this.#rate * Math.exp(-ms / RATE_FADES_MS), this.#demand.usual / this.#periodMs);
    const expected = rate * Math.min(ms, mostMs);
    return Math.floor(expected + DEVIATIONS * Math.sqrt(expected));
  }

  /** Until when a short window is left alone, because they fill it. */
  get pausedUntil(): number {
    return this.#refusedAt + this.#pauseMs;
  }

  /** Largest spacing of requests, in milliseconds a unit: this client's part of the window, spread evenly. */
  fairSpacing(limit: number): number {
    return this.#periodMs / (limit * this.#part);
  }

  /** Spacing of requests in a short window, in milliseconds a unit, if `left` units remain for this client until the end of the window. */
  spacing(limit: number, left: number, gone: number): number {
    // Nothing is made up for: what others left of a short window is gone.
    if (this.#part < FAIR_PART) return this.fairSpacing(limit);
    const even = left / (this.#periodMs * Math.max(LAST_PART, 1 - gone));
    return (
      1 /
      Math.max((SLOWEST * this.#part * limit) / this.#periodMs, (limit - this.#expected(limit)) / this.#periodMs, even)
    );
  }

  /** Units that they will take in a window, as they did lately; as much as they can, where we were refused for it. */
  #expected(limit: number): number {
    const most = (1 - this.#part) * limit;
    if (this.#part < FAIR_PART) return most;
    const units = this.#isKnown ? this.#demand.present : 0;
    return Math.min(most, units + Math.sqrt(units) + MARGIN * limit);
  }

  #roll(stretch: number, limit: number): void {
    const perWindow = this.#seen / (stretch - this.#stretch);
    this.#most = Math.max(perWindow, this.#most * FADING);
    if (this.#most < chanceOf(limit)) this.#most = 0;
    const free = Math.min(FAIR_PART, 1 - (this.#seen + DEVIATIONS * Math.sqrt(this.#seen)) / limit);
    this.#calm = this.#seen > 0 ? 0 : this.#calm + 1;
    const regained = this.#calm < CALM ? this.#part + REGAINED : this.#part * REGAINED_CALM;
    this.#part = Math.max(this.#part, Math.min(free, regained));
    if (this.#refusedAt < (stretch - 2) * this.#periodMs) this.#pauseMs /= 2;
    this.#isKnown = true;
    this.#seen = 0;
    this.#stretch = stretch;
  }
}

/** Units per window that are no sign of other consumers. */
function chanceOf(limit: number): number {
  return Math.max(CHANCE, limit * CHANCE_PART);
}
