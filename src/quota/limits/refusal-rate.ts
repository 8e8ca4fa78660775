import { type Charge, type Hold, holdUntil, type Limit } from '../admission.ts';
import type { Flight } from '../usage/in-flight.ts';

/** By which part of the accepted rate requests go slower right after a refusal. */
const CUT = 0.05;

/** By which part the refused rate is exceeded one step after it was reached again, and by the cube of the steps later. */
const RISE = 0.1;

/** Time until the refused rate is tried again after the first refusal, and the longest, in milliseconds. */
const FIRST_RETURN_MS = 2_000;
const LONGEST_RETURN_MS = 110_000;

/** A step is as long as that time, and no longer than this: a higher limit, or what others leave, is soon used. In milliseconds. */
const LONGEST_STEP_MS = 12_000;

/** By how much each refusal multiplies that time, and by how much one after a short pause, so that refusals become rare. */
const LONGER = 2;
const LONGER_AFTER_SHORT = 4;

/** The part of a rate that was just too high which is taken for the one that is accepted. */
const ACCEPTED = 0.98;

/** The part that is taken for it if it was refused soon after the last pause, where pauses have been short for long. */
const LEAST_KEPT = 0.94;

/** A request that goes later than it might by no more than this, or by a gap, delays no other: timers are late. In milliseconds. */
const LATE_MS = 20;

/** Where nothing is sent for so long that might be, in milliseconds, a burst begins. */
const QUIET_MS = 2_000;

/** When the search has come so far without a refusal, it continues from there. */
const SEARCHED = 3;

/** The rate never falls below one unit in this time, in milliseconds. */
const SLOWEST_MS = 60_000;

/** A pause is short below this part of the time before it: then the rate was just too high, and is not measured by what was served. */
const SHORT_PAUSE = 0.2;

/**
 * Spaces requests where some are refused and no answer names the limit: by the rate that the service accepts, found from the refusals
 * alone. Additive increase and multiplicative decrease with memory, as in CUBIC: after a refusal the rate is cut, rises soon
 * to just below the one that was refused, stays about there, and only later exceeds it.
 */
export class RefusalRate implements Limit {
  readonly #slowestMs: number;
  /** Units per millisecond that were refused last; 0: none was. */
  #refused = 0;
  /** The rate at which the first request was sent that was refused after others were served; 0: requests were not spaced. */
  #tried = 0;
  #returnMs = FIRST_RETURN_MS / LONGER;
  #cutAt = -Infinity;
  /** When requests went on after the last pause, and the units served since. */
  #resumedAt: number | undefined;
  #served = 0;
  /** When requests went on after the pause before. */
  #cycleFrom = 0;
  /** When requests went on after the last pause that was long, and the units served since. */
  #steadyFrom = 0;
  #servedSteadily = 0;
  /** When the present burst began, and the units served since: a quiet time before it tells of no limit. */
  #burstFrom = 0;
  #servedInBurst = 0;
  #sentAt = -Infinity;
  /** Whether the last pause was long, and nothing has been served since; so it is at first. */
  #isLong = true;
  /** When the first request was refused since the last one was served. */
  #refusedAt = 0;
  #nextAt = -Infinity;

  /** @param slowestMs - the rate never falls below one unit in this time, in milliseconds. */
  constructor(slowestMs: number = SLOWEST_MS) {
    this.#slowestMs = slowestMs;
  }

  /** Whether a rate was refused. */
  get isKnown(): boolean {
    return this.#refused > 0;
  }

