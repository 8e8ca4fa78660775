import type { Admission, Ask, Charge, Lease, Limit, Outcome } from './admission.ts';
import { Ceilings } from './ceilings.ts';
import { Cooldown } from './cooldown.ts';
import { believableCost, Costs } from './costs.ts';
import { driftOf } from './drift.ts';
import { estimate, type Plan, type PlanEstimate } from './estimate.ts';
import { FirstLook } from './first-look.ts';
import { ARRIVES_WITHIN_MS, type Flight, InFlight } from './in-flight.ts';
import { MonthLog, type MonthOutlook } from './month.ts';
import { type Answer, NamedWindows } from './named-windows.ts';
import { type Knowledge, type Part, wholePart } from './part.ts';
import { Past } from './past.ts';
import { Reserve } from './reserve.ts';
import { ServerClock } from './server-clock.ts';
import { type QuotaSnapshot, resetOf, windowsOf } from './snapshot.ts';
import { Sparing, type SparingPolicy } from './sparing.ts';
import { Tempo } from './tempo.ts';
import { type PacerView, viewOf } from './view.ts';

/** Who serves a request, and asks for a pause all the same, is heeded for no longer than this, in milliseconds. */
const LONGEST_WISH_MS = 3_600_000;

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
  readonly #windows: NamedWindows;
  readonly #ceilings: Ceilings;
  readonly #tempo = new Tempo();
  readonly #part: Part;
  readonly #sparing: readonly Limit[];
  readonly #concurrency: number;
  #limits: readonly Limit[] = [];
  #known = -1;

  constructor(options: PacerOptions) {
    this.#flights = new InFlight(options.concurrency, options.leaseMs);
    this.#ceilings = new Ceilings(this.#clock, this.#flights);
    this.#part = options.part?.(this.#clock) ?? wholePart;
    this.#firstLook = new FirstLook(this.#flights, this.#part);
    const [clock, flights, reserve, part] = [this.#clock, this.#flights, this.#reserve, this.#part];
    this.#windows = new NamedWindows({ clock, flights, reserve, part });
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
    const standsSince = binding.standsSince?.();
    if (isHopeless || (until - (standsSince ?? now) > ask.maxWaitMs && binding.isFirm(charge, now)))
      return { kind: 'refused', until, reason };
    // A pause ends by its time alone; a full window may turn out to be emptier than reckoned.
    const onSettle = binding !== this.#cooldown || !binding.isFirm(charge, now);
    return { kind: 'wait', until, onSettle, standsSince, reason };
  }

  /** A granted request ended. Every lease is settled exactly once. */
  settle(lease: Lease, outcome: Outcome, now: number): void {
    const flight = lease as Flight;
    if (flight.state === 'done') return;
    this.#age(now);
    const isBooked = flight.state === 'booked';
    this.#flights.end(flight);
    this.#costs.settle(flight);
    this.#cooldown.settle(flight, outcome.kind === 'answered' && !outcome.limited && !outcome.failed);
    if (outcome.failed) this.#cooldown.fail(now);
    else if (outcome.kind === 'answered') this.#cooldown.hear();
    if (outcome.kind === 'lost' && !isBooked) this.#book(flight, flight.units, now);
    if (outcome.kind === 'answered') this.#hear(flight, outcome, isBooked, now);
    else this.#part.settle(lease, outcome.kind === 'lost' ? flight.units : 0, false, now);
  }

  /** Takes what others who spend the same quota have found out. */
  learn({ shapes = [], costs = [], pausedUntil, lead }: Knowledge, now: number): void {
    if (lead) this.#clock.narrow(lead.least, lead.most, now);
    if (pausedUntil !== undefined) this.#cooldown.hold(pausedUntil, 'the service asked another process for a pause');
    for (const [endpoint, units] of costs) this.#costs.expectOf(endpoint, units);
    for (const found of shapes) this.#windows.adopt(found.period, found);
  }

  /** How far an answer is from our own books, by window, in units. To be asked before the answer settles its lease. */
  drift({ sentAt }: Lease, quota: QuotaSnapshot, now: number): Readonly<Record<string, number>> {
    this.#age(now);
    const [held, settledSince] = [this.#flights.units, this.#past.settledSince(sentAt)];
    const books = Array.from(this.#windows, (window) => {
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
    return viewOf(this.#windows, this.#ceilings, this.#flights, this.#cooldown, this.#clock, now);
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
    const [windows, ceilings] = [this.#windows, this.#ceilings];
    const [clock, cooldown, costs] = [this.#clock, this.#cooldown, this.#costs];
    const [tempo, concurrency] = [this.#tempo, this.#concurrency];
    return estimate(plans, { windows, ceilings, clock, cooldown, costs, tempo, concurrency, part: this.#part }, now);
  }

  #grant(charge: Charge, now: number): Flight {
    const flight = this.#flights.take(charge, now);
    this.#costs.take(flight);
    this.#cooldown.take(flight);
    this.#reserve.note(charge.priority, charge.units, now);
    this.#part.take(flight, now);
    this.#windows.take(flight, now);
    this.#ceilings.take(flight, now);
    return flight;
  }

  #age(now: number): void {
    this.#flights.age(now, (flight) => this.#book(flight, flight.units, flight.sentAt + ARRIVES_WITHIN_MS));
  }

  /** Books what may have been counted, without a word from the service. */
  #book(flight: Flight, units: number, until: number): void {
    this.#windows.book(units, flight.sentAt, until);
    this.#ceilings.book(flight.endpoint);
    this.#past.add(flight.sentAt, until, units, 0);
  }

  #hear(flight: Flight, answer: Outcome & { kind: 'answered' }, isBooked: boolean, now: number): void {
    const { quota, limited } = answer;
    this.#month.hear(quota);
    if (quota.date !== undefined) this.#clock.hear(quota.date, flight.sentAt, now);
    const cost = limited ? undefined : believableCost(quota);
    const units = cost ?? flight.units;
    if (!limited) this.#tempo.hear(units, now - flight.sentAt);
    if (cost !== undefined) {
      this.#costs.learn(flight.endpoint, units);
      this.#part.tellCost(flight.endpoint, this.#costs.expect(flight.endpoint));
    }
    const settledSince = this.#past.settledSince(flight.sentAt);
    const heard = { sentAt: flight.sentAt, receivedAt: now, own: units, settledSince, limited };
    if (!isBooked) this.#windows.settle(quota, heard);
    this.#windows.read(quota, heard, this.#past);
    this.#readTriple(flight.endpoint, quota, heard, isBooked);
    this.#listLimits();
    // An answer that says nothing of the quota may come from an edge that counts nothing.
    const isSure = !limited && (quota.remaining !== undefined || Object.keys(quota.stacks).length > 0);
    if (!isBooked) this.#past.add(flight.sentAt, now, units, isSure ? units : 0);
    this.#part.settle(flight, units, !limited, now);
    if (limited) {
      this.#firstLook.rebuff();
      this.#cooldown.heed(quota, this.#clock, now, flight.sentAt);
    } else this.#firstLook.welcome(this.#windows.size + this.#ceilings.size > 0);
    if (!limited && quota.retryAfterMs !== undefined)
      this.#cooldown.hold(now + Math.min(quota.retryAfterMs, LONGEST_WISH_MS), 'the service asked for a pause');
    if (this.#cooldown.until > now) this.#part.tellPause(this.#cooldown.until);
  }

  /** The triple describes whichever window is tightest: a named one, or one of its own. */
  #readTriple(endpoint: string, quota: QuotaSnapshot, answer: Answer, isBooked: boolean): void {
    const { limit, remaining } = quota;
    const resetAt = resetOf(quota);
    if (limit === undefined || remaining === undefined || resetAt === undefined) {
      if (!isBooked) this.#ceilings.book(endpoint);
    } else if (!this.#windows.hearReset(limit, resetAt, answer) && !isNamed(quota)) {
      this.#ceilings.read(endpoint, quota, answer);
    }
  }

  #listLimits(): void {
    const known = this.#windows.size + this.#ceilings.size;
    if (known === this.#known) return;
    this.#known = known;
    const windows = [...this.#windows, ...this.#ceilings];
    this.#limits = [this.#flights, this.#firstLook, this.#cooldown, this.#costs, ...this.#sparing, ...windows];
  }
}

/** Whether the triple says what a named window says, wherever a clock that lags has its end. */
function isNamed(quota: QuotaSnapshot): boolean {
  return windowsOf(quota).some(({ limit, remaining }) => limit === quota.limit && remaining === quota.remaining);
}
