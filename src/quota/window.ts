import type { Charge, Limit, Reason } from './admission.ts';
import { Doubt } from './doubt.ts';
import type { InFlight } from './in-flight.ts';
import { modelsOf } from './models/all.ts';
import type { Reading, WindowModel } from './models/model.ts';
import { Others } from './others.ts';
import type { Part } from './part.ts';
import type { Past } from './past.ts';
import type { Reserve } from './reserve.ts';
import type { ServerClock } from './server-clock.ts';
import { Survivors } from './survivors.ts';
import { endOf, lengthOf, type Period, SHORT_MS } from './windows.ts';
import { Word } from './word.ts';

/** A reset in whole seconds may have been cut to them by the service. */
const ROUNDING_MS = 1_000;

/** Who is held back for others asks again after this part of the window. */
const RECHECK = 0.02;

/** Models that an end which the service named overrules once: they know no calendar. */
const OVERRULED: ReadonlySet<WindowModel['name']> = new Set(['sliding-log', 'first-request']);

/** Two refusals within so many windows are about the same thing. */
const REFUSALS_WITHIN = 10;

/** What a window shares with its siblings. */
export interface Surroundings {
  readonly clock: ServerClock;
  readonly flights: InFlight;
  readonly reserve: Reserve;
  readonly part: Pick<Part, 'isShared' | 'isAlone' | 'isOverdrawn' | 'covers'>;
}

/** A window that the service names: its limit is known, its shape is guessed by models. */
export class NamedWindow implements Limit {
  readonly period: Period;
  readonly #length: number;
  readonly #clock: ServerClock;
  readonly #flights: InFlight;
  readonly #reserve: Reserve;
  readonly #part: Surroundings['part'];
  /** The shapes that it may have. */
  readonly survivors: Survivors;
  readonly #word: Word;
  #roundTripMs = 0;
  readonly #others: Others;
  #isRead = false;
  #refusedAt = Number.NEGATIVE_INFINITY;
  readonly #doubt: Doubt;

