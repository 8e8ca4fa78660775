import { SHORT_MS } from '../time/periods.ts';

/** How much of each new window's reading enters the estimate. */
const FRESHNESS = 0.3;

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

/** Towards a window's end, what is left is not spread over less than this part of it. */
const LAST_PART = 0.05;

/**
 * Estimates other consumers of the same quota from readings: units that our own requests do not explain.
 *
 * While there are other consumers, their usual usage, up to half of the limit, is reserved for them and released as the window
 * elapses, down to what they may take unseen. In a short window, of which an answer tells too late what they took, our own requests
 * are spaced evenly, and take a smaller part after a refusal.
 */
export class OtherConsumers {
  readonly #periodMs: number;
  #seen = 0;
  /** Units per millisecond that they took lately. */
  #rate = 0;
  #ratedAt = Number.NEGATIVE_INFINITY;
  #usual = 0;
  /** The part of the limit for this client: half, but less if several consumers would each take half. */
  #part = FAIR_PART;
  #refusedAt = Number.NEGATIVE_INFINITY;
  #most = 0;
  #windows = 0;
  #stretch = Number.NEGATIVE_INFINITY;

  constructor(periodMs: number) {
    this.#periodMs = periodMs;
  }

  /** Whether other consumers have been seen lately. */
  get areActive(): boolean {
    return this.#most > 0;
  }

  /** Takes in what a reading left unexplained. */
  observe(units: number, limit: number, now: number): void {
    const stretch = Math.floor(now / this.#periodMs);
    if (this.#stretch === Number.NEGATIVE_INFINITY) this.#stretch = stretch;
    if (stretch > this.#stretch) this.#roll(stretch, limit);
    const taken = Math.max(0, units);
    this.#seen += taken;
    if (this.#seen >= chanceOf(limit)) this.#most = Math.max(this.#most, this.#seen);
    // All that they took since the reading before may have come just now.
    this.#rate = this.#rate * Math.exp((this.#ratedAt - now) / RATE_MS) + taken / RATE_MS;
    this.#ratedAt = now;
  }

  /** Units of a window to leave them, when the part `gone` of it is over and an answer takes `roundTripMs`. */
  reserve(limit: number, gone: number, roundTripMs: number): number {
    const inAll = this.#expected(limit);
    const rest = inAll * (1 - gone);
    return rest + DEVIATIONS * Math.sqrt(Math.max(rest, inAll * Math.min(1, roundTripMs / this.#periodMs)));
  }

  /** A request was refused because the window was full: other consumers must have filled it. */
  onRefused(now: number): void {
    if (now < this.#refusedAt + this.#periodMs) return;
    this.#refusedAt = now;
    if (this.#periodMs <= SHORT_MS) this.#part = Math.max(LEAST_PART, this.#part * REFUSED);
    this.#most = Math.max(this.#most, 1);
  }

  /** Units that they may have used in the `ms` milliseconds since the last reading: by their rate lately, or their usual one. */
  unobserved(ms: number): number {
    const rate = Math.max(this.#rate * Math.exp(-ms / RATE_FADES_MS), this.#usual / this.#periodMs);
    const expected = rate * Math.min(ms, LONGEST_UNSEEN_MS);
    return Math.floor(expected + DEVIATIONS * Math.sqrt(expected));
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
    return this.#part < FAIR_PART ? most : Math.min(most, this.#usual + Math.sqrt(this.#usual) + MARGIN * limit);
  }

  #roll(stretch: number, limit: number): void {
    const perWindow = this.#seen / (stretch - this.#stretch);
    this.#usual = this.#windows++ > 0 ? this.#usual + FRESHNESS * (perWindow - this.#usual) : perWindow;
    this.#most = Math.max(perWindow, this.#usual, this.#most * FADING);
    if (this.#most < chanceOf(limit)) this.#most = 0;
    const free = Math.min(FAIR_PART, 1 - (this.#seen + DEVIATIONS * Math.sqrt(this.#seen)) / limit);
    this.#part = Math.max(this.#part, Math.min(free, this.#part + REGAINED));
    this.#seen = 0;
    this.#stretch = stretch;
  }
}

/** Units per window that are no sign of other consumers. */
function chanceOf(limit: number): number {
  return Math.max(CHANCE, limit * CHANCE_PART);
}
