import type { Charge } from '../../admission.ts';
import type { WindowReading } from '../../models/model.ts';
import type { ShareLimit } from '../../share-limit.ts';
import { endOf, type Period, periodMsOf, SHORT_MS } from '../../time/periods.ts';
import type { ServerClock } from '../../time/server-clock.ts';
import type { InFlight } from '../../usage/in-flight.ts';
import type { Pacing } from '../pacing.ts';
import type { Reserve } from '../reserve/reserve.ts';
import type { SentInWindow } from '../sent-in-window.ts';
import { BoundaryProbe } from './boundary-probe.ts';
import type { CandidateShapes } from './candidates.ts';
import { EvenPacing } from './even-pacing.ts';
import { IdleProbe } from './idle-probe.ts';

/** To test for a leaky bucket, pause until this many units would have drained; only worthwhile in a window at least this full. */
const SINKS = 4;
const TELLING_PART = 0.5;

/** Dependencies of the probing of a window. */
export interface ShapeProbingDependencies {
  readonly clock: ServerClock;
  readonly flights: InFlight;
  readonly shareLimit: Pick<ShareLimit, 'isShared'>;
  readonly candidates: Pick<CandidateShapes, 'isOpen' | 'may' | 'must'>;
  readonly sent: SentInWindow;
}

/**
 * Reveals the shape of a window while it is unknown: in a short window requests are spaced evenly, or it is left empty now and
 * then; in a long one units are reserved for a {@link BoundaryProbe}. All of it is safe under every candidate shape.
 */
export class ShapeProbing implements Reserve {
  readonly #period: Period;
  readonly #periodMs: number;
  readonly #clock: ServerClock;
  readonly #shareLimit: ShapeProbingDependencies['shareLimit'];
  readonly #candidates: ShapeProbingDependencies['candidates'];
  readonly #boundaryProbe: BoundaryProbe;
  /** How requests are spaced for it, while no other consumers blur what that would show. */
  readonly pacings: readonly Pacing[];
  readonly #evenPacing: EvenPacing;

  constructor(period: Period, { clock, flights, shareLimit, candidates, sent }: ShapeProbingDependencies) {
    this.#period = period;
    this.#periodMs = periodMsOf(period);
    this.#clock = clock;
    this.#shareLimit = shareLimit;
    this.#candidates = candidates;
    this.#boundaryProbe = new BoundaryProbe(clock, flights, sent);
    this.#evenPacing = new EvenPacing(period, { clock, shareLimit, candidates, sent });
    this.pacings = [this.#evenPacing, new IdleProbe(period, clock, sent, (now) => this.#mayIdle(now))];
  }

  /** A request is sent. */
  onSent(units: number, now: number): void {
    this.#boundaryProbe.onSent(units, now);
  }

  /** Processes the latest reading of the window; its request was sent at `sentAt`. */
  onReading({ used, limit }: WindowReading, sentAt: number): void {
    if (!this.#clock.known) return;
    const isTelling = used >= limit * TELLING_PART;
    const restMs = isTelling ? (SINKS * this.#periodMs) / limit : Infinity;
    this.#boundaryProbe.onReading(
      endOf(this.#period, this.#clock.least(sentAt)),
      this.#mayBe('drains') ? restMs : undefined,
    );
  }

  /** Processes an end of the window that the service named, by its clock. */
  onNamedEnd(end: number, sentAt: number): void {
    this.#boundaryProbe.onNamedEnd(end, sentAt);
  }

  /** The service refused a request that no candidate forbids. @returns whether requests are spaced for it. */
  onUnexplainedRefusal(now: number): boolean {
    return this.#evenPacing.onUnexplainedRefusal(now);
  }

  /** Units to reserve while it is unknown whether the calendar ends the window: for a charge that costs no more than that, as it may be the probe. */
  units({ units }: Charge, limit: number, now: number): number {
    const isOurs = this.#periodMs > SHORT_MS && this.#clock.known && !this.#shareLimit.isShared;
    const reserved = isOurs && this.#mayBe('isCalendar') ? this.#boundaryProbe.reserved(limit, now) : 0;
    return units > reserved ? 0 : reserved;
  }

  /** When the next probe may use them. */
  releasesAt(_units: number, _cap: number, now: number): number {
    return this.#boundaryProbe.nextProbeAt(now);
  }

  /** The instant at which a request may try whether the window has ended, unless a request in flight does. */
  trialFor(units: number, isContested: boolean): number {
    const isLong = this.#periodMs > SHORT_MS;
    return this.#boundaryProbe.trialFor(units, isContested && isLong && this.#mayBe('isCalendar'));
  }

  /** Whether a short window may be left empty: its shape is unknown, and even spacing does not show it. */
  #mayIdle(now: number): boolean {
    if (this.#periodMs > SHORT_MS || !this.#clock.known || !this.#candidates.isOpen) return false;
    return !this.#shareLimit.isShared && !this.#evenPacing.isNeeded(now);
  }

  /** Whether the window may have such a shape, or another. */
  #mayBe(trait: keyof CandidateShapes['may']): boolean {
    return this.#candidates.isOpen && this.#candidates.may[trait];
  }
}
