import { endOf, type Period, periodMsOf, startOf } from './periods.ts';
import { ROUNDING_MS } from './window-end.ts';

/** nginx caches `Date` per event loop, so a stamp may be this old when it is written, in milliseconds. */
const STAMP_SLACK_MS = 20;

/** A stamp is never believed to be vaguer than this, in milliseconds. */
const WORST_SLACK_MS = 1_000;

/** Ends of longer windows say too little of the time, in milliseconds: where they were believed, a request might belong to any of a million seconds. */
const LONGEST_MS = 60_000;

/** How fast two clocks may drift apart; real ones stay below 5e-5. */
export const DRIFT = 1e-4;

/** How far one clock is ahead of another, as an interval that grows as they may drift apart. */
class Lead {
  least = -Infinity;
  most = Infinity;
  leastAt = 0;
  mostAt = 0;

  /** The least and the most at an instant. */
  from(now: number): number {
    return this.least - DRIFT * Math.max(0, now - this.leastAt);
  }

  to(now: number): number {
    return this.most + DRIFT * Math.max(0, now - this.mostAt);
  }

  /** How far an interval is beside this one, in milliseconds; 0 or less: they have an instant in common. */
  gapTo(least: number, most: number, now: number): number {
    return Math.max(least - this.to(now), this.from(now) - most);
  }

  forget(): void {
    this.least = -Infinity;
    this.most = Infinity;
  }

  /** Narrows the interval. Returns whether one of its ends has moved. */
  narrow(least: number, most: number, now: number): boolean {
    const [isLater, isSooner] = [least > this.from(now), most < this.to(now)];
    if (isLater) [this.least, this.leastAt] = [least, now];
    if (isSooner) [this.most, this.mostAt] = [most, now];
    return isLater || isSooner;
  }
}

/**
 * How far the service's clock is ahead of the local monotonic clock, as an interval that only evidence narrows: the `Date` of answers, or the ends of
 * windows. Evidence that contradicts the interval means that a clock was set, or that several clocks answer: it starts a new one.
 */
export class ServerClock {
  readonly #dates = new Lead();
  readonly #ends = new Lead();
  /** The one of them that is believed: the ends from when one had passed by the dates, until a date contradicts those before it. */
  #lead = this.#dates;
  /** How vague dates are taken to be. */
  #slack = STAMP_SLACK_MS;
  /** By how much ends of windows may be rounded. */
  #rounding = 0;
  #lastDate = Number.NaN;
  #revision = 0;

  /** Counts how often the interval that is believed was narrowed or moved. */
  get revision(): number {
    return this.#revision;
  }

  /** Whether the clock is known at all: by a readable `Date`, or by the end of the shortest window. */
  get known(): boolean {
    return this.#lead.most < Infinity;
  }

  /** Whether any answer carried a readable `Date`. */
  get isDated(): boolean {
    return this.#dates.most < Infinity;
  }

  /**
   * Learns from the `Date` of an answer, in milliseconds since the Unix epoch. It is cut to whole seconds and old on arrival, so one answer says
   * little: it was stamped at a service time within `[date, date + 1 s)` and at a local instant within `[sentAt, receivedAt]`. Many answers intersect
   * to about a round trip.
   */
  observe(date: number, sentAt: number, receivedAt: number): void {
    const least = date - this.#slack - receivedAt;
    const most = date + 1_000 + this.#slack - sentAt;
    const gap = this.#dates.gapTo(least, most, receivedAt);
    const isRepeated = date === this.#lastDate;
    this.#lastDate = date;
    // A stamp from a cache, or of a clock that stands still, was true once.
    if (gap > 0 && isRepeated) return;
    if (gap > 0) {
      // A clock that was set is as good as before; several that answer in turn, or a vague one, are not.
      if (gap <= WORST_SLACK_MS) this.#slack = Math.min(WORST_SLACK_MS, this.#slack + gap);
      this.#dates.forget();
      this.#ends.forget();
      this.#believe(this.#dates);
    }
    this.#narrow(this.#dates, least, most, receivedAt);
  }

  /**
   * Learns from the end of a window that an answer has named as the present one, in milliseconds since the Unix epoch. `Date` may come from another
   * machine than the limits: where it is ahead of such ends, they alone are believed, each a date of the length of its window. Where it is behind,
   * windows are only taken to end later than they do.
   */
  observeEnd(period: Period, end: number, sentAt: number, receivedAt: number): void {
    const periodMs = periodMsOf(period);
    if (periodMs > LONGEST_MS) return;
    const least = end - periodMs - receivedAt;
    const most = end - sentAt;
    if (this.#ends.gapTo(least - this.#rounding, most + this.#rounding, receivedAt) > 0) {
      // Only ends of the calendar are whole seconds.
      this.#rounding = ROUNDING_MS;
      this.#ends.forget();
      this.#believe(this.#dates);
    }
    this.#narrow(this.#ends, least - this.#rounding, most + this.#rounding, receivedAt);
    const isPast = this.#dates.from(sentAt) > most + this.#rounding;
    if (this.isDated ? isPast : this.#rounding === 0) this.#believe(this.#ends);
  }

  /** Adopts the lead found by sibling processes, in milliseconds, unless our own answers contradict it. */
  narrow(least: number, most: number, now: number): void {
    if (least > most || this.#lead.gapTo(least, most, now) > 0) return;
    this.#narrow(this.#lead, least, most, now);
  }

  /** What is not believed may move with each answer: nothing follows from that. */
  #narrow(lead: Lead, least: number, most: number, now: number): void {
    const moved = lead.narrow(least, most, now);
    if (moved && lead === this.#lead) this.#revision++;
  }

  #believe(lead: Lead): void {
    if (lead !== this.#lead) this.#revision++;
    this.#lead = lead;
  }

  /** The least that the service's clock can show at our instant `now`, in milliseconds since the Unix epoch. */
  least(now: number): number {
    return now + this.#lead.from(now);
  }

  /** The most that the service's clock can show at our instant `now`, in milliseconds since the Unix epoch. */
  most(now: number): number {
    return now + this.#lead.to(now);
  }

  /** The part of the calendar window around `now` that is over; half of it where nothing is known. */
  elapsedPart(period: Period, now: number): number {
    if (!this.known) return 0.5;
    const time = this.least(now);
    const start = startOf(period, time);
    return (time - start) / (endOf(period, time) - start);
  }

  /** How much is unknown of the service's clock, in milliseconds. */
  vagueness(now: number): number {
    return this.#lead.to(now) - this.#lead.from(now);
  }

  /** The first local instant at which the service's clock certainly shows `time` or later. Never before it may: long ago the drift is more than what is unknown. */
  surely(time: number): number {
    const { least, leastAt } = this.#lead;
    return Math.max((time - least - DRIFT * leastAt) / (1 - DRIFT), this.soonest(time));
  }

  /** The first local instant at which the service's clock may show `time` or later. */
  soonest(time: number): number {
    const { most, mostAt } = this.#lead;
    return (time - most + DRIFT * mostAt) / (1 + DRIFT);
  }
}
