import { type Charge, type Hold, holdUntil, type Limit, type Reason, unitsOf } from '../admission.ts';
import type { Costs } from '../limits/costs.ts';
import { modelsOf } from '../models/all.ts';
import type { Shape, WindowReading } from '../models/model.ts';
import type { ShareLimit } from '../share-limit.ts';
import { endOf, monthEndBy, type Period, periodMsOf, SHORT_MS } from '../time/periods.ts';
import type { ServerClock } from '../time/server-clock.ts';
import { ROUNDING_MS } from '../time/window-end.ts';
import type { AnsweredRequests } from '../usage/answered.ts';
import type { InFlight } from '../usage/in-flight.ts';
import { BacklogPacing } from './backlog-pacing.ts';
import { LargerCharges } from './larger-charges.ts';
import { LastReading } from './last-reading.ts';
import { OtherConsumers } from './others/other-consumers.ts';
import { OtherUsage } from './others/other-usage.ts';
import { RoomForOthers } from './others/room-for-others.ts';
import { SpacingBesideOthers } from './others/spacing.ts';
import { type LongerWindow, TotalRate } from './others/total-rate.ts';
import type { Pacing } from './pacing.ts';
import { PassedCharge } from './passed-charge.ts';
import { Refusals } from './refusals.ts';
import { type PriorityReserve, RoomForPriorities } from './reserve/priority-reserve.ts';
import { Reserves } from './reserve/reserve.ts';
import { SentInWindow } from './sent-in-window.ts';
import { CandidateShapes } from './shape/candidates.ts';
import { Capacity } from './shape/capacity.ts';
import { NamedEnd } from './shape/named-end.ts';
import { ShapeProbing } from './shape/probing.ts';

/**
 * A charge that fits within this part of the window is not passed. Units of requests that were under way together are free again one after the
 * other, in the order of their answers, and that order must not decide whether charges of fewer or of more units take them.
 */
const NEAR_PART = 0.02;

/** State that all windows of a pacer share. */
export interface NamedWindowDependencies {
  readonly clock: ServerClock;
  readonly flights: InFlight;
  readonly answered: AnsweredRequests;
  readonly costs: Pick<Costs, 'cheapest' | 'isProbing'>;
  readonly priorityReserve: PriorityReserve;
  readonly shareLimit: Pick<ShareLimit, 'isShared' | 'isAlone' | 'isOverdrawn' | 'covers'>;
  /** The shapes that a window may have, the most cautious first. Default: all that are known. */
  readonly shapes?: readonly Shape[] | undefined;
}

/** A window that the service names: its limit is known, its shape is guessed by models. */
export class NamedWindow implements Limit {
  readonly period: Period;
  readonly #periodMs: number;
  readonly #known: NamedWindowDependencies;
  /** The candidate shapes, and what the window holds by them. */
  readonly candidates: CandidateShapes;
  readonly capacity: Capacity;
  /** What the window tells of the rate of all, where it is the shortest of the long ones. */
  readonly totalRate: TotalRate = new TotalRate();
  readonly #lastReading: LastReading;
  readonly #otherConsumers: OtherConsumers;
  readonly #sent: SentInWindow;
  /** What readings are told to. */
  readonly #namedEnd: NamedEnd;
  readonly #refusals: Refusals;
  readonly #otherUsage: OtherUsage;
  /** What holds a charge back although the window has room. */
  readonly #probing: ShapeProbing;
  readonly #backlogPacing: BacklogPacing;
  readonly #roomForPriorities: RoomForPriorities;
  readonly #roomForOthers: RoomForOthers;
  readonly #spacing: SpacingBesideOthers;
  readonly #reserves: Reserves;
  readonly #passed = new PassedCharge();
  readonly #larger = new LargerCharges();
  #isRead = false;
  #keptUntil = -Infinity;

