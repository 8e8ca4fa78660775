import type { Shape, WindowReading } from '../models/model.ts';
import type { ShareLimit } from '../share-limit.ts';
import { endOf, type Period, periodMsOf, SHORT_MS } from '../time/periods.ts';
import type { ServerClock } from '../time/server-clock.ts';
import type { InFlight } from '../usage/in-flight.ts';
import { BoundaryProbe } from './boundary-probe.ts';
import type { CandidateShapes } from './candidates.ts';
import { IdleProbe } from './idle-probe.ts';

/** A server clock uncertain by this part of a window says too little about where the window ends. */
const VAGUE_PART = 0.5;

/** To test for a leaky bucket, pause until this many units would have drained; only worthwhile in a window at least this full. */
const SINKS = 4;
const TELLING_PART = 0.5;

/**
 * While a window may be aligned or opened by the first request, no request is sent around every other boundary of the calendar,
 * from and to these parts of two windows: if both shapes began at the same instant, they could not be told apart.
 */
const GAP_FROM = 0.4;
const GAP_TO = 0.725;

/** Without a `date`, requests are spaced evenly for this long after an unexpected refusal, in milliseconds. */
const EVEN_MS = 600_000;

/** Dependencies of the probing of a window. */
export interface ShapeProbingDependencies {
  readonly clock: ServerClock;
  readonly flights: InFlight;
  readonly shareLimit: Pick<ShareLimit, 'isShared'>;
  readonly candidates: Pick<CandidateShapes, 'alive'>;
}

/**
 * Reveals the shape of a window while it is unknown: in a short window requests are spaced evenly, or it is left empty now and
 * then; in a long one units are reserved for a {@link BoundaryProbe}. All of it is safe under every candidate shape.
 */
export class ShapeProbing {
  readonly #period: Period;
  readonly #periodMs: number;
  readonly #clock: ServerClock;
  readonly #shareLimit: ShapeProbingDependencies['shareLimit'];
  readonly #candidates: ShapeProbingDependencies['candidates'];
  readonly #boundaryProbe: BoundaryProbe;
  readonly #idleProbe: IdleProbe;
  #evenUntil = Number.NEGATIVE_INFINITY;

  constructor(period: Period, { clock, flights, shareLimit, candidates }: ShapeProbingDependencies) {
    this.#period = period;
    this.#periodMs = periodMsOf(period);
    this.#clock = clock;
    this.#shareLimit = shareLimit;
    this.#candidates = candidates;
    this.#boundaryProbe = new BoundaryProbe(clock, flights);
    this.#idleProbe = new IdleProbe(period, clock);
  }

  /** When the last request was sent. */
  get lastSentAt(): number {
    return this.#boundaryProbe.lastSentAt;
  }

  /** A request is sent. */
  onSent(units: number, now: number): void {
    this.#boundaryProbe.onSent(units, now);
    this.#idleProbe.onSent(units, now);
  }

  /** Processes the latest reading of the window; its request was sent at `sentAt`. */
  onReading({ used, limit }: WindowReading, sentAt: number): void {
    if (!this.#clock.known) return;
    const isTelling = used >= limit * TELLING_PART;
    const restMs = isTelling ? (SINKS * this.#periodMs) / limit : Number.POSITIVE_INFINITY;
    this.#boundaryProbe.onReading(
      endOf(this.#period, this.#clock.least(sentAt)),
      this.#mayBe(({ drains }) => drains) ? restMs : undefined,
    );
  }

  /** Processes an end of the window that the service named, by its clock. */
  onNamedEnd(end: number, sentAt: number): void {
    this.#boundaryProbe.onNamedEnd(end, sentAt);
  }

  /**
   * The service refused a request that no candidate forbids. Without a `date` it may be a sliding counter over calendar windows that
   * the client cannot locate; its estimate is exact for evenly spaced requests.
   */
  onUnexplainedRefusal(now: number): void {
    if (!this.#clock.known) this.#evenUntil = now + EVEN_MS;
  }

  /** Units to reserve while it is unknown whether the calendar ends the window. */
  reserved(limit: number, now: number): number {
    const isOurs = this.#periodMs > SHORT_MS && this.#clock.known && !this.#shareLimit.isShared;
    return isOurs && this.#mayBe(({ isCalendar }) => isCalendar) ? this.#boundaryProbe.reserved(limit, now) : 0;
  }

  /** When reserved units may be used. */
  nextProbeAt(now: number): number {
    return this.#boundaryProbe.nextProbeAt(now);
  }

  /** The instant at which a request may try an end that the service named, unless a request in flight does. */
  namedEndFor(units: number): number {
    return this.#boundaryProbe.namedEndFor(units);
  }

  /** The instant until which probing holds a request back; `now` or earlier: not at all. */
  heldUntil(units: number, limit: number, now: number): number {
    // Spread over `limit − units`: the request itself is added on top of the server's estimate.
    if (now < this.#evenUntil)
      return this.lastSentAt + this.#periodMs * Math.min(1, units / Math.max(1, limit - units));
    if (this.#periodMs > SHORT_MS || !this.#clock.known) return now;
    const { alive } = this.#candidates;
    const isSliding = alive.every(({ shape }) => shape.isSliding);
    // Evenly spaced requests hit every phase, so the first answer after a boundary reveals it; they also narrow a vague
    // server clock.
    const isEven = (alive.length > 1 && !isSliding) || this.#clock.vagueness(now) > this.#periodMs * VAGUE_PART;
    if (isEven) return Math.max(this.lastSentAt + (units * this.#periodMs) / limit, this.#shiftedFrom(now));
    return alive.length > 1 && !this.#shareLimit.isShared ? this.#idleProbe.until(limit, now) : now;
  }

  /** Earliest instant outside the gap, so that a window opened by the first request shifts against the calendar. */
  #shiftedFrom(now: number): number {
    const { alive } = this.#candidates;
    const isOpen = alive.every(({ shape }) => shape.onlyFills);
    // Only in a shared quota: there a process sends alone for seconds only, and must tell the shapes apart by then.
    if (!isOpen || !this.#shareLimit.isShared) return now;
    const cycle = 2 * this.#periodMs;
    const time = this.#clock.least(now);
    const gone = (time % cycle) / cycle;
    return gone < GAP_FROM || gone >= GAP_TO ? now : this.#clock.surely(time + (GAP_TO - gone) * cycle);
  }

  /** Whether the window may have such a shape, or another. */
  #mayBe(isSuch: (shape: Shape) => boolean): boolean {
    const { alive } = this.#candidates;
    return alive.length > 1 && alive.some(({ shape }) => isSuch(shape));
  }
}
