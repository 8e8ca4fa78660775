/** What each further reading leaves of the weight of those before it. */
const FADING = 0.85;

/** Before the first reading it counts as full in its middle, because nothing is known of others: with the weight of three readings. */
const FULL_WEIGHT = 1 + FADING + FADING ** 2;

/** Readings at instants of a window that differ by less than this, as a variance of its elapsed parts, show no slope. */
const LEAST_VARIANCE = 0.02;

/**
 * How full a short window is when it ends, by a line through the last readings over the part of it that had elapsed: in a window of the
 * calendar usage grows until the end, and in one that slides the line is level.
 *
 * A mean, and not the most that was seen: other consumers come by chance, and chance alone fills a small window now and then.
 */
export class FillTrend {
  #weight = FULL_WEIGHT;
  #elapsed = FULL_WEIGHT / 2;
  #full = FULL_WEIGHT;
  #fullSquares = FULL_WEIGHT;
  #elapsedSquares = FULL_WEIGHT / 4;
  #products = FULL_WEIGHT / 2;

  /** A reading shows the part `full` of the window used when the part `elapsed` of it was over. */
  observe(full: number, elapsed: number): void {
    this.#weight = this.#weight * FADING + 1;
    this.#elapsed = this.#elapsed * FADING + elapsed;
    this.#full = this.#full * FADING + full;
    this.#fullSquares = this.#fullSquares * FADING + full * full;
    this.#elapsedSquares = this.#elapsedSquares * FADING + elapsed * elapsed;
    this.#products = this.#products * FADING + elapsed * full;
  }

  /** The part of the window that is used when it ends, at most all of it. */
  get atEnd(): number {
    const elapsed = this.#elapsed / this.#weight;
    const full = this.#full / this.#weight;
    const variance = this.#elapsedSquares / this.#weight - elapsed ** 2;
    const covariance = this.#products / this.#weight - elapsed * full;
    const slope = Math.max(0, covariance / (variance + LEAST_VARIANCE));
    return Math.min(1, full + slope * (1 - elapsed));
  }

  /**
   * The variance of the parts used, by their mean. One unit, as a part of the window, is what consumers give that come one at a time by chance;
   * more is of consumers that come and go together.
   */
  get dispersion(): number {
    const full = this.#full / this.#weight;
    return this.#fullSquares / this.#full - full;
  }
}
