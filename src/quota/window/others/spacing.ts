import { type Period, periodMsOf, SHORT_MS, startOf } from '../../time/periods.ts';
import type { ServerClock } from '../../time/server-clock.ts';
import type { LastReading } from '../last-reading.ts';
import type { Pacing } from '../pacing.ts';
import type { SentInWindow } from '../sent-in-window.ts';
import { LONGEST_GAP } from './contended-rate.ts';
import type { OtherConsumers } from './other-consumers.ts';

/** Dependencies of the spacing beside other consumers of a window. */
export interface SpacingDependencies {
  readonly clock: ServerClock;
  readonly otherConsumers: Pick<OtherConsumers, 'areActive' | 'fairSpacing'>;
  readonly lastReading: Pick<LastReading, 'sentAt' | 'limit'>;
  readonly sent: Pick<SentInWindow, 'lastSentAt'>;
}

/** Beside other consumers the requests of a short window are spaced evenly, which leaves units at any time: its answers tell too late what they took. */
export class SpacingBesideOthers implements Pacing {
  readonly #periodMs: number;
  readonly #known: SpacingDependencies;

  constructor(period: Period, known: SpacingDependencies) {
    this.#periodMs = periodMsOf(period);
    this.#known = known;
  }

  earliest(units: number, limit: number, now: number): number {
    if (this.#periodMs > SHORT_MS) return now;
    const { lastReading, sent } = this.#known;
    // The window was not known when the first request was sent.
    const sentAt = Math.max(sent.lastSentAt, lastReading.sentAt);
    const spacing = this.#spacing(units, limit);
    const pastMs = this.#minuteBegan(now) - sentAt;
    // The instants of clients that wait for the same minute stay apart.
    const steps = Math.ceil(pastMs / spacing);
    return sentAt + spacing * (steps > 1 && steps < Infinity ? steps : 1);
  }

  /**
   * How much later than the pause of a refusal the first request may go, in milliseconds: up to our spacing, where that is the window or more.
   * So clients that were refused together return one by one.
   */
  get returnsWithinMs(): number {
    const { otherConsumers, lastReading } = this.#known;
    const spacing = this.#spacing(1, lastReading.limit);
    return otherConsumers.areActive && spacing >= this.#periodMs ? spacing : 0;
  }

  /** When the minute began, with which every longer window of the calendar begins. */
  #minuteBegan(now: number): number {
    const { clock } = this.#known;
    return clock.known ? clock.surely(startOf('minute', clock.least(now))) : -Infinity;
  }

  #spacing(units: number, limit: number): number {
    return Math.min(LONGEST_GAP * this.#periodMs, units * this.#known.otherConsumers.fairSpacing(limit));
  }
}
