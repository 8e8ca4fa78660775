import { type Period, periodMsOf, SHORT_MS } from '../time/periods.ts';
import type { Pacing } from './reserve/reserve.ts';
import type { SentInWindow } from './sent-in-window.ts';
import type { CandidateShapes } from './shape/candidates.ts';

/** The part of a window over which the requests of a backlog are spaced. */
const SPREAD_PART = 0.25;

/** Calls wait window after window, if no more than this many pass between two that are held. */
const APART = 2;

/** Dependencies of the pacing of a backlog. */
export interface BacklogPacingDependencies {
  readonly candidates: Pick<CandidateShapes, 'must'>;
  readonly sent: Pick<SentInWindow, 'units' | 'firstSentAt'>;
}

/**
 * Spaces the requests of a calendar second over its first part, once calls have waited for longer than a second: so a backlog sends no burst at
 * each turn. If the service has cut the limit, or its clock goes back, a few requests are refused before an answer says so, instead of all; and
 * fewer are under way at once.
 */
export class BacklogPacing implements Pacing {
  readonly #periodMs: number;
  readonly #known: BacklogPacingDependencies;
  /** When a call was last held because the window was full, and since when that was so window after window. */
  #fullAt = -Infinity;
  #fullSince = Infinity;

  constructor(period: Period, known: BacklogPacingDependencies) {
    this.#periodMs = periodMsOf(period);
    this.#known = known;
  }

  /** A call is held because the window is full. */
  onFull(now: number): void {
    if (!this.#isRecent(now)) this.#fullSince = now;
    this.#fullAt = now;
  }

  earliest(_units: number, limit: number, now: number): number {
    if (!this.#isNeeded(now)) return now;
    const { sent } = this.#known;
    return sent.firstSentAt + (SPREAD_PART * this.#periodMs * sent.units(now)) / limit;
  }

  #isNeeded(now: number): boolean {
    const { isCalendar, onlyFills } = this.#known.candidates.must;
    const isCalendarSecond = this.#periodMs <= SHORT_MS && isCalendar && onlyFills;
    return isCalendarSecond && this.#isRecent(now) && now - this.#fullSince > this.#periodMs;
  }

  #isRecent(now: number): boolean {
    return now - this.#fullAt <= APART * this.#periodMs;
  }
}
