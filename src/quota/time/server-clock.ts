import { endOf, type Period, startOf } from './periods.ts';

/** nginx caches `Date` per event loop, so a stamp may be this old when it is written, in milliseconds. */
const STAMP_SLACK_MS = 20;

/** A stamp is never believed to be vaguer than this, in milliseconds. */
const WORST_SLACK_MS = 1_000;

/** How fast two clocks may drift apart; real ones stay below 5e-5. */
export const DRIFT = 1e-4;

/**
 * How far the service's clock is ahead of the local monotonic clock, as an interval that only evidence narrows.
 *
 * `Date` is cut to whole seconds and old on arrival, so one answer says little: it was stamped at a service time within
 * `[date, date + 1 s)` and at a local instant within `[sentAt, receivedAt]`. Many answers intersect to about a round trip.
 * An empty intersection means that a clock was set, or that several clocks answer: the newest answer starts afresh.
 */
export class ServerClock {
  #least = Number.NEGATIVE_INFINITY;
  #most = Number.POSITIVE_INFINITY;
  #leastAt = 0;
  #mostAt = 0;
  #slack = STAMP_SLACK_MS;
  #lastDate = Number.NaN;
  #revision = 0;

  /** Counts the answers that have made the interval narrower or moved it. */
  get revision(): number {
    return this.#revision;
  }

  /** Whether any answer carried a readable `Date`. */
  get known(): boolean {
    return this.#most < Number.POSITIVE_INFINITY;
  }

  /** Learns from the `Date` of an answer, in milliseconds since the Unix epoch. */
  observe(date: number, sentAt: number, receivedAt: number): void {
    const least = date - this.#slack - receivedAt;
    const most = date + 1_000 + this.#slack - sentAt;
    const gap = Math.max(least - this.#mostLead(receivedAt), this.#leastLead(receivedAt) - most);
    const isRepeated = date === this.#lastDate;
    this.#lastDate = date;
    // A stamp from a cache, or of a clock that stands still, was true once.
    if (gap > 0 && isRepeated) return;
    if (gap > 0) {
      // A clock that was set is as good as before; several that answer in turn, or a vague one, are not.
      if (gap <= WORST_SLACK_MS) this.doubt(gap);
      this.#least = Number.NEGATIVE_INFINITY;
      this.#most = Number.POSITIVE_INFINITY;
    }
    this.#believe(least, most, receivedAt);
  }

  /** Adopts the lead found by sibling processes, in milliseconds, unless our own answers contradict it. */
  narrow(least: number, most: number, now: number): void {
    if (least > most || least > this.#mostLead(now) || most < this.#leastLead(now)) return;
    this.#believe(least, most, now);
  }

  /** Widens the interval: something contradicted it by `gap` milliseconds. */
  doubt(gap: number): void {
    const slack = Math.min(WORST_SLACK_MS, this.#slack + gap);
    this.#least -= slack - this.#slack;
    this.#most += slack - this.#slack;
    this.#slack = slack;
  }

  /** The least that the service's clock can show at our instant `now`, in milliseconds since the Unix epoch. */
  least(now: number): number {
    return now + (this.#least - DRIFT * Math.max(0, now - this.#leastAt));
  }

  /** The most that the service's clock can show at our instant `now`, in milliseconds since the Unix epoch. */
  most(now: number): number {
    return now + (this.#most + DRIFT * Math.max(0, now - this.#mostAt));
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
    return this.#mostLead(now) - this.#leastLead(now);
  }

  /** The first local instant at which the service's clock certainly shows `time` or later. */
  surely(time: number): number {
    return (time - this.#least - DRIFT * this.#leastAt) / (1 - DRIFT);
  }

  /** The first local instant at which the service's clock may show `time` or later. */
  soonest(time: number): number {
    return (time - this.#most + DRIFT * this.#mostAt) / (1 + DRIFT);
  }

  #believe(least: number, most: number, at: number): void {
    if (least > this.#leastLead(at)) {
      this.#least = least;
      this.#leastAt = at;
      this.#revision++;
    }
    if (most < this.#mostLead(at)) {
      this.#most = most;
      this.#mostAt = at;
      this.#revision++;
    }
  }

  #leastLead(now: number): number {
    return this.#least - DRIFT * Math.max(0, now - this.#leastAt);
  }

  #mostLead(now: number): number {
    return this.#most + DRIFT * Math.max(0, now - this.#mostAt);
  }
}
