import type { Charge, Limit, Reason } from './admission.ts';
import type { InFlight } from './in-flight.ts';
import { AlignedWindow } from './models/aligned.ts';
import type { Reading, WindowModel } from './models/model.ts';
import { SlidingLog } from './models/sliding-log.ts';
import type { Past } from './past.ts';
import type { ServerClock } from './server-clock.ts';
import { Survivors } from './survivors.ts';
import { endOf, lengthOf, type Period } from './windows.ts';

/** Windows up to this length are spent evenly while their shape is in doubt, in milliseconds. */
const SHORT_MS = 5_000;

/** A reset in whole seconds may have been cut to them by the service. */
const ROUNDING_MS = 1_000;

/** How many units of a window this process may spend in all: at most its limit. */
export type Part = (window: { readonly period: Period; readonly limit: number }, now: number) => number;

/** A window that the service names: second, minute, month. Its limit is known, its shape is guessed by models. */
export class NamedWindow implements Limit {
  readonly period: Period;
  readonly #length: number;
  readonly #clock: ServerClock;
  readonly #flights: InFlight;
  readonly #part: Part;
  readonly #survivors: Survivors;
  readonly #strictest: readonly WindowModel[];
  #limit = 0;
  #remaining = 0;
  #toldAt = Number.NEGATIVE_INFINITY;
  #lastTakenAt = Number.NEGATIVE_INFINITY;
  /** The end that the service itself named, by its clock, until a request has tried it. */
  #toldEnd: number | undefined;

  constructor(period: Period, clock: ServerClock, flights: InFlight, part: Part) {
    this.period = period;
    this.#length = lengthOf(period);
    this.#clock = clock;
    this.#flights = flights;
    this.#part = part;
    const aligned = new AlignedWindow(period, clock);
    // The strictest first. A month is a calendar month; what follows it cannot be probed.
    const models = period === 'month' ? [aligned] : [new SlidingLog(this.#length), aligned];
    this.#survivors = new Survivors(models);
    this.#strictest = models.slice(0, 1);
  }

  /** Units that the window holds in all. */
  get limit(): number {
    return this.#limit;
  }

  /** The service's last word on what is left, in units. */
  get remaining(): number {
    return this.#remaining;
  }

  /** Units that this process may still send, by our own reckoning. */
  headroom(now: number): number {
    const spent = this.#consulted.reduce((most, model) => Math.max(most, model.spent(now)), 0);
    return Math.max(0, this.#cap(now) - spent - this.#flights.units);
  }

  earliest(charge: Charge, now: number): number {
    if (this.#limit <= 0) return Number.POSITIVE_INFINITY;
    const units = this.#fitting(charge);
    const cap = this.#cap(now);
    let at = now;
    for (const model of this.#consulted) at = Math.max(at, model.earliest(units, this.#flights.units, cap, now));
    if (at === Number.POSITIVE_INFINITY) at = Math.max(now, this.#flights.nextAge());
    // Past a named end there is room for a unit at least, unless something under way has taken it.
    if (at > now && this.#toldEnd !== undefined && units <= 1 && this.#flights.units === 0) {
      at = Math.min(at, Math.max(now, this.#clock.surely(this.#toldEnd)));
    }
    return this.#isShortAndInDoubt ? Math.max(at, this.#lastTakenAt + (units * this.#length) / this.#limit) : at;
  }

  isFirm(charge: Charge, now: number): boolean {
    if (this.#limit <= 0) return true;
    const units = this.#fitting(charge);
    return this.#consulted.some((model) => model.earliest(units, 0, this.#cap(now), now) > now);
  }

  explain(charge: Charge, now: number): Reason {
    const headroom = this.headroom(now);
    const why =
      headroom >= this.#fitting(charge)
        ? `the ${this.period} of ${this.#limit} units is spent evenly until its shape is known`
        : `the ${this.period} of ${this.#limit} units has ${headroom} left and the request takes ${charge.units}`;
    return { limit: 'window', why, window: this.period, size: this.#limit, headroom };
  }

  /** A request goes: what the service said before, it said without having seen this one. */
  take(now: number): void {
    this.#lastTakenAt = now;
    this.#toldEnd = undefined;
  }

  /** Books units that the service counted, if at all, between `from` and `to`. */
  book(units: number, from: number, to: number): void {
    this.#survivors.book(units, from, to);
  }

  /** Takes in what an answer said of this window. */
  read(limit: number, reading: Reading, past: Past): void {
    const remaining = Math.max(0, limit - reading.used);
    // The last word is what the request sent last was told; of several sent at once, what the least lucky was.
    if (reading.sentAt > this.#toldAt || (reading.sentAt === this.#toldAt && remaining < this.#remaining)) {
      this.#toldAt = reading.sentAt;
      this.#limit = limit;
      this.#remaining = remaining;
    }
    this.#survivors.judge(reading, past);
    this.#survivors.heed(reading);
  }

  /** Takes in a reset that the service named, by its clock, where it can only mean this window. */
  hearReset(end: number, sentAt: number): void {
    if (this.#length <= SHORT_MS || sentAt < this.#lastTakenAt || end <= this.#clock.least(sentAt)) return;
    this.#toldEnd = end % ROUNDING_MS === 0 ? end + ROUNDING_MS : end;
  }

  /** Whether `ratelimit-limit` and `ratelimit-reset` may describe this window. */
  matches(limit: number, resetAt: number, receivedAt: number): boolean {
    return (
      limit === this.#limit && resetAt <= endOf(this.period, this.#clock.most(receivedAt)) + this.#length + ROUNDING_MS
    );
  }

  /** A charge dearer than the whole window goes alone into an empty one. */
  #fitting(charge: Charge): number {
    return Math.min(charge.units, this.#limit);
  }

  #cap(now: number): number {
    return Math.min(this.#limit, this.#part(this, now));
  }

  /** What fits the strictest shape fits every other, so while that one lives it alone is asked. It needs no clock. */
  get #consulted(): readonly WindowModel[] {
    const { alive } = this.#survivors;
    return this.#clock.known && alive[0] !== this.#strictest[0] ? alive : this.#strictest;
  }

  get #isShortAndInDoubt(): boolean {
    return this.#length <= SHORT_MS && this.#clock.known && this.#survivors.alive.length > 1;
  }
}
