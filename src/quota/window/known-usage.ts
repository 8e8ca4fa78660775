import type { SureUsage } from '../models/model.ts';
import type { AnsweredRequests } from '../usage/answered.ts';
import type { RecentReadings } from './recent-readings.ts';

/** Readings of a service that estimates usage are rounded, so one may count so much more than another that was added before both, in units. */
const ROUNDING = 1;

/** What a window has surely counted: our own requests, by their answers, or those of all consumers, by its readings. The larger of both holds. */
export class KnownUsage implements SureUsage {
  readonly #answered: AnsweredRequests;
  readonly #readings: RecentReadings;

  constructor(answered: AnsweredRequests, readings: RecentReadings) {
    this.#answered = answered;
    this.#readings = readings;
  }

  atMost(from: number, until: number): number {
    return Math.max(this.#answered.atMost(from, until), this.#readings.most);
  }

  surely(from: number, until: number): number {
    return Math.max(this.#answered.surely(from, until), this.#readings.rise(from, until) - ROUNDING);
  }

  surelyExceeds(units: number, from: number, until: number): boolean {
    if (this.#answered.surelyExceeds(units, from, until)) return true;
    return this.#readings.most > units && this.#readings.rise(from, until) > units;
  }

  surelyRoseTo(units: number, rate: number, instant: number, from: number, until: number): boolean {
    return this.#answered.surelyRoseTo(units, rate, instant, from, until);
  }
}
