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
    for (const before of this.#readings) {
      const dropped = before.used - used;
      // First what nearly always decides: usage has grown.
      if (dropped > HIDDEN && before.receivedAt <= sentAt && dropped > rate * (receivedAt - before.sentAt) + HIDDEN)
        return true;
    }
    return false;
  }

  add(reading: WindowReading): void {
    this.#readings[this.#next] = reading;
    this.#next = (this.#next + 1) % REMEMBERED;
  }
}
