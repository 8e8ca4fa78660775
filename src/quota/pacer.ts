import type { Admission, Ask, Charge, Lease, Limit, Outcome } from './admission.ts';
import { Ceilings } from './ceilings.ts';
import { Cooldown } from './cooldown.ts';
import { Costs } from './costs.ts';
import { driftOf } from './drift.ts';
import { estimate, type Plan, type PlanEstimate } from './estimate.ts';
import { FirstLook } from './first-look.ts';
import { ARRIVES_WITHIN_MS, type Flight, InFlight } from './in-flight.ts';
import type { Reading } from './models/model.ts';
import { MonthLog, type MonthOutlook } from './month.ts';
import { type Knowledge, type Part, type Shapes, wholePart } from './part.ts';
import { Past } from './past.ts';
import { Reserve } from './reserve.ts';
import { ServerClock } from './server-clock.ts';
import type { QuotaSnapshot } from './snapshot.ts';
import { Sparing, type SparingPolicy } from './sparing.ts';
import { Tempo } from './tempo.ts';
import { type PacerView, viewOf } from './view.ts';
import { NamedWindow } from './window.ts';
import { PERIODS, type Period } from './windows.ts';

/** What a pacer is told at its start. */
export interface PacerOptions {
  /** How many requests may be under way at once. */
  readonly concurrency: number;
  /** A lease that was not settled by then was forgotten by its owner, in milliseconds. */
  readonly leaseMs: number;
  /** Makes our part of every window, from what is known of the service's clock. Default: all of it. */
  readonly part?: (clock: ServerClock) => Part;
  /** What bulk work leaves to others. */
  readonly sparing?: SparingPolicy | undefined;
}

/**
 * Decides when a request may go, so that the service never has to refuse one.
 *
 * Sans-IO and deterministic: `now` is a monotonic clock in milliseconds, and the same events give the same state.
 * Every limit is asked for the earliest instant at which it can bear the charge; the latest answer decides.
 */
export class Pacer {
  readonly #clock = new ServerClock();
  readonly #flights: InFlight;
  readonly #past = new Past();
  readonly #month = new MonthLog();
  readonly #costs = new Costs();
  readonly #cooldown = new Cooldown();
  readonly #reserve = new Reserve();
  readonly #firstLook: FirstLook;
  readonly #windows = new Map<Period, NamedWindow>();
  readonly #ceilings: Ceilings;
  readonly #tempo = new Tempo();
  readonly #part: Part;
  readonly #sparing: readonly Limit[];
  readonly #concurrency: number;
  /** What others found out of windows that we have not seen yet. */
  readonly #foretold = new Map<Period, Shapes>();
  #limits: readonly Limit[] = [];

  constructor(options: PacerOptions) {
    this.#flights = new InFlight(options.concurrency, options.leaseMs);
    this.#firstLook = new FirstLook(this.#flights);
    this.#ceilings = new Ceilings(this.#clock, this.#flights);
    this.#part = options.part?.(this.#clock) ?? wholePart;
    const { sparing } = options;
    this.#sparing = sparing ? [new Sparing(sparing, this.#windows, this.#flights, this.#clock)] : [];
    this.#concurrency = options.concurrency;
    this.#listLimits();
  }

