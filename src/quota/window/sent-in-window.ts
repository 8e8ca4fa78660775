import { type Period, startOf } from '../time/periods.ts';
import type { ServerClock } from '../time/server-clock.ts';

/** What was sent in the calendar window of the last request. */
export class SentInWindow {
  readonly #period: Period;
  readonly #clock: ServerClock;
  #start = Number.NaN;
  #units = 0;

  constructor(period: Period, clock: ServerClock) {
    this.#period = period;
    this.#clock = clock;
  }

  /** When the window of the last request began, by the service's clock; NaN: none was sent. */
  get start(): number {
    return this.#start;
  }

  /** Units that were sent in it. */
  get units(): number {
    return this.#units;
  }

  /** A request is sent. */
  onSent(units: number, now: number): void {
    const start = startOf(this.#period, this.#clock.least(now));
    if (start !== this.#start) this.#units = 0;
    this.#start = start;
    this.#units += units;
  }
}
