import type { Charge, Limit, Reason } from './admission.ts';
import type { InFlight } from './in-flight.ts';
import { modelsOf } from './models/all.ts';
import type { Reading, WindowModel } from './models/model.ts';
import { Others } from './others.ts';
import type { Part, Shapes } from './part.ts';
import type { Past } from './past.ts';
import type { Reserve } from './reserve.ts';
import type { ServerClock } from './server-clock.ts';
import { Survivors } from './survivors.ts';
import { endOf, lengthOf, type Period, startOf } from './windows.ts';

/** Windows up to this length are spent evenly while their shape is in doubt, in milliseconds. */
const SHORT_MS = 5_000;

/** A reset in whole seconds may have been cut to them by the service. */
const ROUNDING_MS = 1_000;

/** Who is held back for others asks again after this part of the window. */
const RECHECK = 1 / 50;

/** Models that an end which the service named overrules once: they know no calendar. */
const OVERRULED: ReadonlySet<WindowModel['name']> = new Set(['sliding-log', 'first-request']);

/** What a window shares with its siblings. */
export interface Surroundings {
  readonly clock: ServerClock;
  readonly flights: InFlight;
  readonly reserve: Reserve;
  readonly part: Pick<Part, 'isShared' | 'isAlone'>;
}

/** A window that the service names: its limit is known, its shape is guessed by models. */
export class NamedWindow implements Limit {
  readonly period: Period;
  readonly #length: number;
  readonly #clock: ServerClock;
  readonly #flights: InFlight;
  readonly #reserve: Reserve;
  readonly #part: Surroundings['part'];
  readonly #survivors: Survivors;
  readonly #strictest: readonly WindowModel[];
  #limit = 0;
  #roundTripMs = 0;
  #remaining = 0;
  readonly #others: Others;
  #isRead = false;
  #toldAt = Number.NEGATIVE_INFINITY;
  #lastTakenAt = Number.NEGATIVE_INFINITY;
  /** The end that the service itself named, by its clock, until a request has tried it. */
  #toldEnd: number | undefined;