  /** May this request go now? Asking is free: unless it is granted nothing is promised. */
  admit(ask: Ask, now: number): Admission {
    this.#age(now);
    const charge = {
      endpoint: ask.endpoint,
      units: ask.cost ?? this.#costs.expect(ask.endpoint),
      priority: ask.priority ?? 0,
      urgency: ask.urgency,
    };
    let until = now;
    let binding: Limit | undefined;
    for (const limit of this.#limits) {
      const at = limit.earliest(charge, now);
      if (at <= until) continue;
      until = at;
      binding = limit;
    }
    // Our part is asked last, because it may have to fetch more for what would go otherwise, and only for that.
    if (!binding) {
      until = this.#part.earliest(charge, now);
      if (until > now) binding = this.#part;
    }
    if (!binding) return { kind: 'granted', lease: this.#grant(charge, now) };
    const reason = binding.explain(charge, now);
    const isHopeless = until === Number.POSITIVE_INFINITY;
    if (isHopeless || (until - now > ask.maxWaitMs && binding.isFirm(charge, now)))
      return { kind: 'refused', until, reason };
    // A pause ends by its time alone; a full window may turn out to be emptier than reckoned.
    const onSettle = binding !== this.#cooldown || !binding.isFirm(charge, now);
    return { kind: 'wait', until, onSettle, reason };
  }

  /** A granted request ended. Every lease is settled exactly once. */
  settle(lease: Lease, outcome: Outcome, now: number): void {
    const flight = lease as Flight;
    if (flight.state === 'done') return;
    this.#age(now);
    const isBooked = flight.state === 'booked';
    this.#flights.end(flight);
    this.#costs.settle(flight);
    this.#cooldown.settle(flight, outcome.kind === 'answered' && !outcome.limited);
    if (outcome.kind === 'answered') this.#cooldown.hear();
    else if (outcome.failed) this.#cooldown.fail(now);
    if (outcome.kind === 'lost' && !isBooked) this.#book(flight, flight.units, now);
    if (outcome.kind === 'answered') this.#hear(flight, outcome, isBooked, now);
    else this.#part.settle(lease, outcome.kind === 'lost' ? flight.units : 0, now);
  }

  /** Takes what others who spend the same quota have found out. */
  learn({ shapes = [], costs = [], pausedUntil, lead, foreign = [] }: Knowledge, now: number): void {
    if (lead) this.#clock.narrow(lead.least, lead.most, now);
    if (pausedUntil !== undefined) this.#cooldown.hold(pausedUntil, 'the service asked another process for a pause');
    for (const [endpoint, units] of costs) this.#costs.expectOf(endpoint, units);
    for (const { period, units } of foreign) this.#windows.get(period)?.seeOthers(units, now);
    for (const found of shapes) {
      this.#foretold.set(found.period, found);
      this.#windows.get(found.period)?.adopt(found);
    }
  }

  /** How far an answer is from our own books, by window, in units. To be asked before the answer settles its lease. */
  drift({ sentAt }: Lease, quota: QuotaSnapshot, now: number): Readonly<Record<string, number>> {
    this.#age(now);
    const [held, settledSince] = [this.#flights.units, this.#past.settledSince(sentAt)];
    const books = Array.from(this.#windows.values(), (window) => {
      return { period: window.period, spent: window.spent(now), held, settledSince };
    });
    return driftOf(quota, books);
  }

  /** What is left of the month; undefined if no answer has named one. `wall` stands in for a clock that the service does not show. */
  month(now: number, wall: number): MonthOutlook | undefined {
    return this.#month.outlook(this.#clock.known ? this.#clock.least(now) : wall);
  }

  /** All that the pacer knows and has promised, as plain data. */
  view(now: number): PacerView {
    this.#age(now);
    return viewOf(this.#windows.values(), this.#ceilings, this.#flights, this.#cooldown, this.#clock, now);
  }

  /** Requests under way. */
  get inFlight(): number {
    return this.#flights.open;
  }

  /** What requests have taken so far. */
  get tempo(): Pick<Tempo, 'requests' | 'units'> {
    return this.#tempo;
  }

  /** When the last of these will be back, one after the other; undefined while nothing is known. Promises nothing. */
  estimate(plans: readonly Plan[], now: number): PlanEstimate | undefined {
    this.#age(now);
    const [windows, ceilings] = [this.#windows.values(), this.#ceilings];
    const [clock, cooldown, costs] = [this.#clock, this.#cooldown, this.#costs];
    const [tempo, concurrency] = [this.#tempo, this.#concurrency];
    return estimate(plans, { windows, ceilings, clock, cooldown, costs, tempo, concurrency }, now);
  }

  #grant(charge: Charge, now: number): Flight {
    const flight = this.#flights.take(charge, now);
    this.#costs.take(flight);
    this.#cooldown.take(flight);
    this.#reserve.note(charge.priority, charge.units, now);
    this.#part.take(flight, now);
    for (const window of this.#windows.values()) window.take(flight.units, now);
    this.#ceilings.take(flight, now);
    return flight;
  }

  #age(now: number): void {
    this.#flights.age(now, (flight) => this.#book(flight, flight.units, flight.sentAt + ARRIVES_WITHIN_MS));
  }

  /** Books what may have been counted, without a word from the service. */
  #book(flight: Flight, units: number, until: number): void {
    for (const window of this.#windows.values()) window.book(units, flight.sentAt, until);
    this.#ceilings.book(flight.endpoint);
    this.#past.add(flight.sentAt, until, units, 0);
  }

  #hear(flight: Flight, answer: Outcome & { kind: 'answered' }, isBooked: boolean, now: number): void {
    const { quota, limited } = answer;
    this.#month.hear(quota);
    if (quota.date !== undefined) this.#clock.hear(quota.date, flight.sentAt, now);
    const units = limited ? flight.units : (quota.stacks.cost ?? flight.units);
    if (!limited) this.#tempo.hear(units, now - flight.sentAt);
    if (!limited && quota.stacks.cost !== undefined) {
      this.#costs.learn(flight.endpoint, units);
      this.#part.tellCost(flight.endpoint, this.#costs.expect(flight.endpoint));
    }
    const settledSince = this.#past.settledSince(flight.sentAt);
    for (const window of this.#windows.values()) {
      // Whether a refusal was charged is in the window's own reading, if there is one.
      const isTold = limited && quota.stacks[window.period]?.remaining !== undefined;
      if (!isBooked && !isTold) window.book(units, flight.sentAt, now);
    }
    const heard = { sentAt: flight.sentAt, receivedAt: now, own: units, settledSince, limited };
    this.#readWindows(quota, heard);
    const isTripleWhole = [quota.limit, quota.remaining, quota.resetAt].every((value) => value !== undefined);
    if (isTripleWhole) this.#readCeiling(flight.endpoint, quota, heard);
    else if (!isBooked) this.#ceilings.book(flight.endpoint);
    if (!isBooked) this.#past.add(flight.sentAt, now, units, limited ? 0 : units);
    this.#part.settle(flight, units, now);
    if (limited) {
      this.#firstLook.rebuff();
      this.#cooldown.heed(quota, this.#clock, now);
    } else this.#firstLook.welcome(this.#windows.size + this.#ceilings.size > 0);
    if (!limited && quota.retryAfterMs !== undefined)
      this.#cooldown.hold(now + quota.retryAfterMs, 'the service asked for a pause');
    if (this.#cooldown.until > now) this.#part.tellPause(this.#cooldown.until);
  }

  #readWindows(quota: QuotaSnapshot, answer: Omit<Reading, 'limit' | 'used' | 'held'>): void {
    for (const period of PERIODS) {
      const { limit, remaining } = quota.stacks[period] ?? {};
      if (limit === undefined || remaining === undefined) continue;
      let window = this.#windows.get(period);
      // What a window held before it was first seen is in its first reading; none of what is in flight may be.
      const held = window ? this.#flights.units : 0;
      if (!window) {
        window = new NamedWindow(period, {
          clock: this.#clock,
          flights: this.#flights,
          reserve: this.#reserve,
          part: this.#part,
        });
        const foretold = this.#foretold.get(period);
        if (foretold) window.adopt(foretold);
        this.#windows.set(period, window);
        this.#listLimits();
      }
      const used = limit - remaining;
      window.read({ ...answer, limit, used, held }, this.#past);
      this.#part.read({ ...answer, period, limit, used, shapes: window.shapes });
    }
  }

  /** The triple describes whichever window is tightest: a named one, or one of its own. */
  #readCeiling(endpoint: string, quota: QuotaSnapshot, answer: Omit<Reading, 'limit' | 'used' | 'held'>): void {
    const { limit, remaining, resetAt } = quota;
    if (limit === undefined || remaining === undefined || resetAt === undefined) return;
    for (const window of this.#windows.values()) {
      if (!window.matches(limit, resetAt, answer.receivedAt)) continue;
      const end = window.hearReset(resetAt, answer.sentAt);
      if (end !== undefined) this.#part.tellEnd(window.period, end);
      return;
    }
    this.#ceilings.read(endpoint, quota, answer);
    this.#listLimits();
  }

  #listLimits(): void {
    const windows = [...this.#windows.values(), ...this.#ceilings];
    this.#limits = [this.#flights, this.#firstLook, this.#cooldown, this.#costs, ...this.#sparing, ...windows];
  }
}
