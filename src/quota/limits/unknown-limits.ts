import { type Charge, type Hold, type Limit, longestHold } from '../admission.ts';
import { TRIAL_MS } from '../recovery/hourly-trial.ts';
import type { ShareLimit } from '../share-limit.ts';
import type { Flight, InFlight } from '../usage/in-flight.ts';
import { RefusalRate } from './refusal-rate.ts';
import { SlowStart } from './slow-start.ts';

/**
 * Where windows are known, refusals tell of a rate only if several come at once, and no later than this after the pause for others: else they may be
 * chance, or an endpoint's own. In milliseconds.
 */
const APART_MS = 60_000;

/** Limits that no answer names: few requests go at once while no window is known, and where some are refused that no full window explains, no more a second than were served. */
export class UnknownLimits implements Limit {
  readonly #isAnyWindowKnown: () => boolean;
  readonly #slowStart: SlowStart;
  #refusalRate = new RefusalRate();
  /** The end of the last pause after a refusal that no window explains. */
  #pausedUntil = -Infinity;
  /** Whether the refusals before that pause came long after others. */
  #isApart = false;
  /** Until when refusals tell of no rate where windows are known. */
  #distrustedUntil = -Infinity;

  constructor(flights: InFlight, shareLimit: Pick<ShareLimit, 'isGranting'>, isAnyWindowKnown: () => boolean) {
    this.#isAnyWindowKnown = isAnyWindowKnown;
    this.#slowStart = new SlowStart(flights, shareLimit);
  }

  check(charge: Charge, now: number): Hold | undefined {
    return longestHold([this.#slowStart, this.#refusalRate], charge, now);
  }

  /** A request is sent. */
  onSent(flight: Flight, now: number): void {
    this.#refusalRate.onSent(flight, now);
  }

  /** A request was served. */
  onServed({ sentAt }: Flight, units: number, now: number): void {
    this.#slowStart.onServed(now - sentAt, this.#isAnyWindowKnown());
    this.#refusalRate.onServed(units, now);
  }

  /**
   * A request was refused, and requests pause until an instant.
   *
   * @param isExplained - whether its answer says that a window is full.
   */
  onRefused(flight: Flight, pausedUntil: number, isExplained: boolean, now: number): void {
    this.#slowStart.onRefused();
    if (isExplained) return;
    const rate = this.#refusalRate;
    const isNamed = this.#isAnyWindowKnown();
    const isFirst = flight.sentAt >= this.#pausedUntil;
    if (isFirst) this.#isApart = now > this.#pausedUntil + APART_MS;
    this.#pausedUntil = pausedUntil;
    const isOpen = isNamed && !rate.isKnown;
    if (isOpen && (this.#isApart || now < this.#distrustedUntil)) rate.onPaused(pausedUntil);
    else if (!isOpen || !isFirst) rate.onRefused(flight, pausedUntil, now);
    if (isNamed && rate.isWrong) {
      this.#refusalRate = new RefusalRate();
      this.#distrustedUntil = now + TRIAL_MS;
    }
  }
}
