import type { Charge } from '../admission.ts';
import { type Period, periodMsOf, SHORT_MS } from '../time/periods.ts';
import type { SentInWindow } from './sent-in-window.ts';
import type { CandidateShapes } from './shape/candidates.ts';

/** The part of a window over which the requests of a backlog are spaced. */
const SPREAD_PART = 0.25;

/** Dependencies of the pacing of a backlog. */
export interface BacklogPacingDependencies {
  readonly candidates: Pick<CandidateShapes, 'must'>;
  readonly sent: Pick<SentInWindow, 'units' | 'firstSentAt'>;
}

/**
 * Spaces the requests of a backlog, whose calls have waited for a window or longer, over the first part of each calendar second, so that it
 * sends no burst at the turn. If the service has cut the limit, or its clock goes back, a few requests are refused before an answer says so,
 * instead of all; and fewer are under way at once.
 */
export class BacklogPacing {
  readonly #periodMs: number;
  readonly #known: BacklogPacingDependencies;

  constructor(period: Period, known: BacklogPacingDependencies) {
    this.#periodMs = periodMsOf(period);
    this.#known = known;
  }

  /** The earliest instant at which the charge may be sent; `now` or earlier: at once. */
  earliest({ waitedMs = 0 }: Charge, limit: number, now: number): number {
    const { candidates, sent } = this.#known;
    const isCalendarSecond = this.#periodMs <= SHORT_MS && candidates.must.isCalendar;
    if (!isCalendarSecond || waitedMs < this.#periodMs) return now;
    return sent.firstSentAt + (SPREAD_PART * this.#periodMs * sent.units(now)) / limit;
  }
}
