import { type Charge, type Hold, holdUntil, type Limit, type Reason } from '../admission.ts';
import { modelsOf } from '../models/all.ts';
import type { Shape, WindowModel, WindowReading } from '../models/model.ts';
import type { ShareLimit } from '../share-limit.ts';
import { endOf, type Period, periodMsOf, SHORT_MS } from '../time/periods.ts';
import type { ServerClock } from '../time/server-clock.ts';
import type { AnsweredRequests } from '../usage/answered.ts';
import type { InFlight } from '../usage/in-flight.ts';
import { CandidateShapes } from './candidates.ts';
import { LastReading } from './last-reading.ts';
import { OtherConsumers } from './other-consumers.ts';
import type { PriorityReserve } from './priority-reserve.ts';
import { ShapeProbing } from './probing.ts';

/** A reset in whole seconds may have been cut to them by the service. */
const ROUNDING_MS = 1_000;

/** How soon a request held back by a reserve is re-evaluated, as a fraction of the window. */
const RECHECK = 0.02;

/** Refusals that are at most this many windows apart count as having one cause. */
const REFUSALS_WITHIN = 10;

/** State that all windows of a pacer share. */
export interface NamedWindowDependencies {
  readonly clock: ServerClock;
  readonly flights: InFlight;
  readonly priorityReserve: PriorityReserve;
  readonly shareLimit: Pick<ShareLimit, 'isShared' | 'isAlone' | 'isOverdrawn' | 'covers'>;
  /** The shapes that a window may have, the most cautious first. Default: all that are known. */
  readonly shapes?: readonly Shape[] | undefined;
}

/** A window that the service names: its limit is known, its shape is guessed by models. */
export class NamedWindow implements Limit {
  readonly period: Period;
  readonly #periodMs: number;
  readonly #clock: ServerClock;
  readonly #flights: InFlight;
  readonly #priorityReserve: PriorityReserve;
  readonly #shareLimit: NamedWindowDependencies['shareLimit'];
  /** The candidate shapes. */
  readonly candidates: CandidateShapes;
  readonly #lastReading: LastReading;
  #roundTripMs = 0;
  readonly #otherConsumers: OtherConsumers;
  #isRead = false;
  #refusedAt = Number.NEGATIVE_INFINITY;
  readonly #probing: ShapeProbing;

