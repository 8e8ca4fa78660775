import type { Charge, Limit, Reason } from '../admission.ts';
import { modelsOf } from '../models/all.ts';
import type { WindowModel, WindowReading } from '../models/model.ts';
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

/** Who is held back for others asks again after this part of the window. */
const RECHECK = 0.02;

/** Models that an end which the service named overrules once: they know no calendar. */
const OVERRULED: ReadonlySet<WindowModel['name']> = new Set(['sliding-log', 'first-request']);

/** What a window shares with its siblings. */
export interface NamedWindowDependencies {
  readonly clock: ServerClock;
  readonly flights: InFlight;
  readonly priorityReserve: PriorityReserve;
  readonly shareLimit: Pick<ShareLimit, 'isShared' | 'isAlone'>;
}

/** A window that the service names: its limit is known, its shape is guessed by models. */
export class NamedWindow implements Limit {
  readonly period: Period;
  readonly #periodMs: number;
  readonly #clock: ServerClock;
  readonly #flights: InFlight;
  readonly #priorityReserve: PriorityReserve;
  readonly #shareLimit: NamedWindowDependencies['shareLimit'];
  /** The shapes that it may have. */
  readonly candidates: CandidateShapes;
  readonly #lastReading: LastReading;
  #roundTripMs = 0;
  readonly #otherConsumers: OtherConsumers;
  #isRead = false;
  readonly #probing: ShapeProbing;

  constructor(period: Period, { clock, flights, priorityReserve, shareLimit }: NamedWindowDependencies) {
    this.period = period;
    this.#periodMs = periodMsOf(period);
    this.#clock = clock;
    this.#flights = flights;
    this.#priorityReserve = priorityReserve;
    this.#shareLimit = shareLimit;
    this.#otherConsumers = new OtherConsumers(this.#periodMs);
    this.#lastReading = new LastReading(flights);
    this.candidates = new CandidateShapes(modelsOf(period, clock));
    this.#probing = new ShapeProbing(period, { clock, flights, shareLimit, candidates: this.candidates });
  }

  /** Units that the window holds in all. */
  get limit(): number {
    return this.#lastReading.limit;
  }

  /** The service's last word on what is left, in units. */
  get remaining(): number {
    return this.#lastReading.remaining;
  }