  constructor(period: Period, known: NamedWindowDependencies) {
    const { clock, flights, answered, priorityReserve, shareLimit, shapes } = known;
    const periodMs = periodMsOf(period);
    const candidates = new CandidateShapes(modelsOf(period, clock, shapes, shareLimit.isShared), periodMs);
    const lastReading = new LastReading(flights, answered, periodMs);
    const otherConsumers = new OtherConsumers(periodMs);
    const sent = new SentInWindow(period, clock);
    const parts = { ...known, candidates, lastReading, otherConsumers, sent };
    const probing = new ShapeProbing(period, parts);
    const fits = (units: number, cap: number, now: number): boolean => this.#fitsFrom(units, cap, now) <= now;
    this.period = period;
    this.#periodMs = periodMs;
    this.#known = known;
    this.candidates = candidates;
    this.capacity = new Capacity(period, clock, candidates);
    this.#lastReading = lastReading;
    this.#otherConsumers = otherConsumers;
    this.#sent = sent;
    this.#namedEnd = new NamedEnd(period, clock, known.answered);
    this.#refusals = new Refusals(period, { ...parts, probing });
    this.#otherUsage = new OtherUsage(period, parts);
    this.#probing = probing;
    this.#backlogPacing = new BacklogPacing(period, parts);
    this.#roomForPriorities = new RoomForPriorities(period, this.capacity, priorityReserve);
    this.#roomForOthers = new RoomForOthers(period, { ...parts, fits });
    this.#spacing = new SpacingBesideOthers(period, parts);
    this.#reserves = new Reserves(probing, this.#roomForPriorities, this.#roomForOthers);
  }

  /** Units that the window holds in all. */
  get limit(): number {
    return this.#lastReading.limit;
  }

  /** Units remaining by the service's latest headers. */
  get remaining(): number {
    return this.#lastReading.remaining;
  }

  /** When the request was sent whose answer gave `remaining`. */
  get seenAt(): number {
    return this.#lastReading.sentAt;
  }

  /** The shapes that decide when a charge fits. */
  get shapes(): readonly Shape[] {
    return this.capacity.binding.map(({ shape }) => shape);
  }

