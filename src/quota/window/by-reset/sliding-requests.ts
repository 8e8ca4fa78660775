import { DRIFT } from '../../time/server-clock.ts';
import { LINGER_MS, RunningSum } from '../../usage/running-sum.ts';
import { WindowLength } from './window-length.ts';

/** Of our own requests of the last window, the part that a new instance must count to count them. */
const OURS_PART = 0.9;

/**
 * Our own requests in the last window, wherever instances of it begin. They tell when one more fits where instances do not: in a window of
 * a few seconds, whose reset is rounded to one, and in one that holds more than an instance would. If it holds more than these requests,
 * too, it is an estimate from two windows of the calendar, and only evenly spaced requests surely fit.
 */
export class SlidingRequests {
  readonly length: WindowLength = new WindowLength();
  readonly #limit: number;
  readonly #answered = new RunningSum();
  #lastSentAt = -Infinity;
  #hasEnded = false;
  /** How the window was seen to forget. */
  #rule: 'by instances' | 'one by one' | 'evenly' = 'by instances';

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether they tell when a request fits. */
  get areDecisive(): boolean {
    return this.#rule !== 'by instances' || (this.#hasEnded && this.length.isShort);
  }

  /**
   * An instance began after another: only then is a length known from more than what was left of one. If it counts `carried` requests from
   * its first moment, most of the limit and about as many as ours of the last window, it still counts those.
   */
  onBegun(carried: number, now: number): void {
    this.#hasEnded = true;
    const own = this.countedAt(now);
    const isOurs = carried <= own && carried > OURS_PART * own && 2 * carried > this.#limit;
    if (this.#rule === 'by instances' && isOurs) this.#rule = 'one by one';
  }

  /** How long a request may count, by our clock, in milliseconds. */
  get longestMs(): number {
    return this.length.ms * (1 + DRIFT);
  }

  /** How long a window of a usual length lasts, by our clock, in milliseconds; Infinity: its length is none. */
  get usualMs(): number {
    return this.length.usualMs * (1 + DRIFT);
  }

  onSent(now: number): void {
    this.#lastSentAt = now;
  }

  /** One of this weight was answered, or must have arrived. */
  add(at: number, weight = 1): void {
    this.#answered.add(weight, at);
    this.#answered.forget(at - 2 * this.longestMs - LINGER_MS);
  }

  /** Those that may count at an instant. */
  countedAt(instant: number): number {
    return this.#answered.sumAfter(instant - this.longestMs);
  }

  /** A request was refused, or an answer counts more than our own requests of the last window: `used`. An estimate may well do so. */
  onFuller(used: number, isRefused: boolean, now: number): void {
    const windows = this.areDecisive ? 2 : 1;
    const isOurs = used <= this.#answered.sumAfter(now - windows * this.longestMs);
    if (this.#rule !== 'evenly' && isOurs) this.#rule = this.areDecisive ? 'evenly' : 'one by one';
    else if (isRefused && this.length.onFuller()) this.#rule = 'by instances';
  }

  /** The earliest instant at which one more of this weight fits beside `held`; Infinity: not before one of these has ended. */
  earliest(held: number, weight = 1): number {
    const room = this.#limit - held - weight;
    if (room < 0) return Infinity;
    const at = this.#answered.instantBelow(room) + this.longestMs;
    return this.#rule === 'evenly' ? Math.max(at, this.#lastSentAt + weight * this.#gapMs) : at;
  }

  /** As one less than the limit: requests of the window before may count in full. A limit of one holds none besides that. */
  get #gapMs(): number {
    return this.#limit > 1 ? this.longestMs / (this.#limit - 1) : 2 * this.longestMs;
  }
}
