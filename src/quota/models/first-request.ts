import { periodMsOf } from '../time/periods.ts';
import { DRIFT } from '../time/server-clock.ts';
import { type AnsweredRequests, POSTING_MS } from '../usage/answered.ts';
import { type Shape, type SureUsage, TOLERANCE, type WindowModel, type WindowReading } from './model.ts';

/**
 * A fixed window that begins with the first request after the last one ended.
 *
 * When it began is known as an interval: not before the last one may have ended, and not after the first answer to a
 * request that was sent when the last one surely had. What may have been counted on either side of an end is booked on both.
 */
export class FirstRequestModel implements WindowModel {
  readonly shape: Shape = firstRequest;
  readonly #periodMs: number;
  readonly #isShared: boolean;
  /** The earliest and the latest instant at which the present window can have begun; Infinity: it may not have begun. */
  #beganFrom = -Infinity;
  #beganBy = Infinity;
  /** The instant at which the window before it had surely ended. */
  #clearFrom = -Infinity;
  #spent = 0;
  /** Units that the window before may have held. */
  #spentBefore = 0;
  /** Whether the window has no other shape, so that a reading which may speak of the window before tells of no other consumers. */
  #isLast = false;
  /** Units that the present window holds at least, because the answer to its first request says so. */
  #least = 0;
  /** Units that may belong to the next window already, and the latest instant at which they can have arrived. */
  #carried = 0;
  #carriedBy = -Infinity;

  constructor(periodMs: number, isShared: boolean = false) {
    this.#periodMs = periodMs;
    this.#isShared = isShared;
  }

  spent(now: number): number {
    this.#roll(now);
    return this.#spent;
  }

  earliest(units: number, held: number, cap: number, now: number): number {
    this.#roll(now);
    if (held === 0 && !this.#isShared) this.#notBefore(now);
    const room = cap - held - units;
    if (this.#spent <= room) return now;
    if (room < 0) return Infinity;
    return this.#end;
  }

  book(units: number, from: number, to: number): void {
    this.#roll(from);
    this.#spent += units;
    if (from >= this.#clearFrom) this.#beganBy = Math.min(this.#beganBy, to);
    else {
      this.#carriedBy = Math.max(this.#carriedBy, to);
      this.#spentBefore += units;
    }
    if (to < this.#beganFrom + this.#periodMs) return;
    this.#carried += units;
    this.#carriedBy = Math.max(this.#carriedBy, to);
  }

  isContradicted(reading: WindowReading, usage: SureUsage): boolean {
    if (!this.#holds(reading)) return false;
    const most = reading.used + TOLERANCE;
    return most < this.#least || usage.surelyExceeds(most, this.#clearFrom, reading.sentAt, true);
  }

  unexplained(reading: WindowReading): number | undefined {
    return reading.sentAt < this.#clearFrom ? undefined : this.#missing(reading);
  }

  reconcile(reading: WindowReading, answered: AnsweredRequests): number {
    const { used, sentAt, receivedAt, settledSince } = reading;
    this.#roll(sentAt);
    if (this.#beganFrom === -Infinity) {
      // The first reading: if it counts this request alone, the window began with it.
      this.#begin(used <= reading.own ? sentAt : receivedAt - this.#periodMs, receivedAt, used);
      return 0;
    }
    if (this.#isFirst(reading)) {
      const from = Math.max(this.#beganFrom, sentAt - (isBlurred(reading) ? POSTING_MS : 0));
      const [carried, carriedBy] = [this.#carried, this.#carriedBy];
      const by = this.#beganBy > from ? Math.min(this.#beganBy, receivedAt) : receivedAt;
      this.#begin(from, by, used + settledSince, used);
      // Under way for longer than a window, it may as well be the first of the next one.
      if (receivedAt >= from + this.#periodMs) [this.#carried, this.#carriedBy] = [carried, carriedBy];
    }
    const isSure = this.#holds(reading);
    if (!isSure && answered.surelyExceeds(used + TOLERANCE, this.#beganBy, sentAt)) {
      // Less than what we left in the window: a new one began in between.
      this.#begin(this.#beganFrom + this.#periodMs, receivedAt, used + settledSince);
      return 0;
    }
    const isOfBefore = this.#isLast && sentAt < this.#clearFrom && used - reading.held <= this.#spentBefore;
    const others = isOfBefore ? 0 : Math.max(0, this.#missing(reading));
    if (others > 0) this.book(others, sentAt, receivedAt);
    // If that window has ended since, the present one holds only what came later.
    this.#spent = Math.min(this.#spent, used + settledSince);
    this.#carried = Math.min(this.#carried, this.#spent);
    return others;
  }

  onLast(): void {
    this.#isLast = true;
  }

  /** Units of a reading that are not booked in the present window; negative: none. */
  #missing({ used, held }: WindowReading): number {
    return used - held - this.#spent;
  }

  /** When the present window has surely ended; Infinity while none has begun. */
  get #end(): number {
    const began = this.#beganBy < Infinity ? this.#beganBy : this.#carriedBy;
    return began === -Infinity ? Infinity : began + this.#periodMs * (1 + DRIFT);
  }

  /** Whether a reading counts its own request alone: then the window began with it, even if other consumers send. */
  #isFirst({ used, own, limited }: WindowReading): boolean {
    return !limited && own > 0 && used <= own;
  }

  /** Whether a reading surely speaks of the present window. */
  #holds({ sentAt, receivedAt }: WindowReading): boolean {
    return sentAt >= this.#clearFrom && receivedAt < this.#beganFrom + this.#periodMs;
  }

  #begin(from: number, by: number, spent: number, least: number = 0): void {
    this.#beganFrom = from;
    this.#beganBy = by;
    this.#clearFrom = by;
    this.#spent = spent;
    this.#least = least;
    this.#carried = 0;
    this.#carriedBy = -Infinity;
  }

  /** Nothing is under way, neither of ours nor of siblings, so a window that has not begun does not begin before `now`. */
  #notBefore(now: number): void {
    if (this.#beganBy < Infinity || this.#spent > 0 || this.#clearFrom === -Infinity) return;
    this.#beganFrom = now;
    this.#clearFrom = now;
  }

  #roll(now: number): void {
    const end = this.#end;
    if (now < end) return;
    const hadBegun = this.#beganBy < Infinity;
    this.#clearFrom = end;
    if (hadBegun) this.#beganFrom += this.#periodMs;
    this.#beganBy = Infinity;
    this.#least = 0;
    this.#spentBefore = this.#spent;
    this.#spent = hadBegun ? this.#carried : 0;
    if (this.#spent === 0) this.#carriedBy = -Infinity;
    this.#carried = 0;
    this.#roll(now);
  }
}

/** Whether requests of ours that were counted earlier may be missing from a reading. */
function isBlurred({ held, settledSince }: WindowReading): boolean {
  return held > 0 || settledSince > 0;
}

/** The shape `first-request`. */
export const firstRequest: Shape = {
  name: 'first-request',
  bit: 3,
  onlyFills: true,
  acceptsNamedReset: true,
  frees({ at, lastAt, periodMs }) {
    const end = lastAt > at ? lastAt : at + periodMs;
    return [end, end];
  },
  create: (period, _clock, isShared) => new FirstRequestModel(periodMsOf(period), isShared),
};