  /** Units that may be sent now, by our own estimate: limit − usage − held. For `shapes` see {@link Capacity.spent}. */
  headroom(now: number, shapes?: readonly Shape[]): number {
    return Math.max(0, this.limit - this.capacity.spent(now, shapes) - this.#known.flights.units);
  }

  /** Until when what is left is kept for other consumers, by the last charge that was held for them: a forecast sends nothing before. */
  get keptUntil(): number {
    return this.#keptUntil;
  }

  /** When it last showed other consumers. */
  get othersAt(): number {
    return this.#otherConsumers.seenAt;
  }

  /** See {@link SpacingBesideOthers.returnsWithinMs}. */
  get returnsWithinMs(): number {
    return this.#spacing.returnsWithinMs;
  }

  check(charge: Charge, now: number): Hold | undefined {
    const until = this.#earliest(charge, now);
    if (until <= now) return undefined;
    this.#otherConsumers.onHeld(now);
    const isFull = this.#isFull(charge, until, now);
    const isKept = !isFull && this.#isKeptForOthers;
    if (isKept) this.#keptUntil = until;
    const isFirm = isFull || isKept;
    let passableUnits: number | undefined;
    if (isFirm && this.#isPassed(charge, until, now)) {
      passableUnits = charge.units;
      this.#passed.onHeld(unitsOf(charge, this.limit), charge.priority, until, now);
    }
    return holdUntil(until, () => this.#explain(charge, now), { isFirm, passableUnits });
  }

  /** Whether charges of fewer units pass one that is held until then, because the window has room for them. */
  #isPassed({ units }: Charge, until: number, now: number): boolean {
    const { cheapest } = this.#known.costs;
    const isNear = until - now <= NEAR_PART * this.#periodMs;
    return !isNear && units > cheapest && this.headroom(now) >= cheapest;
  }

  /** The earliest instant at which the charge fits; `now` or earlier: at once; Infinity: never. */
  #earliest(charge: Charge, now: number): number {
    const { limit } = this;
    if (limit <= 0) return this.#isReadingOld(now) ? now : Infinity;
    if (this.#larger.isTooLarge(charge, limit, now)) return Infinity;
    if (this.#known.shareLimit.covers(this.period)) return now;
    const units = unitsOf(charge, limit);
    const trial = this.#trialFor(units);
    const cap = now < trial ? this.#reserves.cap(charge, limit, now) : limit;
    let at = this.#fitsFrom(units, Math.max(units, cap), now, trial);
    at = Math.max(at, this.#notBeforePassed(charge, cap, now));
    if (at > now && cap < limit) {
      const fitsFrom = (below: number): number => this.#fitsFrom(units, Math.max(units, below), now);
      at = Math.min(at, this.#reserves.releasesAt(charge, limit, fitsFrom, now));
    }
    if (at <= now && this.#mayBeFull(units, now)) return this.#known.flights.nextAge();
    const likely = Math.min(charge.likely ?? units, units);
    const pacings: readonly Pacing[] = this.#otherConsumers.areActive ? [this.#spacing] : this.#probing.pacings;
    for (const pacing of pacings) at = Math.max(at, pacing.earliest(likely, limit, now));
    return Math.max(at, this.#backlogPacing.earliest(charge, limit, now));
  }

  /** The earliest instant at which a charge does not delay a larger one that is passed. */
  #notBeforePassed(charge: Charge, cap: number, now: number): number {
    return this.#passed.earliest(charge, (both) => this.#fitsFrom(both, cap, now), now);
  }

  /** Whether the charge would not fit either if nothing were in flight: only time, too, ends what is kept for higher priorities. */
  #isFull(charge: Charge, until: number, now: number): boolean {
    const { limit } = this;
    const units = unitsOf(charge, limit);
    const kept = this.#probing.units(charge, limit, now) + this.#roomForPriorities.units(charge, limit, now);
    return until === Infinity || this.capacity.earliest(units, 0, Math.max(units, limit - kept), now) > now;
  }

  /** Whether only time ends what a long window keeps for other consumers, because no answer is to come that may. */
  get #isKeptForOthers(): boolean {
    return this.#otherConsumers.areActive && this.#periodMs > SHORT_MS && this.#known.flights.open === 0;
  }

  #explain(charge: Charge, now: number): Reason {
    const headroom = this.headroom(now);
    const why = this.#whyHeld(charge, headroom, now);
    return { kind: 'window', why, window: this.period, limit: this.limit, headroom: Math.floor(headroom) };
  }

  #whyHeld(charge: Charge, headroom: number, now: number): string {
    const { units } = charge;
    if (this.#larger.isTooLarge(charge, this.limit, now))
      return `the request takes ${units} units, and the ${this.period} never holds more than ${this.limit}`;
    if (this.limit <= 0) return `the ${this.period} has a limit of 0 units, by the service's latest headers`;
    const cap = this.#reserves.cap(charge, this.limit, now);
    if (this.#notBeforePassed(charge, cap, now) > now)
      return `the ${this.period} has ${Math.floor(headroom)} of ${this.limit} units left, which a larger request waits for`;
    const reserved = this.limit - cap;
    if (headroom >= units + reserved && this.#mayBeFull(units, now))
      return `others may have used what is left of the ${this.period}: the next answer shows it`;
    if (headroom >= unitsOf(charge, this.limit) + reserved)
      return `requests are spaced in the ${this.period} (${this.limit} units)${this.#whySpaced}`;
    const left = `the ${this.period} has ${Math.floor(headroom)} of ${this.limit} units left`;
    return `${left} and the request takes ${units}${reservedText(reserved)}`;
  }

  get #whySpaced(): string {
    if (this.#otherConsumers.areActive) return ' as others use it, too';
    return this.candidates.isOpen ? ' until its shape is known' : '';
  }

  /** A request is sent. */
  onSent(units: number, now: number): void {
    this.#probing.onSent(units, now);
    this.#sent.onSent(units, now);
  }

  /** A request that was sent at `sentAt` was answered, and cost so many units less than were held for it. */
  onCheaper(units: number, sentAt: number): void {
    this.#sent.onCheaper(units, sentAt);
  }

  /** Books units that the service counted, if at all, between `from` and `to`. */
  book(units: number, from: number, to: number): void {
    this.candidates.book(units, from, to);
  }

  /** A request was answered by a cache. */
  onCached(units: number): void {
    this.#otherUsage.onCached(units);
  }

  /**
   * Processes a reading of this window.
   *
   * @param longer - what the same answer says of the shortest of the long windows; undefined: it names none.
   */
  read(reading: WindowReading, longer?: LongerWindow): void {
    this.#lastReading.observe(reading);
    this.#larger.onReading(reading);
    this.#namedEnd.onReading(reading);
    this.#probing.onReading(reading, this.#lastReading.sentAt);
    this.#roomForOthers.onReading(reading);
    // The first reading is no evidence, but its request may have been counted on either side of a boundary.
    const { answered, shareLimit } = this.#known;
    if (this.#isRead) this.candidates.eliminate(reading, answered, this.isAlone, !shareLimit.isAlone);
    else if (!reading.limited) this.book(Math.min(reading.own, reading.used), reading.sentAt, reading.receivedAt);
    this.#refusals.onReading(reading);
    const unexplained = this.candidates.reconcile(reading, this.#known.answered);
    this.#otherUsage.onReading(this.#isRead ? unexplained : undefined, reading, longer);
    this.#isRead = true;
  }

  /** Processes a reset that the service announced, by its clock, if it can only mean this window. */
  onNamedReset(stated: number, sentAt: number): void {
    const end = this.period === 'month' ? monthEndBy(stated) : stated;
    if (this.#periodMs <= SHORT_MS) return;
    const { candidates } = this;
    if (candidates.isOpen) {
      const { isShared } = this.#known.shareLimit;
      candidates.dismiss(this.#namedEnd.allows(end, { isShared, mayFill: candidates.may.onlyFills }));
    }
    // A whole second may be cut.
    this.#probing.onNamedEnd(end % ROUNDING_MS === 0 ? end + ROUNDING_MS : end, sentAt);
  }

  /** Whether `ratelimit-limit` and `ratelimit-reset` may describe this window. */
  matches(limit: number, resetAt: number = -Infinity, receivedAt: number): boolean {
    return (
      limit === this.limit &&
      resetAt <= endOf(this.period, this.#known.clock.most(receivedAt)) + this.#periodMs + ROUNDING_MS
    );
  }

  /** A limit of 0 may have been a mistake: one window after the reading, one request tries again. */
  #isReadingOld(now: number): boolean {
    return now >= this.#lastReading.sentAt + this.#periodMs && this.#known.flights.requests === 0;
  }

  /** Why a request of a cost that its caller states is never sent, if it exceeds the whole window. */
  excess(units: number, now: number): Reason | undefined {
    const charge = { endpoint: '', units, isStated: true, priority: 0 };
    return this.#larger.isTooLarge(charge, this.limit, now) ? this.#explain(charge, now) : undefined;
  }

  /** A request was refused because its cost exceeds a whole window. */
  onExcess(units: number, now: number): void {
    this.#larger.onRefused(units, this.limit, now);
  }

  /** The earliest instant at which `units` more fit below `cap` beside all that is in flight. */
  #fitsFrom(units: number, cap: number, now: number, trial = this.#trialFor(units)): number {
    let at = this.capacity.earliest(units, this.#known.flights.units, cap, now, now >= trial);
    if (at === Infinity) at = Math.max(now, this.#known.flights.nextAge());
    return now < trial && trial < at ? trial : at;
  }

  /** Whether readings count what we spent alone, as far as can be seen. */
  get isAlone(): boolean {
    return this.#known.shareLimit.isAlone && !this.#otherConsumers.areActive;
  }

  /** When one request may try whether the window has ended. */
  #trialFor(units: number): number {
    return this.#probing.trialFor(units, this.#otherConsumers.areActive);
  }

  /** Whether an answer must be awaited, because other consumers may have used what is left. */
  #mayBeFull(units: number, now: number): boolean {
    if (this.#periodMs <= SHORT_MS || this.#known.flights.units === 0 || this.#known.shareLimit.isShared) return false;
    if (!this.#otherConsumers.areActive && !this.candidates.may.onlyFills) return false;
    const needed = units + this.#roomForOthers.mayHaveTaken(now);
    // What has left a log need not have drained from a bucket.
    const ratePerMs = this.candidates.may.drains ? this.limit / this.#periodMs : Infinity;
    return this.#lastReading.left(now, needed, ratePerMs) < needed || this.headroom(now) < needed;
  }
}

function reservedText(reserved: number): string {
  const units = Math.ceil(reserved);
  return units > 0 ? `; ${units} ${units === 1 ? 'is' : 'are'} reserved` : '';
}
