import type { WindowReading } from '../models/model.ts';
import { REFUTED_FROM } from '../models/sliding-counter.ts';
import type { ShareLimit } from '../share-limit.ts';
import { type Period, periodMsOf, SHORT_MS } from '../time/periods.ts';
import type { OtherConsumers } from './others/other-consumers.ts';
import type { SentInWindow } from './sent-in-window.ts';
import type { CandidateShapes } from './shape/candidates.ts';
import type { ShapeProbing } from './shape/probing.ts';

/** Refusals that are at most this many windows apart count as having one cause. */
const WITHIN = 10;

/** So long, in milliseconds, refusals of a shared window are explained by what was used beyond all grants. If they go on, its shape is in doubt. */
const EXPLAINED_MS = 1_200_000;

/** What refusals tell of, and how it is known whether they can. */
export interface RefusalsDependencies {
  readonly candidates: CandidateShapes;
  readonly probing: Pick<ShapeProbing, 'onUnexplainedRefusal'>;
  readonly otherConsumers: OtherConsumers;
  readonly sent: Pick<SentInWindow, 'most'>;
  readonly shareLimit: Pick<ShareLimit, 'isShared' | 'isOverdrawn'>;
}

/** What a refusal that was not expected tells: that the window has a shape which was ruled out, or that other consumers have filled it. */
export class Refusals {
  readonly #period: Period;
  readonly #periodMs: number;
  readonly #known: RefusalsDependencies;
  #lastAt = -Infinity;
  /** Since when each refusal has been, or since shapes were re-admitted. */
  #explainedSince: number | undefined;

  constructor(period: Period, known: RefusalsDependencies) {
    this.#period = period;
    this.#periodMs = periodMsOf(period);
    this.#known = known;
  }

  /** Processes a reading of the window that has not been reconciled with its shapes. */
  onReading({ limited, isExempt, used, own, limit, receivedAt: now }: WindowReading): void {
    if (!limited || isExempt) return;
    const { candidates, probing, otherConsumers, sent, shareLimit } = this.#known;
    let isSpaced = false;
    if (used + own > limit && !this.#showsEstimate(limit, now) && this.#isUnexplained(now)) {
      if (candidates.reinstate()) this.#explainedSince = undefined;
      isSpaced = probing.onUnexplainedRefusal(now);
    }
    if (used >= limit && !isSpaced && !shareLimit.isShared) otherConsumers.onRefused(sent.most, limit, now);
  }

  /**
   * Whether a refusal of what siblings and this process were granted is best explained by an estimate, from one window of the calendar and the
   * one before: what was granted fits every other shape.
   */
  #showsEstimate(limit: number, now: number): boolean {
    const { candidates, shareLimit } = this.#known;
    if (!shareLimit.isShared || shareLimit.isOverdrawn(this.#period, now)) return false;
    return (this.#periodMs <= SHORT_MS || limit < REFUTED_FROM) && candidates.suspectEstimate();
  }

  /**
   * Whether a refusal can only mean that the window has another shape. In a shared quota a sibling may have sent too much
   * for once: there only a second refusal, in another window soon after, counts.
   */
  #isUnexplained(now: number): boolean {
    const { otherConsumers, shareLimit } = this.#known;
    if (otherConsumers.areActive) return false;
    if (!shareLimit.isOverdrawn(this.#period, now)) this.#explainedSince = undefined;
    else {
      this.#explainedSince ??= now;
      if (now < this.#explainedSince + EXPLAINED_MS) return false;
    }
    const sinceMs = now - this.#lastAt;
    const isSecond = sinceMs > this.#periodMs && sinceMs < this.#periodMs * WITHIN;
    if (sinceMs > this.#periodMs) this.#lastAt = now;
    return !shareLimit.isShared || isSecond;
  }
}
