import { ROUNDING, type SureUsage } from '../../models/model.ts';
import type { AnsweredRequests } from '../../usage/answered.ts';
import type { RecentReadings } from './recent-readings.ts';

/** What a window has surely counted: our own requests, by their answers, or those of all consumers, by its readings. The larger of both holds. */
export class KnownUsage implements SureUsage {
  readonly #answered: AnsweredRequests;
  readonly #readings: RecentReadings;

  constructor(answered: AnsweredRequests, readings: RecentReadings) {
    this.#answered = answered;
    this.#readings = readings;
  }

  atMost(from: number, until: number): number {
    return Math.max(this.#answered.atMost(from, until), this.#byReadings(from, until));
  }

  surely(from: number, until: number): number {
    return Math.max(this.#answered.surely(from, until), this.#byReadings(from, until));
  }

  surelyExceeds(units: number, from: number, until: number, onlyFills: boolean = false): boolean {
    if (this.#answered.surelyExceeds(units, from, until)) return true;
    return (onlyFills ? this.#readings.most(from, until) : this.#readings.rise(from, until, units)) > units;
  }

  surelyRoseTo(units: number, rate: number, instant: number, from: number, until: number): boolean {
    return this.#answered.surelyRoseTo(units, rate, instant, from, until);
  }

  /** Of a service that rounds, one reading may count more than another by what was added before both. */
  #byReadings(from: number, until: number): number {
    return this.#readings.rise(from, until) - ROUNDING;
  }
}