  /** A request is sent. */
  onSent({ units }: Flight, now: number): void {
    this.#resumedAt ??= now;
    if (now > Math.max(this.#sentAt, this.#cutAt, this.#nextAt) + QUIET_MS) this.#beginBurst(now);
    this.#sentAt = now;
    if (this.#refused === 0) return;
    const isAsked = now - this.#nextAt <= Math.max(units / this.#rateAt(now), LATE_MS);
    // A rate at which nothing was sent is not known to be accepted.
    if (!isAsked) this.#cutAt = Math.max(this.#cutAt, now - this.#returnMs);
    this.#nextAt = (isAsked ? this.#nextAt : now) + units / this.#rateAt(now);
    if (this.#progressAt(now) < SEARCHED) return;
    this.#refused = this.#rateAt(now);
    this.#cutAt = now;
    // The limit is another one by now: the time that many refusals have made long does not count for it.
    if (this.#returnMs > LONGEST_STEP_MS) this.#returnMs = FIRST_RETURN_MS;
  }

  #beginBurst(at: number): void {
    this.#burstFrom = at;
    this.#servedInBurst = 0;
  }

  /** A request was served. */
  onServed(units: number, now: number): void {
    const resumedAt = this.#resumedAt ?? now;
    if (now > resumedAt) {
      if (this.#isLong) {
        this.#steadyFrom = resumedAt;
        this.#servedSteadily = 0;
        if (this.#burstFrom < resumedAt) this.#beginBurst(resumedAt);
        this.#isLong = false;
      }
      this.#served += units;
    }
    this.#servedSteadily += units;
    this.#servedInBurst += units;
  }

  /**
   * A request was refused, and requests pause until an instant. After a long pause the rate that is not refused is that of the whole
   * cycle: what was served since the long pause before, in the time until this one ends.
   */
  onRefused({ sentAt }: Flight, pausedUntil: number, now: number): void {
    if (sentAt < this.#cutAt) return;
    // While nothing was served there is no rate, and the pauses suffice.
    if (this.#served === 0 && this.#refused === 0) return;
    const until = Math.max(now, pausedUntil);
    const isFirst = this.#served > 0;
    if (isFirst) {
      this.#tried = this.#rateAt(sentAt);
      this.#cycleFrom = this.#resumedAt ?? now;
      this.#refusedAt = now;
    }
    const pauseMs = until - this.#refusedAt;
    const isShortFor = (from: number): boolean => pauseMs < SHORT_PAUSE * (this.#refusedAt - from);
    const isJustTooHigh = this.#tried > 0 && isShortFor(this.#steadyFrom);
    const factor = isJustTooHigh ? LONGER_AFTER_SHORT : LONGER;
    if (isFirst) this.#returnMs = Math.min(LONGEST_RETURN_MS, factor * this.#returnMs);
    if (isJustTooHigh) {
      this.#refused = (isShortFor(this.#cycleFrom) ? ACCEPTED : LEAST_KEPT) * this.#tried;
    } else {
      const steadily = this.#servedSteadily / Math.max(1, until - this.#steadyFrom);
      const inBurst = this.#servedInBurst / Math.max(1, until - this.#burstFrom);
      this.#refused = Math.max(1 / this.#slowestMs, steadily, inBurst);
      this.#isLong = true;
    }
    this.#pause(until);
  }

  /** Requests pause until an instant for a refusal that tells of no rate: it is measured from there on. */
  onPaused(until: number): void {
    this.#isLong = true;
    this.#pause(until);
  }

  #pause(until: number): void {
    this.#cutAt = until;
    this.#resumedAt = until;
    this.#served = 0;
  }

  check({ units }: Charge, now: number): Hold | undefined {
    if (now >= this.#nextAt || units <= 0) return undefined;
    return holdUntil(this.#nextAt, () => ({
      kind: 'slow-start',
      why: `no response names the limit, and more than ${(1_000 * this.#rateAt(now)).toFixed(1)} a second were refused`,
    }));
  }

  /** Units per millisecond: concave up to the refused rate, then convex beyond it. */
  #rateAt(now: number): number {
    const progress = this.#progressAt(now);
    return this.#refused * (1 + (progress < 1 ? CUT : RISE) * (progress - 1) ** 3);
  }

  /** How far the search has come: 1 where the refused rate is reached again, and one more with each step beyond it. */
  #progressAt(now: number): number {
    const beyondMs = now - this.#cutAt - this.#returnMs;
    const progress = 1 + beyondMs / (beyondMs < 0 ? this.#returnMs : Math.min(this.#returnMs, LONGEST_STEP_MS));
    return Math.max(0, Math.min(SEARCHED, progress));
  }
}
