import {
  type Admission,
  type Ask,
  type Charge,
  type Lease,
  type Limit,
  longestHold,
  type Reason,
  type RequestOutcome,
} from './admission.ts';
import type { ClientWide } from './client-wide.ts';
import { driftOf } from './forecast/drift.ts';
import { estimate, type Plan, type PlanEstimate } from './forecast/estimate.ts';
import { type MonthOutlook, MonthUsage } from './forecast/month.ts';
import {
  hasRoom,
  isAnyWindowFull,
  isDateLeft,
  type QuotaSnapshot,
  repeatedWindow,
  resetOf,
} from './headers/snapshot.ts';
import { Bulkhead } from './limits/bulkhead.ts';
import { believableCost, Costs, refusedCost } from './limits/costs.ts';
import { Exemptions } from './limits/exemptions.ts';
import { Pauses } from './limits/pauses.ts';
import { UnknownLimits } from './limits/unknown-limits.ts';
import type { Shape } from './models/model.ts';
import { type ShareLimit, type SiblingFacts, wholeShareLimit } from './share-limit.ts';
import type { ServerClock } from './time/server-clock.ts';
import { AnsweredRequests } from './usage/answered.ts';
import { ARRIVES_WITHIN_MS, type Flight, InFlight } from './usage/in-flight.ts';
import { type PacerView, viewOf } from './view.ts';
import { BulkReserve, type BulkReservePolicy } from './window/bulk-reserve.ts';
import { Windows } from './window/windows.ts';

/** While as many requests are under way as may be, the other limits are not asked for a call with this `maxWaitMs` or more: if they refuse it, it hears so later. In milliseconds. */
const PATIENT_MS = 60_000;

/** Options of a pacer. */
export interface PacerOptions {
  /** What it has in common with the pacers of other keys. */
  readonly clientWide: ClientWide;
  /** A lease not settled within this time is treated as forgotten, in milliseconds. */
  readonly leaseMs: number;
  /** The limit of this process's share. Default: all of every window. */
  readonly shareLimit?: ShareLimit;
  /** The quota that bulk work must leave. */
  readonly bulkReserve?: BulkReservePolicy | undefined;
  /** The shapes that a window may have, the most cautious first. Default: all that are known. */
  readonly shapes?: readonly Shape[];
  /** Returns a number from 0 up to but not including 1, by which clients that were refused together return apart. Default: always 0. */
  readonly random?: () => number;
}

/** The outcome of a request that was answered. */
type Answer = RequestOutcome & { readonly kind: 'answered' };

/**
 * Decides when a request may be sent, so that the service has no reason to refuse it.
 *
 * Sans-IO and deterministic: `now` is a monotonic clock in milliseconds, and the same events and random numbers give the same state.
 * Every limit is asked what holds the charge back; of their holds the one that lasts longest decides.
 */
export class Pacer {
  readonly #clientWide: ClientWide;
  readonly #clock: ServerClock;
  readonly #flights: InFlight;
  readonly #answered = new AnsweredRequests();
  readonly #month = new MonthUsage();
  /** What requests cost. */
  readonly costs: Costs = new Costs();
  readonly #bulkhead: Bulkhead;
  readonly #pauses: Pauses;
  readonly #unknownLimits: UnknownLimits;
  readonly #windows: Windows;
  readonly #shareLimit: ShareLimit;
  readonly #exemptions: Exemptions;
  readonly #random: () => number;
  #lastQuota: QuotaSnapshot | undefined;
  /** All limits but the windows and the share. */
  readonly #limits: readonly Limit[];