  /** Units that this process may still send, by our own reckoning. */
  headroom(now: number): number {
    return Math.max(0, this.limit - this.spent(now) - this.#flights.units);
  }

  /** Units that may have been spent in the window, what is in flight aside. */
  spent(now: number): number {
    return this.#binding.reduce((most, model) => Math.max(most, model.spent(now)), 0);
  }

  earliest(charge: Charge, now: number): number {
    if (this.limit <= 0) return this.#isReadingOld(now) ? now : Number.POSITIVE_INFINITY;
    const units = this.#fitting(charge);
    const kept = this.#probing.reserved(this.limit, now);
    const open = this.limit - kept;
    const ours = open - this.#reservedForPriorities(charge, now);
    const left = ours - this.#reservedForOthers(now);
    let at = this.#fitsFrom(units, Math.max(units, left), now);
    if (at > now && left < open) {
      // What is left aside shrinks as the window goes by, so it is worth asking again before its end.
      const whole = this.#fitsFrom(units, Math.max(units, open), now);
      at = Math.min(at, Math.max(whole, now + this.#periodMs * RECHECK));
      if (whole <= now && left < ours && this.#isOurTurn(units, ours, now)) at = now;
    }
    if (at > now && kept > 0 && this.#fitsFrom(units, this.limit, now) <= now)
      at = Math.min(at, this.#probing.nextProbeAt(now));
    if (at <= now && this.#mayBeFull(units)) return this.#flights.nextAge();
    return Math.max(at, this.#pacedFrom(units, left, now));
  }

  isFirm(charge: Charge, now: number): boolean {
    if (this.limit <= 0) return true;
    const units = this.#fitting(charge);
    return this.fitsBelow(this.limit - this.#probing.reserved(this.limit, now), units, 0, now) > now;
  }

  /** The earliest instant at which `units` surely fit below `cap` beside `held`; Infinity: not before something comes back. */
  fitsBelow(cap: number, units: number, held: number, now: number): number {
    return Math.max(now, ...this.#binding.map((model) => model.earliest(units, held, Math.max(units, cap), now)));
  }

  explain(charge: Charge, now: number): Reason {
    const headroom = this.headroom(now);
    const why =
      this.limit <= 0
        ? `the ${this.period} has a limit of 0 units, by the service's last word`
        : headroom >= this.#fitting(charge)
          ? `the ${this.period} of ${this.limit} units is spent evenly until its shape is known`
          : `the ${this.period} of ${this.limit} units has ${headroom} left and the request takes ${charge.units}`;
    return { kind: 'window', why, window: this.period, limit: this.limit, headroom };
  }

  /** A request goes. */
  take(units: number, now: number): void {
    this.#probing.onSent(units, now);
  }

  /** Books units that the service counted, if at all, between `from` and `to`. */
  book(units: number, from: number, to: number): void {
    this.candidates.book(units, from, to);
  }

  /** Takes in what an answer said of this window. */
  read(reading: WindowReading, past: AnsweredRequests): void {
    this.#lastReading.observe(reading);
    this.#probing.onReading(reading, this.#lastReading.sentAt);
    this.#roundTripMs = Math.max(reading.receivedAt - reading.sentAt, this.#roundTripMs * 0.95);
    // The first reading is no evidence, but its request may have been counted on either side of a boundary.
    if (this.#isRead) this.candidates.eliminate(reading, past, this.#shareLimit.isAlone);
    else if (!reading.limited) this.book(Math.min(reading.own, reading.used), reading.sentAt, reading.receivedAt);
    if (reading.limited && reading.used + reading.own > reading.limit && !this.#otherConsumers.areActive) {
      this.candidates.reinstate();
      this.#probing.onUnexplainedRefusal(reading.receivedAt);
    }
    if (!reading.limited) this.#otherConsumers.onServed();
    else if (reading.used >= reading.limit && !this.#shareLimit.isShared)
      this.#otherConsumers.onRefused(reading.receivedAt);
    const others = this.candidates.reconcile(reading, past);
    // What a window held when it was first seen is history, and no rate; nor is what we share it with a stranger's.
    if (this.#isRead && !this.#shareLimit.isShared)
      this.#otherConsumers.observe(others, this.limit, reading.receivedAt);
    this.#isRead = true;
  }

  /** Strangers have spent so many units. */
  observeOthers(units: number, now: number): void {
    this.#otherConsumers.observe(units, this.limit, now);
  }

  /**
   * Takes in a reset that the service named, by its clock, where it can only mean this window.
   *
   * @returns the end that it is taken for, if it is.
   */
  onNamedReset(end: number, sentAt: number): number | undefined {
    if (this.#periodMs <= SHORT_MS) return undefined;
    return this.#probing.onNamedEnd(end % ROUNDING_MS === 0 ? end + ROUNDING_MS : end, sentAt);
  }

  /** Whether `ratelimit-limit` and `ratelimit-reset` may describe this window. */
  matches(limit: number, resetAt: number, receivedAt: number): boolean {
    return (
      limit === this.limit && resetAt <= endOf(this.period, this.#clock.most(receivedAt)) + this.#periodMs + ROUNDING_MS
    );
  }

  /** A limit of nothing may have been a mistake: when a window has passed since it was said, one request asks again. */
  #isReadingOld(now: number): boolean {
    return now >= this.#lastReading.sentAt + this.#periodMs && this.#flights.requests === 0;
  }

  /** A charge dearer than the whole window goes alone into an empty one. */
  #fitting(charge: Charge): number {
    return Math.min(charge.units, this.limit);
  }

  /** The earliest instant at which every shape that the window may have bears `units` more below `cap`. */
  #fitsFrom(units: number, cap: number, now: number): number {
    const namedEnd = this.#probing.namedEndFor(units);
    let at = now;
    for (const model of this.#binding) {
      if (now >= namedEnd && OVERRULED.has(model.name)) continue;
      at = Math.max(at, model.earliest(units, this.#flights.units, cap, now));
    }
    if (at === Number.POSITIVE_INFINITY) at = Math.max(now, this.#flights.nextAge());
    return now < namedEnd && namedEnd < at ? namedEnd : at;
  }

  /** Whether it is time for one of ours, whatever others are left: `ours` units are, but for what others took unseen. */
  #isOurTurn(units: number, ours: number, now: number): boolean {
    const spacing = Math.min(this.#periodMs, units * this.#otherConsumers.fairSpacing(this.limit));
    const open = ours - this.#otherConsumers.unobserved(now - this.#lastReading.sentAt);
    return now >= this.#probing.lastSentAt + spacing && this.#fitsFrom(units, open, now) <= now;
  }

  /** Whether, in a window that only fills up, an answer must be awaited, because others may have filled it meanwhile. */
  #mayBeFull(units: number): boolean {
    if (this.#periodMs <= SHORT_MS || this.#flights.units === 0 || this.#shareLimit.isShared) return false;
    const onlyFills = this.candidates.alive.some(({ name }) => name === 'aligned' || name === 'first-request');
    return onlyFills && this.#lastReading.leftAtLeast < units;
  }

  /** Units to leave to other consumers of the quota. */
  #reservedForOthers(now: number): number {
    return this.#otherConsumers.areActive
      ? this.#otherConsumers.reserve(this.limit, this.#clock.elapsedPart(this.period, now), this.#roundTripMs)
      : 0;
  }

  /** Units to keep back for calls of higher priority. A short window is over before anybody minds. */
  #reservedForPriorities({ priority, urgency = priority }: Charge, now: number): number {
    if (this.#periodMs <= SHORT_MS || !this.#priorityReserve.isNeeded) return 0;
    return this.#priorityReserve.unitsAbove(
      urgency,
      this.limit,
      (1 - this.#clock.elapsedPart(this.period, now)) * this.#periodMs,
      now,
    );
  }

  /** The instant from which a request keeps its distance: from the last one where others use the quota too, and as doubt has it. */
  #pacedFrom(units: number, cap: number, now: number): number {
    if (!this.#otherConsumers.areActive) return this.#probing.heldUntil(units, this.limit, now);
    const left = cap - this.spent(now) - this.#flights.units;
    const spacing = units * this.#otherConsumers.spacing(this.limit, left, this.#clock.elapsedPart(this.period, now));
    return this.#probing.lastSentAt + Math.min(this.#periodMs, spacing);
  }

  /** The models that must admit a charge. The most cautious needs no clock of the service. */
  get #binding(): readonly WindowModel[] {
    return this.#clock.known ? this.candidates.binding : this.candidates.mostCautious;
  }
}
