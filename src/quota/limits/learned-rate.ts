import { type Charge, type Hold, type Limit, within } from '../admission.ts';
import type { Flight } from '../usage/in-flight.ts';
import { LONGEST_OF_ENDPOINT_MS } from './cooldown.ts';
import { RefusalRate } from './refusal-rate.ts';
import { SpacingBenefit } from './spacing-benefit.ts';

/**
 * Where windows are known, refusals tell of a rate only if several come at once, and no later than this after the pause for others: else they may be
 * chance. In milliseconds.
 */
const APART_MS = 60_000;

/** The rate that refusals tell of which no window explains: of every request, or of those of an endpoint that refuses alone. */
export class LearnedRate implements Limit {
  readonly #endpoint: string | undefined;
  #rate: RefusalRate;
  /** The end of the last pause after such a refusal. */
  #pausedUntil = -Infinity;
  /** Whether the refusals before that pause came long after others. */
  #isApart = false;
  /** Whether none was served since the last refusal. */
  #isRefusing = false;
  readonly #benefit = new SpacingBenefit();

  /** @param endpoint - the one whose requests it spaces. Omitted: every one. */
  constructor(endpoint?: string) {
    this.#endpoint = endpoint;
    this.#rate = this.#fresh();
  }

  /** A request is sent. */
  onSent(flight: Flight, now: number): void {
    this.#rate.onSent(flight, now);
  }

  /** A request was served. */
  onServed({ sentAt }: Flight, units: number, now: number): void {
    this.#isRefusing = false;
    this.#benefit.onAnswer(sentAt, false, now);
    this.#rate.onServed(units, now);
  }

  /**
   * A request was refused, and requests pause until an instant.
   *
   * @param isNamed - whether windows are known.
   */
  onRefused(flight: Flight, pausedUntil: number, isNamed: boolean, now: number): void {
    const isFirst = flight.sentAt >= this.#pausedUntil;
    // What is refused again after a pause tells of that pause, not of the spaces.
    if (!isFirst || !this.#isRefusing) this.#benefit.onAnswer(flight.sentAt, true, now);
    this.#isRefusing = true;
    if (isFirst) this.#isApart = now > this.#pausedUntil + APART_MS;
    this.#pausedUntil = pausedUntil;
    if (isNamed && this.#benefit.isUseless(now)) this.#rate = this.#fresh();
    const isOpen = isNamed && !this.#rate.isKnown;
    if (isOpen && this.#isApart) this.#rate.onPaused(pausedUntil);
    else if (!isOpen || !isFirst) this.#rate.onRefused(flight, pausedUntil, now);
    if (this.#rate.isKnown) this.#benefit.begin(pausedUntil);
  }

  /** That of an endpoint is no slower than its pauses are long. */
  #fresh(): RefusalRate {
    return new RefusalRate(this.#endpoint === undefined ? undefined : LONGEST_OF_ENDPOINT_MS);
  }

  check(charge: Charge, now: number): Hold | undefined {
    return within(this.#endpoint, this.#rate.check(charge, now));
  }
}