  constructor(options: PacerOptions) {
    const { clientWide, leaseMs, shareLimit = wholeShareLimit, bulkReserve, shapes } = options;
    const { clock, concurrency, outages, manualPause } = clientWide;
    this.#clientWide = clientWide;
    this.#clock = clock;
    const flights = new InFlight(concurrency, leaseMs);
    this.#flights = flights;
    this.#shareLimit = shareLimit;
    this.#random = options.random ?? (() => 0);
    const windows = new Windows({ clock, flights, answered: this.#answered, costs: this.costs, shareLimit, shapes });
    this.#windows = windows;
    const pauses = new Pauses(outages, manualPause);
    this.#pauses = pauses;
    this.#unknownLimits = new UnknownLimits(flights, shareLimit, () => windows.areKnown);
    this.#exemptions = new Exemptions({ flights, pauses, windows, shareLimit });
    const reserve = bulkReserve ? [new BulkReserve(bulkReserve, windows.named, flights, clock)] : [];
    this.#bulkhead = new Bulkhead(flights, concurrency, outages);
    this.#limits = [flights, this.#bulkhead, this.#unknownLimits, pauses, this.costs, ...reserve];
  }

  /**
   * May this request go now? Only a grant reserves units; any other answer may still roll a window or fetch more of a share.
   *
   * @param waitedMs - for how long the call has waited.
   */
  admit(ask: Ask, now: number, waitedMs?: number): Admission {
    this.#age(now);
    const full = this.#flights.holdAt(now);
    if (full && ask.maxWaitMs >= PATIENT_MS && !ask.isInspection) return { kind: 'wait', hold: full };
    const charge = this.costs.charge(ask, this.#windows.named, waitedMs);
    const ofWindows = longestHold(this.#windows.limits, charge, now);
    const own = longestHold(this.#limits, charge, now, this.#pauses.ordered.overrulesWindows ? undefined : ofWindows);
    // The share is asked last, because it may fetch more, and should do so only for charges that fit all else.
    const hold = own ?? this.#shareLimit.check(charge, now);
    if (!hold) return { kind: 'granted', lease: this.#grant(charge, now, ofWindows !== undefined) };
    const left = this.#exemptions.holdLeft(ask, charge, { hold, own }, now);
    if (!left) return { kind: 'granted', lease: this.#grantExempt(ask, charge, now) };
    return { kind: 'wait', hold: left };
  }

  /** A granted request ended. Every lease is settled exactly once. */
  settle(lease: Lease, outcome: RequestOutcome, now: number): void {
    const flight = lease as Flight;
    if (flight.isOver) return;
    this.#age(now);
    this.#flights.end(flight);
    this.costs.onEnded(flight);
    if (outcome.failed) this.#pauses.outages.onFailure(flight, now, outcome.code);
    if (outcome.kind === 'answered') {
      if (!outcome.failed) this.#pauses.outages.onAnswer(flight);
      this.#onAnswer(flight, outcome, now);
    } else {
      const isLost = outcome.kind === 'lost';
      if (isLost && !flight.isBooked) this.#book(flight, now);
      this.#shareLimit.onEnded(lease, isLost ? flight.units : 0, false, now);
    }
  }

  /** Adopts what sibling processes with the same quota have learned. */
  learn({ shapes = [], costs = [], pausedUntil, lead, trial }: SiblingFacts, now: number): void {
    if (lead) this.#clock.narrow(lead.least, lead.most, now);
    if (pausedUntil !== undefined)
      this.#pauses.ordered.hold(pausedUntil, 'the service asked another process for a pause');
    if (trial) this.#exemptions.learn(trial);
    for (const [endpoint, units] of costs) this.costs.expectOf(endpoint, units);
    for (const found of shapes) this.#windows.named.adopt(found.period, found);
  }

  /** Difference between an answer and our own estimate, by window, in units. Call it before the answer settles its lease. */
  drift({ sentAt }: Lease, quota: QuotaSnapshot, now: number): Readonly<Record<string, number>> {
    this.#age(now);
    const [held, settledSince] = [this.#flights.units, this.#answered.settledSince(sentAt)];
    const books = Array.from(this.#windows.named, (window) => {
      return { period: window.period, spent: window.capacity.spent(now), held, settledSince };
    });
    return driftOf(quota, books);
  }

  /** Outlook of the month; undefined if no answer has named one. `wall` is used where the service sends no `date`. */
  month(now: number, wall: number): MonthOutlook | undefined {
    return this.#month.outlook(this.#clock.known ? this.#clock.least(now) : wall);
  }

  /** The pacer's state as plain data. */
  view(now: number): PacerView {
    this.#age(now);
    const pause = this.#pauses.current;
    return viewOf({ windows: this.#windows, flights: this.#flights, pause, clientWide: this.#clientWide }, now);
  }

  /** What the headers of the last answer said. */
  get lastQuota(): QuotaSnapshot | undefined {
    return this.#lastQuota;
  }

  /** When one request goes although the quota is used up, unless an answer comes before, in monotonic milliseconds. */
  get triesAt(): number {
    return this.#exemptions.triesAt;
  }

  /** Why a request of a cost that its caller states is never sent, if it exceeds a whole window. */
  excess(cost: number, now: number): Reason | undefined {
    for (const window of this.#windows.named) {
      const reason = window.excess(cost, now);
      if (reason) return reason;
    }
    return undefined;
  }

  /** The end of the pause that lasts longest and has one, in force or not; of all, or of an endpoint. */
  get pausedUntil(): number {
    return this.#pauses.until;
  }

  /** See {@link Pauses.mostSent}. */
  mostSent(now: number): number {
    return this.#pauses.mostSent(now);
  }

  /** The end of the pause that holds back the calls of an endpoint for longest, in force or not. */
  pausedUntilFor(endpoint: string): number {
    return Math.max(this.#pauses.current.until, this.#pauses.ofEndpoint(endpoint).until);
  }

  /** See {@link Windows.revision}. */
  get revision(): number {
    return this.#windows.revision;
  }

  /** Whether a named window may have more than one shape. */
  get isShapeOpen(): boolean {
    for (const { candidates } of this.#windows.named) if (candidates.isOpen) return true;
    return false;
  }

  /**
   * When the last of these plans will be answered, one after the other; undefined while no limit is known. Reserves nothing.
   *
   * @param isBest - see {@link EstimateInputs.isBest}.
   */
  estimate(plans: readonly Plan[], now: number, isBest: boolean = false): PlanEstimate | undefined {
    this.#age(now);
    const { named: windows, byReset: resetWindows } = this.#windows;
    const { costs } = this;
    const pauses = this.#pauses;
    const shareLimit = this.#shareLimit;
    const pause = pauses.longest;
    const bulkhead = this.#bulkhead;
    const known = { ...this.#clientWide, bulkhead, windows, resetWindows, costs, pauses, pause, shareLimit, isBest };
    return estimate(plans, known, now);
  }

  #grant(charge: Charge, now: number, isFull = false): Flight {
    const flight = this.#flights.take(charge, now);
    this.costs.onSent(flight);
    this.#pauses.onSent(flight, isFull, now);
    this.#unknownLimits.onSent(flight, now);
    this.#shareLimit.onSent(flight, now);
    this.#windows.onSent(flight, charge.priority, now);
    return flight;
  }

  /** Grants what limits forbid: its refusal is no evidence. */
  #grantExempt(ask: Ask, charge: Charge, now: number): Flight {
    const flight = this.#grant(charge, now);
    flight.isExempt = true;
    this.#exemptions.onSent(ask, flight, now);
    return flight;
  }

  #age(now: number): void {
    this.#flights.age(now, this.#bookAged);
  }

  readonly #bookAged = (flight: Flight): void => {
    this.#book(flight, flight.sentAt + ARRIVES_WITHIN_MS);
  };

  /** Books requests that may have been counted although no answer says so. */
  #book(flight: Flight, until: number): void {
    this.#windows.book(flight, until);
    this.#answered.add(flight.sentAt, until, flight.units, 0);
  }

  #onAnswer(flight: Flight, answer: Answer, now: number): void {
    const { quota, limited, failed } = answer;
    const isCached = quota.ageMs !== undefined;
    const isServed = !limited && !failed && !isCached;
    this.#lastQuota = quota;
    this.#exemptions.onAnswer(flight, now);
    this.#month.observe(quota);
    this.#observeTime(quota, flight.sentAt, now);
    const units = isCached ? 0 : this.#learnCost(flight, answer, now);
    if (!limited) this.#clientWide.throughput.onServed(units, now - flight.sentAt);
    this.#readWindows(flight, answer, units, now);
    this.#shareLimit.onEnded(flight, limited && this.#windows.named.areTold(quota) ? 0 : units, !limited, now);
    if (isServed) this.#onServed(flight);
    if (flight.isExempt) this.#exemptions.onExempt(flight, isServed && !isAnyWindowFull(quota), now);
    else if (limited) this.#onRefused(flight, quota, now);
    else if (!isCached) this.#onCounted(flight, quota, units, now);
  }

  /** The service's clock is learned from the `date` of an answer, and from the end of a window, which is a date of the clock that it counts by. */
  #observeTime(quota: QuotaSnapshot, sentAt: number, now: number): void {
    if (quota.date !== undefined) this.#clock.observe(quota.date, sentAt, now);
    const end = resetOf(quota);
    if (end === undefined) return;
    const period = repeatedWindow(quota);
    // Without a `date`, whole seconds from the answer are the seconds left, and no date; and the end of a minute says too little of a second.
    const isShortest = quota.stacks.second ? period === 'second' : this.#windows.named.shortestLimit === 0;
    const isBelieved = quota.date !== undefined || (isShortest && isDateLeft(end - quota.receivedAt));
    if (period && isBelieved) this.#clock.observeEnd(period, end, sentAt, now);
  }

  /** Learns what requests cost from an answer. @returns the units that the service counted for its request, if it was served. */
  #learnCost({ endpoint, query, units }: Flight, { quota, limited, failed }: Answer, now: number): number {
    if (limited) {
      const refused = refusedCost(quota, this.#windows.hadRoom(now));
      if (refused === undefined) return units;
      this.costs.learnRefused(endpoint, refused, query);
      this.#windows.onExcess(refused, now);
      return units;
    }
    const cost = believableCost(quota);
    if (cost === undefined) {
      if (!failed) this.costs.onUnstated(endpoint);
      return units;
    }
    this.costs.learn(endpoint, cost, query);
    this.#shareLimit.tellCost(endpoint, this.costs.highestOf(endpoint));
    return cost;
  }

  /** Reads what an answer says of the windows, and books its request, unless that was booked when it must have arrived. */
  #readWindows(flight: Flight, { quota, limited }: Answer, own: number, now: number): void {
    const { sentAt, isBooked, isExempt } = flight;
    const settledSince = this.#answered.settledSince(sentAt);
    this.#windows.onAnswer(flight, quota, { sentAt, receivedAt: now, own, settledSince, limited, isExempt });
    if (isBooked) return;
    // An answer without quota headers may come from an edge that counts nothing.
    const isSure = !limited && (quota.remaining !== undefined || Object.keys(quota.stacks).length > 0);
    this.#answered.add(sentAt, now, own, isSure ? own : 0);
  }

  /** A request was served, and not by a cache. */
  #onServed(flight: Flight): void {
    this.#pauses.onServed(flight);
    this.#exemptions.onServed();
  }

  #onRefused(flight: Flight, quota: QuotaSnapshot, now: number): void {
    const { ordered, endpoints } = this.#pauses;
    const { longestMs, returnsWithinMs } = this.#windows.named;
    const refusal = { quota, sentAt: flight.sentAt, longestMs };
    const { endpoint } = flight;
    const isExplained = hasRoom(quota) === false || quota.remaining === 0 || endpoints.isBarred(endpoint);
    const isAlone = endpoints.onRefused(flight, refusal, this.#clock, now);
    if (!isAlone) {
      ordered.onRefused(refusal, this.#clock, now);
      ordered.delayFirst(this.#random() * returnsWithinMs);
      if (!isExplained) endpoints.letOthersProbe(endpoint, ordered.until);
      // Siblings do not pause for a back-off of this process, nor because an endpoint refuses that never served: they may call another one.
      const isOrdered = quota.retryAfterMs !== undefined && endpoints.hasServed(endpoint);
      if (isExplained || isOrdered) this.#tellPause(now);
    }
    const pausedUntil = this.pausedUntilFor(endpoint);
    this.#unknownLimits.onRefused(flight, { pausedUntil, isExplained, isAlone }, now);
  }

  /** The service counted a request that no limit forbade. */
  #onCounted(flight: Flight, { retryAfterMs }: QuotaSnapshot, units: number, now: number): void {
    this.#unknownLimits.onServed(flight, units, now);
    if (retryAfterMs === undefined) return;
    this.#pauses.ordered.onPauseAsked(retryAfterMs, now);
    this.#tellPause(now);
  }

  #tellPause(now: number): void {
    const { until } = this.#pauses.ordered;
    if (until > now) this.#shareLimit.tellPause(until);
  }
}
