import { periodMsOf } from '../time/periods.ts';
import { DRIFT } from '../time/server-clock.ts';
import { ROUNDING, type Shape, type SureUsage, TOLERANCE, type WindowModel, type WindowReading } from './model.ts';

/**
 * A level that every request raises and that sinks steadily, by the limit per window: a token bucket, seen from its
 * empty side. Requests are taken to raise it as late as they can have, because a level raised late is higher ever after.
 */
export class LeakyModel implements WindowModel {
  readonly shape: Shape = leaky;
  readonly #periodMs: number;
  #rate = 0;
  #level = 0;
  #at = -Infinity;

  constructor(periodMs: number) {
    this.#periodMs = periodMs;
  }

  spent(now: number): number {
    return Math.max(0, this.#level - this.#sunk(this.#at, now));
  }

  earliest(units: number, held: number, cap: number, now: number): number {
    const excess = this.spent(now) + held + units - cap;
    if (excess <= 0) return now;
    return held + units > cap ? Infinity : now + excess / this.#rate;
  }

  book(units: number, _from: number, to: number): void {
    const at = Math.max(to, this.#at);
    this.#level = this.spent(at) + units;
    this.#at = at;
  }

  isContradicted(reading: WindowReading, usage: SureUsage): boolean {
    const rate = reading.limit / this.#periodMs;
    const { receivedAt, sentAt, used } = reading;
    return usage.surelyRoseTo(used + ROUNDING + TOLERANCE, rate, receivedAt, receivedAt - this.#periodMs, sentAt);
  }

  unexplained(reading: WindowReading): number {
    return (
      reading.used -
      ROUNDING -
      reading.held -
      this.spent(reading.receivedAt) -
      this.#sunk(reading.sentAt, reading.receivedAt)
    );
  }

  reconcile(reading: WindowReading): number {
    const { receivedAt } = reading;
    this.#rate = (reading.limit / this.#periodMs) * (1 - DRIFT);
    const spent = this.spent(receivedAt);
    const counted = reading.used - reading.held - this.#sunk(reading.sentAt, receivedAt);
    const others = Math.max(0, counted - spent);
    this.#level = Math.min(spent + others, reading.used + ROUNDING + reading.settledSince);
    this.#at = receivedAt;
    return others;
  }

  #sunk(from: number, to: number): number {
    return from === -Infinity ? 0 : Math.max(0, to - from) * this.#rate;
  }
}

/** The shape `leaky`. */
export const leaky: Shape = {
  name: 'leaky',
  bit: 4,
  drains: true,
  acceptsNamedReset: true,
  sinksSteadily: true,
  frees: ({ at, lastAt, drainMs }) => [Math.max(at, lastAt), Math.max(at, lastAt) + drainMs],
  create: (period) => new LeakyModel(periodMsOf(period)),
};
