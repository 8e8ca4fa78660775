import type { Charge } from '../../admission.ts';
import { type Period, periodMsOf, SHORT_MS } from '../../time/periods.ts';
import type { ServerClock } from '../../time/server-clock.ts';
import { reservedFor, SeenTime } from './expected-demand.ts';
import { type Reserve, recheckAt } from './reserve.ts';

/** How long a rate is remembered: after this time without arrivals it has fallen to a third, in milliseconds. */
const MEMORY_MS = 300_000;

/** A rate is averaged over at least this, in milliseconds. */
const SHORTEST_MS = 1_000;

/** A rate is expected to last for at most an hour, in milliseconds. */
const LASTS_MOST_MS = 3_600_000;

/** How soon a charge is checked again that the reserve of a long window holds back: by then a burst has faded. In milliseconds. */
const RECHECK_MS = 10_000;

/** Standard deviations added to a count, because a short observation may be too low by chance. */
const UNLUCKY = 2;

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
      known = { units: 0, at: now, since: now, seen: new SeenTime() };
      this.#arrivals.set(priority, known);
    }
    known.units = faded(known, now) + units;
    known.at = now;
    known.seen.onUnits(now);
  }

  /** Units of a window of `limit` that a call of this priority leaves to higher ones, with `leftMs` of the window to go. */
  unitsAbove(priority: number, limit: number, leftMs: number, now: number): number {
    let expected = 0;
    for (const [other, arrivals] of this.#arrivals) {
      if (other > priority) expected += rateOf(arrivals, now) * Math.min(leftMs, LASTS_MOST_MS, arrivals.seen.lastsMs);
    }
    return reservedFor(expected, limit);
  }
}

/** The learned reserve in one window. None in a short window, which is soon over. */
export class RoomForPriorities implements Reserve {
  readonly #period: Period;
  readonly #periodMs: number;
  readonly #clock: ServerClock;
  readonly #reserve: PriorityReserve;

  constructor(period: Period, clock: ServerClock, reserve: PriorityReserve) {
    this.#period = period;
    this.#periodMs = periodMsOf(period);
    this.#clock = clock;
    this.#reserve = reserve;
  }

  units({ priority, urgency = priority }: Charge, limit: number, now: number): number {
    if (this.#periodMs <= SHORT_MS || !this.#reserve.isNeeded) return 0;
    const leftMs = (1 - this.#clock.elapsedPart(this.#period, now)) * this.#periodMs;
    return this.#reserve.unitsAbove(urgency, limit, leftMs, now);
  }

  releasesAt(_units: number, _cap: number, now: number): number {
    return Math.min(recheckAt(this.#periodMs, now), now + RECHECK_MS);
  }
}

/**
 * Arrival rate (units per millisecond) plus a safety margin: an unused reserve is released as the window elapses; a missing
 * one cannot be made up before the reset.
 */
function rateOf(arrivals: Arrivals, now: number): number {
  const age = Math.max(SHORTEST_MS, now - arrivals.since);
  const units = faded(arrivals, now);
  return (units + UNLUCKY * Math.sqrt(units)) / (MEMORY_MS * (1 - Math.exp(-age / MEMORY_MS)));
}

function faded({ units, at }: Arrivals, now: number): number {
  return units * Math.exp((at - now) / MEMORY_MS);
}