  constructor(period: Period, { clock, flights, reserve, part }: Surroundings) {
    this.period = period;
    this.#length = lengthOf(period);
    this.#clock = clock;
    this.#flights = flights;
    this.#reserve = reserve;
    this.#part = part;
    const models = modelsOf(period, clock);
    this.#others = new Others(this.#length);
    this.#survivors = new Survivors(models, this.#length);
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
    return Math.max(0, this.#limit - this.#spent(now) - this.#flights.units);
  }

  earliest(charge: Charge, now: number): number {
    if (this.#limit <= 0) return Number.POSITIVE_INFINITY;
    const units = this.#fitting(charge);
    const cap = this.#limit;
    const ours = cap - this.#keptBack(charge, now);
    const left = ours - this.#theirs(now);
    let at = this.#fitsFrom(units, Math.max(units, left), now);
    if (at > now && left < cap && this.#fitsFrom(units, cap, now) <= now) {
      // What is left aside shrinks as the window goes by, so it is worth asking again before its end.
      at = Math.min(at, now + this.#length * RECHECK);
      const isOurTurn = now >= this.#lastTakenAt + units * this.#others.fairSpacing(this.#limit);
      if (left < ours && isOurTurn && this.#fitsFrom(units, Math.max(units, ours), now) <= now) at = now;
    }
    return Math.max(at, this.#lastTakenAt + this.#spacing(units, left, now));
  }

  isFirm(charge: Charge, now: number): boolean {
    if (this.#limit <= 0) return true;
    const units = this.#fitting(charge);
    return this.#consulted.some((model) => model.earliest(units, 0, this.#limit, now) > now);
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
    this.#roundTripMs = Math.max(reading.receivedAt - reading.sentAt, this.#roundTripMs * 0.95);
    // The first reading is no evidence, but its request may have been counted on either side of a boundary.
    if (this.#isRead) this.#survivors.judge(reading, past, this.#part.isAlone);
    else if (!reading.limited) this.book(Math.min(reading.own, reading.used), reading.sentAt, reading.receivedAt);
    if (reading.limited && reading.used + reading.own > limit && !this.#others.areActive) this.#survivors.surprise();
    const others = this.#survivors.heed(reading, past);
    // What a window held when it was first seen is history, and no rate; nor is what we share it with a stranger's.
    if (this.#isRead && !this.#part.isShared) this.#others.see(others, reading.receivedAt);
    this.#isRead = true;
  }

  /** Which shapes the window may have. */
  get shapes(): Shapes {
    return this.#survivors.shapes;
  }

  /** Takes the word of others who spend the same quota for the shapes that it may have. */
  adopt(shapes: Shapes): void {
    this.#survivors.adopt(shapes);
  }

  /** Strangers have spent so many units. */
  seeOthers(units: number, now: number): void {
    this.#others.see(units, now);
  }

  /**
   * Takes in a reset that the service named, by its clock, where it can only mean this window.
   *
   * @returns the end that it is taken for, if it is.
   */
  hearReset(end: number, sentAt: number): number | undefined {
    if (this.#length <= SHORT_MS || sentAt < this.#lastTakenAt || end <= this.#clock.least(sentAt)) return undefined;
    this.#toldEnd = end % ROUNDING_MS === 0 ? end + ROUNDING_MS : end;
    return this.#toldEnd;
  }

  /** Whether `ratelimit-limit` and `ratelimit-reset` may describe this window. */
  matches(limit: number, resetAt: number, receivedAt: number): boolean {
    return (
      limit === this.#limit && resetAt <= endOf(this.period, this.#clock.most(receivedAt)) + this.#length + ROUNDING_MS
    );
  }

  /** The instant at which a named end lets one unit try: past it there is room for one, unless something under way has taken it. */
  #toldEndFor(units: number): number {
    if (this.#toldEnd === undefined || units > 1 || this.#flights.units > 0) return Number.POSITIVE_INFINITY;
    return this.#clock.surely(this.#toldEnd);
  }

  /** A charge dearer than the whole window goes alone into an empty one. */
  #fitting(charge: Charge): number {
    return Math.min(charge.units, this.#limit);
  }

  /** The earliest instant at which every shape that the window may have bears `units` more below `cap`. */
  #fitsFrom(units: number, cap: number, now: number): number {
    const toldEnd = this.#toldEndFor(units);
    let [at, objectors] = [now, 0];
    let objector: WindowModel | undefined;
    for (const model of this.#consulted) {
      if (now >= toldEnd && OVERRULED.has(model.name)) continue;
      const bearable = model.earliest(units, this.#flights.units, cap, now);
      if (bearable <= now) continue;
      objector = model;
      objectors++;
      at = Math.max(at, bearable);
    }
    const isWorthIt = this.#length > SHORT_MS && this.#consulted.length > 1;
    if (objector && objectors === 1 && isWorthIt) this.#survivors.objects(objector, now);
    if (at === Number.POSITIVE_INFINITY) at = Math.max(now, this.#flights.nextAge());
    return now < toldEnd && toldEnd < at ? toldEnd : at;
  }

  /** Units to leave to other consumers of the quota. */
  #theirs(now: number): number {
    return this.#others.areActive ? this.#others.theirs(this.#limit, this.#gone(now), this.#roundTripMs) : 0;
  }

  /** Units to keep back for calls of higher priority. A short window is over before anybody minds. */
  #keptBack({ priority }: Charge, now: number): number {
    if (this.#length <= SHORT_MS || !this.#reserve.isNeeded) return 0;
    return this.#reserve.above(priority, this.#limit, (1 - this.#gone(now)) * this.#length, now);
  }

  /** The time to keep from the last request, in milliseconds: evenly, while the shape is in doubt or others use the quota too. */
  #spacing(units: number, cap: number, now: number): number {
    if (this.#others.areActive) {
      const left = cap - this.#spent(now) - this.#flights.units;
      return units * this.#others.spacing(this.#limit, left, this.#gone(now));
    }
    return this.#isShortAndInDoubt ? (units * this.#length) / this.#limit : 0;
  }

  #spent(now: number): number {
    return this.#consulted.reduce((most, model) => Math.max(most, model.spent(now)), 0);
  }

  /** The part of the present window that is over, as far as a calendar tells. */
  #gone(now: number): number {
    if (!this.#clock.known) return 0.5;
    const time = this.#clock.least(now);
    const start = startOf(this.period, time);
    return (time - start) / (endOf(this.period, time) - start);
  }

  /** The models that must admit a charge. The most cautious needs no clock of the service. */
  get #consulted(): readonly WindowModel[] {
    return this.#clock.known ? this.#survivors.asked : this.#strictest;
  }

  get #isShortAndInDoubt(): boolean {
    return this.#length <= SHORT_MS && this.#clock.known && this.#survivors.alive.length > 1;
  }
}
