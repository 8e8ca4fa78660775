import type { InFlight } from './in-flight.ts';
import { Look } from './look.ts';
import { Lull } from './lull.ts';
import type { Reading, WindowModel } from './models/model.ts';
import type { Part } from './part.ts';
import type { ServerClock } from './server-clock.ts';
import type { Survivors } from './survivors.ts';
import { endOf, lengthOf, type Period, SHORT_MS } from './windows.ts';

/** A clock that leaves this part of a window open says too little about where it ends. */
const VAGUE_PART = 0.5;

/** Units by which a leaking level must have sunk to be told from every other, in a window of which this part is spent. */
const SINKS = 4;
const TELLING_PART = 0.5;

/**
 * While a window may open with the calendar or with the first request, nothing is sent around every other beginning, from and
 * to these parts of two windows: where both happen at once, the two shapes could not be told apart.
 */
const GAP_FROM = 0.4;
const GAP_TO = 0.725;

/** Where no clock is shown what was refused is spent evenly for this long, in milliseconds. */
const EVEN_MS = 600_000;

/** Shapes without an end at which all is free again. */
const SLIDING: ReadonlySet<WindowModel['name']> = new Set(['sliding-log', 'sliding-counter']);

/** What doubt about a window hangs on. */
export interface Circumstances {
  readonly clock: ServerClock;
  readonly flights: InFlight;
  readonly part: Pick<Part, 'isShared'>;
  readonly survivors: Pick<Survivors, 'alive'>;
}

/**
 * What is done while it is in doubt which shape a window has, so that it shows: a short window is spent evenly, or left
 * empty once in a while; of a long one something is kept for a {@link Look}. None of it is a risk, whatever the shape is.
 */
export class Doubt {
  readonly #period: Period;
  readonly #length: number;
  readonly #clock: ServerClock;
  readonly #part: Circumstances['part'];
  readonly #survivors: Circumstances['survivors'];
  readonly #look: Look;
  readonly #lull: Lull;
  #evenUntil = Number.NEGATIVE_INFINITY;

  constructor(period: Period, { clock, flights, part, survivors }: Circumstances) {
    this.#period = period;
    this.#length = lengthOf(period);
    this.#clock = clock;
    this.#part = part;
    this.#survivors = survivors;
    this.#look = new Look(clock, flights);
    this.#lull = new Lull(period, clock);
  }

  /** When the last request went. */
  get lastTakenAt(): number {
    return this.#look.lastTakenAt;
  }

  /** A request goes. */
  take(units: number, now: number): void {
    this.#look.take(units, now);
    this.#lull.take(units, now);
  }

  /** Takes in the service's last word on the window, in answer to a request that was sent at `sentAt`. */
  hear({ used, limit }: Reading, sentAt: number): void {
    if (!this.#clock.known) return;
    const isTelling = used >= limit * TELLING_PART;
    const restMs = isTelling ? (SINKS * this.#length) / limit : Number.POSITIVE_INFINITY;
    this.#look.hear(endOf(this.#period, this.#clock.least(sentAt)), this.#mayBe('leaky') ? restMs : undefined);
  }

  /** Takes in an end that the service named, by its clock. */
  hearNamed(end: number, sentAt: number): void {
    this.#look.hearNamed(end, sentAt);
  }

  /**
   * The service refused what no shape forbids. Where it shows no clock it may estimate what a window holds from those of its
   * calendar, which nobody can follow; but what comes evenly it counts as it is.
   */
  rebuff(now: number): void {
    if (!this.#clock.known) this.#evenUntil = now + EVEN_MS;
  }

  /** Units to keep, while it is in doubt whether the calendar ends the window. */
  kept(limit: number, now: number): number {
    const isOurs = this.#length > SHORT_MS && this.#clock.known && !this.#part.isShared;
    return isOurs && this.#mayBe('aligned') ? this.#look.kept(limit, now) : 0;
  }

  /** When something of what is kept may be spent. */
  due(now: number): number {
    return this.#look.due(now);
  }

  /** The instant at which an end that the service named lets a request try, unless something under way has. */
  namedFor(units: number): number {
    return this.#look.namedFor(units);
  }

  /** The instant until which a request is held back so that the shape shows; `now` or earlier: it is not. */
  until(units: number, limit: number, now: number): number {
    // One request less than there is room for, because it comes on top of what is estimated.
    if (now < this.#evenUntil) return this.lastTakenAt + this.#length * Math.min(1, units / Math.max(1, limit - units));
    if (this.#length > SHORT_MS || !this.#clock.known) return now;
    const { alive } = this.#survivors;
    const isSliding = alive.every(({ name }) => SLIDING.has(name));
    // Where a window ends shows by itself to who asks at all its phases; so does a clock.
    const isEven = (alive.length > 1 && !isSliding) || this.#clock.vagueness(now) > this.#length * VAGUE_PART;
    if (isEven) return Math.max(this.lastTakenAt + (units * this.#length) / limit, this.#shiftedFrom(now));
    return alive.length > 1 && !this.#part.isShared ? this.#lull.until(limit, now) : now;
  }

  /** The instant from which a window is used, so that one that opens with the first request shifts against the calendar. */
  #shiftedFrom(now: number): number {
    const { alive } = this.#survivors;
    const isOpen = alive.every(({ name }) => name === 'aligned' || name === 'first-request');
    // A process that shares the quota looks alone for seconds only; one that does not has all the time.
    if (!isOpen || !this.#part.isShared) return now;
    const cycle = 2 * this.#length;
    const time = this.#clock.least(now);
    const gone = (time % cycle) / cycle;
    return gone < GAP_FROM || gone >= GAP_TO ? now : this.#clock.surely(time + (GAP_TO - gone) * cycle);
  }

  /** Whether the window may have this shape, or another. */
  #mayBe(shape: WindowModel['name']): boolean {
    const { alive } = this.#survivors;
    return alive.length > 1 && alive.some(({ name }) => name === shape);
  }
}
