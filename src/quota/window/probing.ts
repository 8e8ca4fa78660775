import type { WindowModel, WindowReading } from '../models/model.ts';
import type { ShareLimit } from '../share-limit.ts';
import { endOf, type Period, periodMsOf, SHORT_MS } from '../time/periods.ts';
import type { ServerClock } from '../time/server-clock.ts';
import type { InFlight } from '../usage/in-flight.ts';
import { BoundaryProbe } from './boundary-probe.ts';
import type { CandidateShapes } from './candidates.ts';
import { IdleProbe } from './idle-probe.ts';

/** A clock that leaves this part of a window open says too little about where it ends. */
const VAGUE_PART = 0.5;

/** Units by which a leaking level must have sunk to be told from every other, in a window of which this part is spent. */
const SINKS = 4;
const TELLING_PART = 0.5;

/** Where no clock is shown what was refused is spent evenly for this long, in milliseconds. */
const EVEN_MS = 600_000;

/** Shapes without an end at which all is free again. */
const SLIDING: ReadonlySet<WindowModel['name']> = new Set(['sliding-log', 'sliding-counter']);

/** What doubt about a window hangs on. */
export interface ShapeProbingDependencies {
  readonly clock: ServerClock;
  readonly flights: InFlight;
  readonly shareLimit: Pick<ShareLimit, 'isShared'>;
  readonly candidates: Pick<CandidateShapes, 'alive'>;
}

/**
 * What is done while it is in doubt which shape a window has, so that it shows: a short window is spent evenly, or left
 * empty once in a while; of a long one something is kept for a {@link BoundaryProbe}. None of it is a risk, whatever the shape is.
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

  /** When the last request went. */
  get lastSentAt(): number {
    return this.#boundaryProbe.lastSentAt;
  }

  /** A request goes. */
  onSent(units: number, now: number): void {
    this.#boundaryProbe.onSent(units, now);
    this.#idleProbe.onSent(units, now);
  }

  /** Takes in the service's last word on the window, in answer to a request that was sent at `sentAt`. */
  onReading({ used, limit }: WindowReading, sentAt: number): void {
    if (!this.#clock.known) return;
    const isTelling = used >= limit * TELLING_PART;
    const restMs = isTelling ? (SINKS * this.#periodMs) / limit : Number.POSITIVE_INFINITY;
    this.#boundaryProbe.onReading(
      endOf(this.#period, this.#clock.least(sentAt)),
      this.#mayBe('leaky') ? restMs : undefined,
    );
  }

  /**
   * Takes in an end that the service named, by its clock.
   *
   * @returns the end, if it is news.
   */
  onNamedEnd(end: number, sentAt: number): number | undefined {
    return this.#boundaryProbe.onNamedEnd(end, sentAt);
  }

  /**
   * The service refused what no shape forbids. Where it shows no clock it may estimate what a window holds from those of its
   * calendar, which nobody can follow; but what comes evenly it counts as it is.
   */
  onUnexplainedRefusal(now: number): void {
    if (!this.#clock.known) this.#evenUntil = now + EVEN_MS;
  }

  /** Units to keep, while it is in doubt whether the calendar ends the window. */
  reserved(limit: number, now: number): number {
    const isOurs = this.#periodMs > SHORT_MS && this.#clock.known && !this.#shareLimit.isShared;
    return isOurs && this.#mayBe('aligned') ? this.#boundaryProbe.reserved(limit, now) : 0;
  }

  /** When something of what is kept may be spent. */
  nextProbeAt(now: number): number {
    return this.#boundaryProbe.nextProbeAt(now);
  }

  /** The instant at which an end that the service named lets a request try, unless something under way has. */
  namedEndFor(units: number): number {
    return this.#boundaryProbe.namedEndFor(units);
  }

  /** The instant until which a request is held back so that the shape shows; `now` or earlier: it is not. */
  heldUntil(units: number, limit: number, now: number): number {
    // One request less than there is room for, because it comes on top of what is estimated.
    if (now < this.#evenUntil)
      return this.lastSentAt + this.#periodMs * Math.min(1, units / Math.max(1, limit - units));
    if (this.#periodMs > SHORT_MS || !this.#clock.known) return now;
    const { alive } = this.#candidates;
    const isSliding = alive.every(({ name }) => SLIDING.has(name));
    // Where a window ends shows by itself to who asks at all its phases; so does a clock.
    const isEven = (alive.length > 1 && !isSliding) || this.#clock.vagueness(now) > this.#periodMs * VAGUE_PART;
    if (isEven) return this.lastSentAt + (units * this.#periodMs) / limit;
    return alive.length > 1 && !this.#shareLimit.isShared ? this.#idleProbe.until(limit, now) : now;
  }

  /** Whether the window may have this shape, or another. */
  #mayBe(shape: WindowModel['name']): boolean {
    const { alive } = this.#candidates;
    return alive.length > 1 && alive.some(({ name }) => name === shape);
  }
}
