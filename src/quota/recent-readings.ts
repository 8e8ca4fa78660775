import type { Reading } from './models/model.ts';

/** So many readings are remembered. */
const REMEMBERED = 16;

/** What rounding, and charges that are posted late, may hide, in units. */
const HIDDEN = 2.5;

/**
 * The last readings of a window, held against each other: where what is used sinks by no more than the limit per window, a
 * steeper drop from one reading to a later one shows another shape. That needs no clock of the service, and what other
 * consumers spend does not blur it, because they only add.
 */
export class RecentReadings {
  readonly #lengthMs: number;
  readonly #readings: Reading[] = [];
  #next = 0;

  constructor(lengthMs: number) {
    this.#lengthMs = lengthMs;
  }

  /** Whether the reading is lower than a steady sinking since any of the last ones explains. */
  dropsTo({ used, limit, sentAt, receivedAt }: Reading): boolean {
    const rate = limit / this.#lengthMs;
    return this.#readings.some(
      (before) => before.receivedAt <= sentAt && before.used - used > rate * (receivedAt - before.sentAt) + HIDDEN,
    );
  }

  add(reading: Reading): void {
    this.#readings[this.#next] = reading;
    this.#next = (this.#next + 1) % REMEMBERED;
  }
}
