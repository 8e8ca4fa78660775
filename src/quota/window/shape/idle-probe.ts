import { type Period, periodMsOf, startOf } from '../../time/periods.ts';
import type { ServerClock } from '../../time/server-clock.ts';
import type { Pacing } from '../pacing.ts';
import type { SentInWindow } from '../sent-in-window.ts';

/** At most one window in this many is left empty. */
const EVERY = 4;

/** The part of it in which requests still go: what is sent after the rest of it, which is left empty, is a burst. */
const FROM = 0.4;

/**
 * Leaves most of a short window empty now and then. Even traffic looks the same to a sliding log and a sliding counter; the burst
 * that follows a gap does not: a log forgets it at once, a counter slowly.
 */
export class IdleProbe implements Pacing {
  readonly #period: Period;
  readonly #clock: ServerClock;
  readonly #sent: SentInWindow;
  readonly #mayIdle: (now: number) => boolean;

  /** @param mayIdle - whether the window may be left empty now. */
  constructor(period: Period, clock: ServerClock, sent: SentInWindow, mayIdle: (now: number) => boolean) {
    this.#period = period;
    this.#clock = clock;
    this.#sent = sent;
    this.#mayIdle = mayIdle;
  }

  /** When the empty window is over, if this is one; else `now`. */
  earliest(_units: number, limit: number, now: number): number {
    if (!this.#mayIdle(now) || !this.#sent.isBusy(limit, now)) return now;
    const start = startOf(this.#period, this.#clock.least(now));
    const periodMs = periodMsOf(this.#period);
    const isDue = (start / periodMs) % EVERY === 0 && this.#clock.elapsedPart(this.#period, now) >= FROM;
    return isDue ? this.#clock.surely(start + periodMs) : now;
  }
}
