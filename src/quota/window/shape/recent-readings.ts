import { ROUNDING, TOLERANCE, type WindowReading } from '../../models/model.ts';
import { POSTING_MS } from '../../usage/answered.ts';

/** Readings that are remembered: of a window's length so many, and the last one. */
const REMEMBERED = 16;

/**
 * Compares the last readings of a window: how much more or less one of them counts than one before it. This needs no clock of
 * the service, and other consumers do not blur it: their usage only adds.
 */
export class RecentReadings {
  readonly #periodMs: number;
  /** In the order in which they came. */
  readonly #readings: WindowReading[] = [];

  constructor(periodMs: number) {
    this.#periodMs = periodMs;
  }

  /** When the request of the last reading was sent. */
  get lastSentAt(): number {
    return this.#readings.at(-1)?.sentAt ?? -Infinity;
  }

  /**
   * Whether usage dropped to this reading, from any of the last ones, faster than the limit per window: in some shapes it sinks by no more, so a
   * steeper drop rules them out.
   */
  dropsSteeplyTo(reading: WindowReading): boolean {
    const rate = reading.limit / this.#periodMs;
    return this.#readings.some((before) => dropBetween(before, reading) > rate * (reading.receivedAt - before.sentAt));
  }

  /** Whether usage dropped to this reading from the last one. */
  dropsTo(reading: WindowReading): boolean {
    const last = this.#readings.at(-1);
    return last !== undefined && dropBetween(last, reading) > 0;
  }

  /** Whether usage dropped twice to this reading in less than the window's length: one that only fills is emptied once in that time. */
  dropsTwiceTo(reading: WindowReading): boolean {
    const from = reading.receivedAt - this.#periodMs;
    let most = 0;
    for (const middle of this.#readings) {
      // Usage mostly grows, so that few readings count less than one before them.
      const isLess = middle.used < most && dropBetween(middle, reading) > 0;
      if (isLess && this.#readings.some((first) => first.sentAt > from && dropBetween(first, middle) > 0)) return true;
      most = Math.max(most, middle.used);
    }
    return false;
  }

  /**
   * The most that all consumers together have surely added after `from` and before `until`: so much more a reading counts than one before it. `least`:
   * what is returned where it is no more than that.
   */
  rise(from: number, until: number, least: number = 0): number {
    const earliest = from + POSTING_MS;
    const latest = until - POSTING_MS;
    // The fewest that a reading counts which may be the first. Most of the last ones differ from it by too little.
    let fewest = Infinity;
    for (const { sentAt, used } of this.#readings) if (sentAt >= earliest && used < fewest) fewest = used;
    let rise = least;
    // The newest first: usage mostly grows, so that the first one decides.
    for (const last of this.#readings.toReversed()) {
      if (last.used - fewest <= rise || last.receivedAt > latest) continue;
      for (const { sentAt, receivedAt, used } of this.#readings)
        if (sentAt >= earliest && receivedAt <= last.sentAt && last.used - used > rise) rise = last.used - used;
    }
    return rise;
  }

  /** The most that a reading counted which was surely sent after `from` and came before `until`. */
  most(from: number, until: number): number {
    let most = 0;
    for (const { sentAt, receivedAt, used } of this.#readings)
      if (sentAt >= from && receivedAt <= until - POSTING_MS && used > most) most = used;
    return most;
  }

  /** The earliest remembered one whose request was sent at an instant or later. */
  firstSince(instant: number): WindowReading | undefined {
    return this.#readings.find(({ sentAt }) => sentAt >= instant);
  }

  /** The last reading is always remembered, and those before it are no closer together than a part of the window. */
  add(reading: WindowReading): void {
    const before = this.#readings.at(-2);
    if (before && reading.receivedAt < before.receivedAt + this.#periodMs / REMEMBERED) this.#readings.pop();
    this.#readings.push(reading);
    if (this.#readings.length > REMEMBERED) this.#readings.shift();
  }
}

/** How many units usage surely dropped by from one reading to another; 0: it may have grown. */
function dropBetween(before: WindowReading, reading: WindowReading): number {
  // First what nearly always decides: usage has grown.
  const dropped = before.used - reading.used - ROUNDING - TOLERANCE;
  return dropped > 0 && before.receivedAt <= reading.sentAt - POSTING_MS ? dropped : 0;
}
