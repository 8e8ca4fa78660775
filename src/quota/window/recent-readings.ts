import { HIDDEN, type WindowReading } from '../models/model.ts';

/** Readings that are remembered. */
const REMEMBERED = 16;

/**
 * Compares the last readings of a window: in some shapes usage sinks by at most the limit per window, so a steeper drop from
 * one reading to a later one rules them out. This needs no clock of the service, and other consumers do not blur it: their
 * usage only adds.
 */
export class RecentReadings {
  readonly #periodMs: number;
  readonly #readings: WindowReading[] = [];
  #next = 0;

  constructor(periodMs: number) {
    this.#periodMs = periodMs;
  }

  /** Whether usage dropped to this reading, from any of the last ones, faster than the limit per window. */
  dropsTo({ used, limit, sentAt, receivedAt }: WindowReading): boolean {
    const rate = limit / this.#periodMs;
    return this.#readings.some(
      (before) => before.receivedAt <= sentAt && before.used - used > rate * (receivedAt - before.sentAt) + HIDDEN,
    );
  }

  add(reading: WindowReading): void {
    this.#readings[this.#next] = reading;
    this.#next = (this.#next + 1) % REMEMBERED;
  }
}
