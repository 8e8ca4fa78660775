import { SERVICE_PERIODS, ServiceCalendar, type ServicePeriod } from '../../src/testing/limits/calendar.ts';
import { type Counting, Ledger, type ServiceLimits } from '../../src/testing/limits/ledger.ts';

/** Units that another consumer was served, by the service's clock. */
export interface Taken {
  readonly at: number;
  readonly units: number;
}

interface TrueWindow {
  readonly period: ServicePeriod;
  readonly ledger: Ledger;
  /** What the others take of it, by the instant from which it must be left to them. */
  readonly taken: readonly Taken[];
  /** How many of them are charged. */
  charged: number;
}

/**
 * The windows of the service, less what other consumers take of them, known beforehand. In a window of the calendar their units are
 * charged at its beginning; in any other as they come, whether they still fit or not: more is left than there can be, never less.
 */
export class LeftOver {
  readonly #windows: readonly TrueWindow[];
  #limits: ServiceLimits = {};

  constructor(counting: Counting, taken: readonly Taken[]) {
    this.#windows = SERVICE_PERIODS.map((period) => ({
      period,
      ledger: new Ledger(counting),
      taken: counting.kindOf(period) === 'aligned' ? fromTheStart(taken, period) : taken,
      charged: 0,
    }));
  }

  /** Sets the limits. Usage is kept. */
  limit(limits: ServiceLimits): void {
    if (limits === this.#limits) return;
    this.#limits = limits;
    for (const { period, ledger } of this.#windows) ledger.limit({ [period]: limits[period] });
  }

  /** When `units` fit, seen from `at`; `at` itself: now. */
  admitsAt(units: number, at: number): number {
    return this.#limited.reduce((latest, { ledger }) => Math.max(latest, ledger.admitsAt(units, at)), at);
  }

  charge(units: number, at: number): void {
    for (const { ledger } of this.#limited) ledger.charge(units, at);
  }

  /** The others take what they took up to `at`. */
  passTo(at: number): void {
    for (const window of this.#limited) {
      for (let next = window.taken[window.charged]; next && next.at <= at; next = window.taken[++window.charged])
        window.ledger.charge(next.units, next.at);
    }
  }

  /** When the others take more. */
  get nextTakenAt(): number {
    return Math.min(...this.#limited.map(({ taken, charged }) => taken[charged]?.at ?? Infinity));
  }

  get #limited(): readonly TrueWindow[] {
    return this.#windows.filter(({ period }) => this.#limits[period] !== undefined);
  }
}

/** The same units, each taken when its window begins. */
function fromTheStart(taken: readonly Taken[], period: ServicePeriod): Taken[] {
  const calendar = new ServiceCalendar(period);
  return taken.map(({ at, units }) => ({ at: calendar.seek(at).start, units }));
}
