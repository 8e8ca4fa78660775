import type { Charge } from '../../admission.ts';
import type { WindowModel } from '../../models/model.ts';
import { type Period, periodMsOf, SHORT_MS } from '../../time/periods.ts';
import { likelyRate, reservedFor, SeenTime } from './expected-demand.ts';
import { type Reserve, recheckAt } from './reserve.ts';

/** How long a rate is remembered: after this time without arrivals it has fallen to a third, in milliseconds. */
const MEMORY_MS = 300_000;

/** The first arrivals of a priority count as having come in this time, in milliseconds. */
const SHORTEST_MS = 1_000;

/** A rate is expected to last for at most an hour, in milliseconds. */
const LASTS_MOST_MS = 3_600_000;

/** So many standard deviations of a random arrival are kept back beyond what is expected. */
const DEVIATIONS = 2;

/** The reserve is for the time until as many units are free again, and so depends on itself: it is computed this many times, from all units on. */
const ROUNDS = 4;

/** The number of priorities that are distinguished. */
const PRIORITIES = 16;

interface Arrivals {
  /** Units that came lately, each weighing less the longer ago it was. */
  units: number;
  at: number;
  readonly since: number;
  readonly seen: SeenTime;
}

/**
 * The learned reserve for calls of higher priority, so that they need not wait out a window behind bulk work: what they will
 * need in the time that is left, by their recent rate. Nothing where all calls have one priority.
 */
export class PriorityReserve {
  readonly #arrivals = new Map<number, Arrivals>();

  /** Whether calls differ in priority at all. */
  get isNeeded(): boolean {
    return this.#arrivals.size > 1;
  }

  /** A call of this priority was admitted. */
  onSent(priority: number, units: number, now: number): void {
    let known = this.#arrivals.get(priority);
    if (!known) {
      if (this.#arrivals.size >= PRIORITIES) return;
      known = { units: 0, at: now, since: now - SHORTEST_MS, seen: new SeenTime() };
      this.#arrivals.set(priority, known);
    }
    known.units = faded(known, now) + units;
    known.at = now;
    known.seen.onUnits(now);
  }

  /** Units of a window of `limit` that a call of this priority leaves to higher ones, for the next `leftMs` milliseconds. */
  unitsAbove(priority: number, limit: number, leftMs: number, now: number): number {
    let expected = 0;
    for (const [other, arrivals] of this.#arrivals) {
      if (other <= priority) continue;
      const forMs = Math.min(leftMs, LASTS_MOST_MS, arrivals.seen.lastsMs);
      expected += likelyRate(faded(arrivals, now), MEMORY_MS, now - arrivals.since) * forMs;
    }
    return reservedFor(expected, limit, DEVIATIONS);
  }
}

/**
 * The learned reserve in one window, for the time until as many units are free again: in a window of the calendar that is its rest. None in a
 * short window, which is soon over.
 */
export class RoomForPriorities implements Reserve {
  readonly #periodMs: number;
  readonly #capacity: Pick<WindowModel, 'earliest' | 'spent'>;
  readonly #reserve: PriorityReserve;

  constructor(period: Period, capacity: Pick<WindowModel, 'earliest' | 'spent'>, reserve: PriorityReserve) {
    this.#periodMs = periodMsOf(period);
    this.#capacity = capacity;
    this.#reserve = reserve;
  }

  units({ priority, urgency = priority }: Charge, limit: number, now: number): number {
    if (this.#periodMs <= SHORT_MS || !this.#reserve.isNeeded) return 0;
    const spent = this.#capacity.spent(now);
    let units = limit;
    for (let round = 0; round < ROUNDS; round++) {
      const freeAt = this.#capacity.earliest(units, 0, spent, now);
      units = this.#reserve.unitsAbove(urgency, limit, freeAt - now, now);
    }
    return units;
  }

  releasesAt(_units: number, _cap: number, now: number): number {
    return recheckAt(this.#periodMs, now);
  }
}

function faded({ units, at }: Arrivals, now: number): number {
  return units * Math.exp((at - now) / MEMORY_MS);
}
