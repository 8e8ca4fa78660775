import type { SureUsage } from '../../models/model.ts';
import { type AnsweredRequests, POSTING_MS } from '../../usage/answered.ts';
import type { RecentReadings } from './recent-readings.ts';

/** What a window has surely counted: our own requests, by their answers. Whether that is more than so many units its readings tell, too, which count all consumers. */
export class KnownUsage implements SureUsage {
  readonly #answered: AnsweredRequests;
  readonly #readings: RecentReadings;

  constructor(answered: AnsweredRequests, readings: RecentReadings) {
    this.#answered = answered;
    this.#readings = readings;
  }

  atMost(from: number, until: number): number {
    return this.#answered.atMost(from, until);
  }

  surely(from: number, until: number): number {
    return this.#answered.surely(from, until);
  }

  surelyExceeds(units: number, from: number, until: number, onlyFills: boolean = false): boolean {
    if (this.#answered.surelyExceeds(units, from, until)) return true;
    if (!onlyFills) return this.#readings.rise(from, until, units) > units;
    if (this.#readings.most(from, until) > units) return true;
    // A window that only fills counts what an earlier reading counted, and what this client has surely sent since.
    const first = this.#readings.firstSince(from);
    return (
      first !== undefined &&
      first.used <= units &&
      this.#answered.surelyExceeds(units - first.used, first.receivedAt + POSTING_MS, until)
    );
  }

  surelyRoseTo(units: number, rate: number, instant: number, from: number, until: number): boolean {
    return this.#answered.surelyRoseTo(units, rate, instant, from, until);
  }
}
