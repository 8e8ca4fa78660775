import { ROUNDING, type Shape, TOLERANCE, type WindowModel, type WindowReading } from '../../models/model.ts';
import { SHORT_MS } from '../../time/periods.ts';
import type { AnsweredRequests } from '../../usage/answered.ts';
import type { RecentReadings } from './recent-readings.ts';

/** A model is in debt when it left this much unexplained that another explained: in units, and in parts of the limit. */
const LEAST_DEBT = 3;
const LARGEST_DEBT = 0.03;

/** Consumers that are not known yet may take this part of the limit in a window, evenly. */
const UNSEEN_PART = 0.3;

/** Known consumers may have added this part of the limit to what a candidate expects, at most, and no more than the limit in a window. */
const ADDED_PART = 0.15;

/** A candidate expects a reading that it exceeds by no more than this: by a rounding of its estimate and one of the reading, in units. */
const NEAR = 2 * ROUNDING;

/** Whether readings count what this client spent alone, and which of its requests were answered. */
interface Consumption {
  readonly isAlone: boolean;
  readonly answered: Pick<AnsweredRequests, 'settledSince'>;
}

/**
 * Tells which candidates leave units of a reading unexplained that another candidate explains. That is weak evidence: other consumers may have
 * spent them.
 */
export class Debts {
  readonly #periodMs: number;
  readonly #recent: RecentReadings;
  /** Units that a model has left unexplained in all. */
  readonly #debts = new Map<WindowModel, number>();

  constructor(periodMs: number, recent: RecentReadings) {
    this.#periodMs = periodMs;
    this.#recent = recent;
  }

  /** The candidates that are in debt by a reading. */
  debtors(reading: WindowReading, alive: readonly WindowModel[], consumption: Consumption): readonly WindowModel[] {
    if (!consumption.isAlone) return this.#besideOthers(reading, alive, consumption);
    const nearest = nearestOf(alive, reading, TOLERANCE);
    return nearest > -Infinity ? this.#alone(reading, alive, nearest >= -NEAR) : [];
  }

  /** Forgets what a model has left unexplained. */
  forgive(model: WindowModel): void {
    this.#debts.delete(model);
  }

  /** They leave more unexplained than chance or units of others that are not known yet would have it: in all, or at once where another expects just that. */
  #alone(reading: WindowReading, alive: readonly WindowModel[], isExpected: boolean): readonly WindowModel[] {
    const unseen = this.#unseen(reading);
    const most = mostOf(reading);
    return alive.filter((model) => {
      const unexplained = model.unexplained(reading) ?? 0;
      const added = isExpected && unexplained > most ? unexplained : unexplained - unseen;
      if (added <= TOLERANCE) return false;
      const debt = (this.#debts.get(model) ?? 0) + added;
      this.#debts.set(model, debt);
      return debt > most;
    });
  }

  /**
   * What others spent is left unexplained by every candidate, most of it by those that only fill, which have forgotten what was used before they began:
   * these are in debt where they leave more than others take at once, and another expects the reading, but for what others may have added since the last one.
   */
  #besideOthers(
    reading: WindowReading,
    alive: readonly WindowModel[],
    { answered }: Consumption,
  ): readonly WindowModel[] {
    const filling = alive.filter(onlyFills);
    if (filling.length === 0) return [];
    const most = mostOf(reading);
    const part = Math.min(ADDED_PART, (reading.receivedAt - this.#recent.lastSentAt) / this.#periodMs);
    if (nearestOf(alive, reading, most + part * reading.limit) < -most) return [];
    // Where usage dropped, a window that only fills has begun anew.
    const since = this.#recent.dropsTo(reading) ? answered.settledSince(this.#recent.lastSentAt) : undefined;
    return filling.filter((model) => {
      const unexplained = since === undefined ? (model.unexplained(reading) ?? 0) : reading.used - reading.held - since;
      return unexplained > UNSEEN_PART * reading.limit;
    });
  }

  /** Units that consumers which are not known yet may have taken of a long window since the last reading. */
  #unseen({ limit, receivedAt }: WindowReading): number {
    if (this.#periodMs <= SHORT_MS) return 0;
    return UNSEEN_PART * limit * Math.min(1, (receivedAt - this.#recent.lastSentAt) / this.#periodMs);
  }
}

/**
 * By how many units, as a negative number, that candidate exceeds a reading which comes nearest to it and leaves at most so many unexplained;
 * -Infinity: each leaves more.
 */
function nearestOf(alive: readonly WindowModel[], reading: WindowReading, most: number): number {
  let nearest = -Infinity;
  for (const model of alive) {
    const unexplained = model.unexplained(reading) ?? Infinity;
    if (unexplained <= most) nearest = Math.max(nearest, unexplained);
  }
  return nearest;
}

function mostOf({ limit }: WindowReading): number {
  return Math.max(LEAST_DEBT, limit * LARGEST_DEBT);
}

function onlyFills({ shape }: { readonly shape: Shape }): boolean {
  return shape.onlyFills ?? false;
}
