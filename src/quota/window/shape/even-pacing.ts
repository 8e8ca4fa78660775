import type { ShareLimit } from '../../share-limit.ts';
import { type Period, periodMsOf, SHORT_MS } from '../../time/periods.ts';
import type { ServerClock } from '../../time/server-clock.ts';
import type { Pacing } from '../pacing.ts';
import type { SentInWindow } from '../sent-in-window.ts';
import type { CandidateShapes } from './candidates.ts';

/** A server clock uncertain by this part of a window says too little about where the window ends. */
const VAGUE_PART = 0.5;

/** Without a `date`, requests are spaced evenly for this long after an unexpected refusal, in milliseconds. */
const EVEN_MS = 600_000;

/** After so many windows without a request any estimate of them is 0. */
const LONGEST_GAP = 2;

/** Dependencies of even pacing. */
export interface EvenPacingDependencies {
  readonly clock: ServerClock;
  readonly shareLimit: Pick<ShareLimit, 'isShared'>;
  readonly candidates: Pick<CandidateShapes, 'isOpen' | 'may' | 'must'>;
  readonly sent: Pick<SentInWindow, 'isBusy' | 'lastSentAt'>;
}

/**
 * Spaces the requests of a short window evenly while its shape or the service's clock is unknown: those of a process that looks for its
 * share, and those of a busy window.
 */
export class EvenPacing implements Pacing {
  readonly #periodMs: number;
  readonly #known: EvenPacingDependencies;
  #evenUntil = -Infinity;

  constructor(period: Period, known: EvenPacingDependencies) {
    this.#periodMs = periodMsOf(period);
    this.#known = known;
  }

  /**
   * The service refused a request that no candidate forbids. Without a `date` it may be a sliding counter over calendar windows that
   * the client cannot locate; its estimate is exact for evenly spaced requests.
   *
   * @returns whether requests are spaced for it.
   */
  onUnexplainedRefusal(now: number): boolean {
    if (this.#known.clock.known) return false;
    this.#evenUntil = now + EVEN_MS;
    return true;
  }

  /** Whether requests are spaced. */
  isNeeded(now: number): boolean {
    const { clock, candidates, shareLimit } = this.#known;
    if (now < this.#evenUntil) return true;
    if (this.#periodMs > SHORT_MS || !clock.known) return false;
    // Evenly spaced requests hit every phase, so the first answer after a boundary reveals it, if there is one; they also narrow a vague
    // server clock. Other shapes show where a window is left empty, which no process of a share does.
    const isTelling = shareLimit.isShared ? !candidates.must.isSliding : candidates.may.onlyFills;
    return (candidates.isOpen && isTelling) || clock.vagueness(now) > this.#periodMs * VAGUE_PART;
  }

  earliest(units: number, limit: number, now: number): number {
    if (!this.isNeeded(now)) return now;
    const { shareLimit, sent } = this.#known;
    const { lastSentAt } = sent;
    // Spread over `limit − units`: the request itself is added on top of the server's estimate.
    if (now < this.#evenUntil) return lastSentAt + this.#periodMs * Math.min(LONGEST_GAP, units / (limit - units));
    return shareLimit.isShared || sent.isBusy(limit, now) ? lastSentAt + (units * this.#periodMs) / limit : now;
  }
}
