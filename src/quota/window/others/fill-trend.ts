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
  /** Means, variances and the covariance of the readings. */
  #elapsed = 0.5;
  #full = 1;
  #elapsedVariance = 0;
  #fullVariance = 0;
  #covariance = 0;

  /** A reading shows the part `full` of the window used when the part `elapsed` of it was over. */
  observe(full: number, elapsed: number): void {
    this.#weight = this.#weight * FADING + 1;
    const step = 1 / this.#weight;
    const later = elapsed - this.#elapsed;
    const more = full - this.#full;
    this.#elapsed += step * later;
    this.#full += step * more;
    const fading = (variance: number, product: number): number => (1 - step) * (variance + step * product);
    this.#elapsedVariance = fading(this.#elapsedVariance, later * later);
    this.#fullVariance = fading(this.#fullVariance, more * more);
    this.#covariance = fading(this.#covariance, later * more);
  }

  /** The part of the window that is used when it ends, at most all of it. */
  get atEnd(): number {
    const slope = Math.max(0, this.#covariance / (this.#elapsedVariance + LEAST_VARIANCE));
    return Math.min(1, this.#full + slope * (1 - this.#elapsed));
  }

  /**
   * The variance of the parts used, by their mean. One unit, as a part of the window, is what consumers give that come one at a time by chance;
   * more is of consumers that come and go together.
   */
  get dispersion(): number {
    return this.#fullVariance / this.#full;
  }
}