  constructor(period: Period, { clock, flights, reserve, part }: Surroundings) {
    this.period = period;
    this.#length = lengthOf(period);
    this.#clock = clock;
    this.#flights = flights;
    this.#reserve = reserve;
    this.#part = part;
    this.#others = new Others(this.#length);
    this.#word = new Word(flights);
    this.survivors = new Survivors(modelsOf(period, clock), this.#length);
    this.#doubt = new Doubt(period, { clock, flights, part, survivors: this.survivors });
  }

  /** Units that the window holds in all. */
  get limit(): number {
    return this.#word.limit;
  }

  /** The service's last word on what is left, in units. */
  get remaining(): number {
    return this.#word.remaining;
  }

  /** Units that this process may still send, by our own reckoning. */
  headroom(now: number): number {
    return Math.max(0, this.limit - this.spent(now) - this.#flights.units);
  }

  /** Units that may have been spent in the window, what is in flight aside. */
  spent(now: number): number {
    return this.#consulted.reduce((most, model) => Math.max(most, model.spent(now)), 0);
  }

  earliest(charge: Charge, now: number): number {
    if (this.limit <= 0) return this.#isWordOld(now) ? now : Number.POSITIVE_INFINITY;
    if (this.#part.covers(this.period)) return now;
    const units = this.#fitting(charge);
    const kept = this.#doubt.kept(this.limit, now);
    const open = this.limit - kept;
    const ours = open - this.#keptBack(charge, now);
    const left = ours - this.#theirs(now);
    let at = this.#fitsFrom(units, Math.max(units, left), now);
    if (at > now && left < open) {
      // What is left aside shrinks as the window goes by, so it is worth asking again before its end.
      const whole = this.#fitsFrom(units, Math.max(units, open), now);
      at = Math.min(at, Math.max(whole, now + this.#length * RECHECK));
      if (whole <= now && left < ours && this.#isOurTurn(units, ours, now)) at = now;
    }
    if (at > now && kept > 0 && this.#fitsFrom(units, this.limit, now) <= now) at = Math.min(at, this.#doubt.due(now));
    if (at <= now && this.#isBeyondWord(units)) return this.#flights.nextAge();
    return Math.max(at, this.#pacedFrom(units, left, now));
  }

  isFirm(charge: Charge, now: number): boolean {
    if (this.limit <= 0) return true;
    const units = this.#fitting(charge);
    return this.fitsBelow(this.limit - this.#doubt.kept(this.limit, now), units, 0, now) > now;
  }

  /** The earliest instant at which `units` surely fit below `cap` beside `held`; Infinity: not before something comes back. */
  fitsBelow(cap: number, units: number, held: number, now: number): number {
    return Math.max(now, ...this.#consulted.map((model) => model.earliest(units, held, Math.max(units, cap), now)));
  }

  explain(charge: Charge, now: number): Reason {
    const headroom = this.headroom(now);
    const why =
      this.limit <= 0
        ? `the ${this.period} has a limit of 0 units, by the service's last word`
        : headroom >= this.#fitting(charge)
          ? `the ${this.period} of ${this.limit} units is spent evenly until its shape is known`
          : `the ${this.period} of ${this.limit} units has ${headroom} left and the request takes ${charge.units}`;
    return { limit: 'window', why, window: this.period, size: this.limit, headroom };
  }

  /** A request goes. */
  take(units: number, now: number): void {
    this.#doubt.take(units, now);
  }

  /** Books units that the service counted, if at all, between `from` and `to`. */
  book(units: number, from: number, to: number): void {
    this.survivors.book(units, from, to);
  }

  /** Takes in what an answer said of this window. */
  read(reading: Reading, past: Past): void {
    this.#word.hear(reading);
    this.#doubt.hear(reading, this.#word.sentAt);
    this.#roundTripMs = Math.max(reading.receivedAt - reading.sentAt, this.#roundTripMs * 0.95);
    // The first reading is no evidence, but its request may have been counted on either side of a boundary.
    if (this.#isRead) this.survivors.judge(reading, past, this.#part.isAlone);
    else if (!reading.limited) this.book(Math.min(reading.own, reading.used), reading.sentAt, reading.receivedAt);
    if (reading.limited && reading.used + reading.own > reading.limit && this.#isUnexplained(reading.receivedAt)) {
      this.survivors.surprise();
      this.#doubt.rebuff(reading.receivedAt);
    }
    if (!reading.limited) this.#others.serve();
    else if (reading.used >= reading.limit && !this.#part.isShared) this.#others.refuse(reading.receivedAt);
    const others = this.survivors.heed(reading, past);
    // What a window held when it was first seen is history, and no rate; nor is what we share it with a stranger's.
    if (this.#isRead && !this.#part.isShared) this.#others.see(others, this.limit, reading.receivedAt);
    this.#isRead = true;
  }

  /** Takes in a reset that the service named, by its clock, where it can only mean this window. */
  hearReset(end: number, sentAt: number): void {
    if (this.#length > SHORT_MS) this.#doubt.hearNamed(end % ROUNDING_MS === 0 ? end + ROUNDING_MS : end, sentAt);
  }

  /** Whether `ratelimit-limit` and `ratelimit-reset` may describe this window. */
  matches(limit: number, resetAt: number, receivedAt: number): boolean {
    return (
      limit === this.limit && resetAt <= endOf(this.period, this.#clock.most(receivedAt)) + this.#length + ROUNDING_MS
    );
  }

  /** A limit of nothing may have been a mistake: when a window has passed since it was said, one request asks again. */
  #isWordOld(now: number): boolean {
    return now >= this.#word.sentAt + this.#length && this.#flights.requests === 0;
  }

  /** A charge dearer than the whole window goes alone into an empty one. */
  #fitting(charge: Charge): number {
    return Math.min(charge.units, this.limit);
  }

  /** The earliest instant at which every shape that the window may have bears `units` more below `cap`. */
  #fitsFrom(units: number, cap: number, now: number): number {
    const namedEnd = this.#doubt.namedFor(units);
    let at = now;
    for (const model of this.#consulted) {
      if (now >= namedEnd && OVERRULED.has(model.name)) continue;
      at = Math.max(at, model.earliest(units, this.#flights.units, cap, now));
    }
    if (at === Number.POSITIVE_INFINITY) at = Math.max(now, this.#flights.nextAge());
    return now < namedEnd && namedEnd < at ? namedEnd : at;
  }

  /** Whether it is time for one of ours, whatever others are left: `ours` units are, but for what others took unseen. */
  #isOurTurn(units: number, ours: number, now: number): boolean {
    const spacing = Math.min(this.#length, units * this.#others.fairSpacing(this.limit));
    const open = ours - this.#others.unseen(now - this.#word.sentAt);
    return now >= this.#doubt.lastTakenAt + spacing && this.#fitsFrom(units, open, now) <= now;
  }

  /** Whether, in a window that only fills up, an answer must be awaited, because others may have filled it meanwhile. */
  #isBeyondWord(units: number): boolean {
    if (this.#length <= SHORT_MS || this.#flights.units === 0 || this.#part.isShared) return false;
    const onlyFills = this.survivors.alive.some(({ name }) => name === 'aligned' || name === 'first-request');
    return onlyFills && this.#word.leftAtLeast < units;
  }

  /**
   * Whether a refusal can only mean that the window has another shape. Where siblings share the quota one of them may have
   * sent too much for once: only a second refusal, in another window soon after, tells of the shape.
   */
  #isUnexplained(now: number): boolean {
    if (this.#others.areActive || this.#part.isOverdrawn(now)) return false;
    const sinceMs = now - this.#refusedAt;
    if (!this.#part.isShared || (sinceMs > this.#length && sinceMs < this.#length * REFUSALS_WITHIN)) {
      this.#refusedAt = now;
      return true;
    }
    if (sinceMs > this.#length) this.#refusedAt = now;
    return false;
  }

  /** Units to leave to other consumers of the quota. */
  #theirs(now: number): number {
    return this.#others.areActive
      ? this.#others.theirs(this.limit, this.#clock.gone(this.period, now), this.#roundTripMs)
      : 0;
  }

  /** Units to keep back for calls of higher priority. A short window is over before anybody minds. */
  #keptBack({ priority, urgency = priority }: Charge, now: number): number {
    if (this.#length <= SHORT_MS || !this.#reserve.isNeeded) return 0;
    return this.#reserve.above(urgency, this.limit, (1 - this.#clock.gone(this.period, now)) * this.#length, now);
  }

  /** The instant from which a request keeps its distance: from the last one where others use the quota too, and as doubt has it. */
  #pacedFrom(units: number, cap: number, now: number): number {
    if (!this.#others.areActive) return this.#doubt.until(units, this.limit, now);
    const left = cap - this.spent(now) - this.#flights.units;
    const spacing = units * this.#others.spacing(this.limit, left, this.#clock.gone(this.period, now));
    return this.#doubt.lastTakenAt + Math.min(this.#length, spacing);
  }

  /** The models that must admit a charge. The most cautious needs no clock of the service. */
  get #consulted(): readonly WindowModel[] {
    return this.#clock.known ? this.survivors.asked : this.survivors.strictest;
  }
}