  constructor(period: Period, { clock, flights, priorityReserve, shareLimit, shapes }: NamedWindowDependencies) {
    this.period = period;
    this.#periodMs = periodMsOf(period);
    this.#clock = clock;
    this.#flights = flights;
    this.#priorityReserve = priorityReserve;
    this.#shareLimit = shareLimit;
    this.#otherConsumers = new OtherConsumers(this.#periodMs);
    this.#lastReading = new LastReading(flights);
    this.candidates = new CandidateShapes(modelsOf(period, clock, shapes), this.#periodMs);
    this.#probing = new ShapeProbing(period, { clock, flights, shareLimit, candidates: this.candidates });
  }

  /** Units that the window holds in all. */
  get limit(): number {
    return this.#lastReading.limit;
  }

  /** Units remaining by the service's latest headers. */
  get remaining(): number {
    return this.#lastReading.remaining;
  }

  /** Units that may be sent now, by our own estimate: limit − usage − held. */
  headroom(now: number): number {
    return Math.max(0, this.limit - this.spent(now) - this.#flights.units);
  }

  /** Units that may have been used in the window, not counting requests in flight. */
  spent(now: number): number {
    return this.#binding.reduce((most, model) => Math.max(most, model.spent(now)), 0);
  }

  check(charge: Charge, now: number): Hold | undefined {
    const until = this.#earliest(charge, now);
    if (until <= now) return undefined;
    return holdUntil(until, this.#isFirm(charge, now), () => this.#explain(charge, now));
  }

  /** The earliest instant at which the charge fits; `now` or earlier: at once; Infinity: never. */
  #earliest(charge: Charge, now: number): number {
    if (this.limit <= 0) return this.#isReadingOld(now) ? now : Number.POSITIVE_INFINITY;
    if (this.#shareLimit.covers(this.period)) return now;
    const units = this.#fitting(charge);
    const kept = this.#probing.reserved(this.limit, now);
    const open = this.limit - kept;
    const ours = open - this.#reservedForPriorities(charge, now);
    const left = ours - this.#reservedForOthers(now);
    let at = this.#fitsFrom(units, Math.max(units, left), now);
    if (at > now && left < open) {
      // A reserve shrinks as the window elapses, so asking again before its end is worthwhile.
      const whole = this.#fitsFrom(units, Math.max(units, open), now);
      at = Math.min(at, Math.max(whole, now + this.#periodMs * RECHECK));
      if (whole <= now && left < ours && this.#isOurTurn(units, ours, now)) at = now;
    }
    if (at > now && kept > 0 && this.#fitsFrom(units, this.limit, now) <= now)
      at = Math.min(at, this.#probing.nextProbeAt(now));
    if (at <= now && this.#mayBeFull(units)) return this.#flights.nextAge();
    return Math.max(at, this.#pacedFrom(units, left, now));
  }

  /** Whether the charge would not fit either if nothing were in flight. */
  #isFirm(charge: Charge, now: number): boolean {
    if (this.limit <= 0) return true;
    const units = this.#fitting(charge);
    return this.fitsBelow(this.limit - this.#probing.reserved(this.limit, now), units, 0, now) > now;
  }

  /** The earliest instant at which `units` surely fit below `cap` beside `held`; Infinity: not before an answer comes. */
  fitsBelow(cap: number, units: number, held: number, now: number): number {
    return Math.max(now, ...this.#binding.map((model) => model.earliest(units, held, Math.max(units, cap), now)));
  }

  #explain(charge: Charge, now: number): Reason {
    const headroom = this.headroom(now);
    const why =
      this.limit <= 0
        ? `the ${this.period} has a limit of 0 units, by the service's last word`
        : headroom >= this.#fitting(charge)
          ? `the ${this.period} of ${this.limit} units is spent evenly until its shape is known`
          : `the ${this.period} of ${this.limit} units has ${headroom} left and the request takes ${charge.units}`;
    return { kind: 'window', why, window: this.period, limit: this.limit, headroom };
  }

  /** A request is sent. */
  take(units: number, now: number): void {
    this.#probing.onSent(units, now);
  }

  /** Books units that the service counted, if at all, between `from` and `to`. */
  book(units: number, from: number, to: number): void {
    this.candidates.book(units, from, to);
  }

  /** Processes a reading of this window. */
  read(reading: WindowReading, past: AnsweredRequests): void {
    this.#lastReading.observe(reading);
    this.#probing.onReading(reading, this.#lastReading.sentAt);
    this.#roundTripMs = Math.max(reading.receivedAt - reading.sentAt, this.#roundTripMs * 0.95);
    // The first reading is no evidence, but its request may have been counted on either side of a boundary.
    if (this.#isRead) this.candidates.eliminate(reading, past, this.#shareLimit.isAlone);
    else if (!reading.limited) this.book(Math.min(reading.own, reading.used), reading.sentAt, reading.receivedAt);
    if (reading.limited && reading.used + reading.own > reading.limit && this.#isUnexplained(reading.receivedAt)) {
      this.candidates.reinstate();
      this.#probing.onUnexplainedRefusal(reading.receivedAt);
    }
    if (!reading.limited) this.#otherConsumers.onServed();
    else if (reading.used >= reading.limit && !this.#shareLimit.isShared)
      this.#otherConsumers.onRefused(reading.receivedAt);
    const others = this.candidates.reconcile(reading, past);
    // The first reading includes usage from before this client existed, so it says nothing about other consumers' rate.
    // In a shared quota, siblings' usage must not be mistaken for theirs.
    if (this.#isRead && !this.#shareLimit.isShared)
      this.#otherConsumers.observe(others, this.limit, reading.receivedAt);
    this.#isRead = true;
  }

  /** Processes a reset that the service announced, by its clock, if it can only mean this window. */
  onNamedReset(end: number, sentAt: number): void {
    if (this.#periodMs > SHORT_MS) this.#probing.onNamedEnd(end % ROUNDING_MS === 0 ? end + ROUNDING_MS : end, sentAt);
  }

  /** Whether `ratelimit-limit` and `ratelimit-reset` may describe this window. */
  matches(limit: number, resetAt: number, receivedAt: number): boolean {
    return (
      limit === this.limit && resetAt <= endOf(this.period, this.#clock.most(receivedAt)) + this.#periodMs + ROUNDING_MS
    );
  }

  /** A limit of 0 may have been a mistake: one window after the reading, one request tries again. */
  #isReadingOld(now: number): boolean {
    return now >= this.#lastReading.sentAt + this.#periodMs && this.#flights.requests === 0;
  }

  /** A charge larger than the whole window goes alone into an empty one. */
  #fitting(charge: Charge): number {
    return Math.min(charge.units, this.limit);
  }

  /** The earliest instant at which `units` more fit below `cap` in every candidate shape. */
  #fitsFrom(units: number, cap: number, now: number): number {
    const namedEnd = this.#probing.namedEndFor(units);
    let at = now;
    for (const model of this.#binding) {
      if (now >= namedEnd && model.shape.acceptsNamedReset) continue;
      at = Math.max(at, model.earliest(units, this.#flights.units, cap, now));
    }
    if (at === Number.POSITIVE_INFINITY) at = Math.max(now, this.#flights.nextAge());
    return now < namedEnd && namedEnd < at ? namedEnd : at;
  }

  /**
   * Whether this request may use the reserve for other consumers because we are behind our fair share. Usage by others since the
   * last reading is estimated.
   */
  #isOurTurn(units: number, ours: number, now: number): boolean {
    const spacing = Math.min(this.#periodMs, units * this.#otherConsumers.fairSpacing(this.limit));
    const open = ours - this.#otherConsumers.unobserved(now - this.#lastReading.sentAt);
    return now >= this.#probing.lastSentAt + spacing && this.#fitsFrom(units, open, now) <= now;
  }

  /** Whether an answer must be awaited, because other consumers may have filled a window that does not drain. */
  #mayBeFull(units: number): boolean {
    if (this.#periodMs <= SHORT_MS || this.#flights.units === 0 || this.#shareLimit.isShared) return false;
    const onlyFills = this.candidates.alive.some(({ shape }) => shape.onlyFills);
    return onlyFills && this.#lastReading.leftAtLeast < units;
  }

  /**
   * Whether a refusal can only mean that the window has another shape. In a shared quota a sibling may have sent too much
   * for once: there only a second refusal, in another window soon after, counts.
   */
  #isUnexplained(now: number): boolean {
    if (this.#otherConsumers.areActive || this.#shareLimit.isOverdrawn(now)) return false;
    const sinceMs = now - this.#refusedAt;
    if (!this.#shareLimit.isShared || (sinceMs > this.#periodMs && sinceMs < this.#periodMs * REFUSALS_WITHIN)) {
      this.#refusedAt = now;
      return true;
    }
    if (sinceMs > this.#periodMs) this.#refusedAt = now;
    return false;
  }

  /** The reserve for other consumers, in units. */
  #reservedForOthers(now: number): number {
    return this.#otherConsumers.areActive
      ? this.#otherConsumers.reserve(this.limit, this.#clock.elapsedPart(this.period, now), this.#roundTripMs)
      : 0;
  }

  /** The learned reserve for calls of higher priority, in units. None in a short window, which is soon over. */
  #reservedForPriorities({ priority, urgency = priority }: Charge, now: number): number {
    if (this.#periodMs <= SHORT_MS || !this.#priorityReserve.isNeeded) return 0;
    return this.#priorityReserve.unitsAbove(
      urgency,
      this.limit,
      (1 - this.#clock.elapsedPart(this.period, now)) * this.#periodMs,
      now,
    );
  }

  /** Earliest instant allowed by pacing: evenly spaced while other consumers are active, else as shape probing requires. */
  #pacedFrom(units: number, cap: number, now: number): number {
    if (!this.#otherConsumers.areActive) return this.#probing.heldUntil(units, this.limit, now);
    const left = cap - this.spent(now) - this.#flights.units;
    const spacing = units * this.#otherConsumers.spacing(this.limit, left, this.#clock.elapsedPart(this.period, now));
    return this.#probing.lastSentAt + Math.min(this.#periodMs, spacing);
  }

  /** The models that must admit a charge. Without the service's clock it is the most cautious alone, which needs none. */
  get #binding(): readonly WindowModel[] {
    return this.#clock.known ? this.candidates.binding : this.candidates.mostCautious;
  }
}
