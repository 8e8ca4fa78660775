import { LENGTH_MS, SERVICE_PERIODS, type ServicePeriod } from '../../src/testing/limits/calendar.ts';
import type { ServiceLimits } from '../../src/testing/limits/ledger.ts';
import { openWindow, type WindowKind } from '../../src/testing/limits/windows/kinds.ts';
import type { ServiceWindow } from '../../src/testing/limits/windows/window.ts';

/** Units that a consumer was served, by the service's clock. */
export interface Taken {
  readonly at: number;
  readonly units: number;
}

/** Rounding errors of windows that refill continuously, in units. */
const TOLERANCE = 1e-6;

/**
 * The windows of the service, less what other consumers take of them, known beforehand: units fit where every later request of the others fits,
 * too, that is counted together with them.
 */
export class LeftOver {
  readonly #windows: readonly TrueWindow[];
  readonly #taken: readonly Taken[];
  /** How many of them are charged. */
  #passed = 0;
  #limits: ServiceLimits = {};

  constructor(kind: WindowKind, taken: readonly Taken[]) {
    this.#windows = SERVICE_PERIODS.map((period) => new TrueWindow(kind, period));
    this.#taken = taken;
  }

  /** Sets the limits. Usage is kept. */
  limit(limits: ServiceLimits): void {
    if (limits === this.#limits) return;
    this.#limits = limits;
    for (const window of this.#windows) window.limit = limits[window.period] ?? Infinity;
  }

  /** When `units` fit, seen from `at`; `at` itself: now. Where they would take the room of others: when these come next. */
  admitsAt(units: number, at: number): number {
    const fitsAt = this.#limited.reduce((latest, window) => Math.max(latest, window.fitsAt(units, at)), at);
    if (fitsAt > at || this.#limited.every((window) => window.leaves(this.#coming(), units, at))) return fitsAt;
    return this.nextTakenAt;
  }

  charge(units: number, at: number): void {
    for (const window of this.#limited) window.charge(units, at);
  }

  /** The others take what they took up to `at`. */
  passTo(at: number): void {
    for (let next = this.#taken[this.#passed]; next && next.at <= at; next = this.#taken[++this.#passed])
      this.charge(next.units, next.at);
  }

  /** When the others take more. */
  get nextTakenAt(): number {
    return this.#taken[this.#passed]?.at ?? Infinity;
  }

  /** What the others will take. */
  *#coming(): Iterable<Taken> {
    for (let next = this.#passed; next < this.#taken.length; next++) yield this.#taken[next] as Taken;
  }

  get #limited(): readonly TrueWindow[] {
    return this.#windows.filter(({ limit }) => limit < Infinity);
  }
}

/** A window of the service. */
class TrueWindow {
  readonly period: ServicePeriod;
  readonly #kind: WindowKind;
  /** For so long a charge is counted: in an estimate from two counters also in the second of them. */
  readonly #countedMs: number;
  readonly #window: ServiceWindow;
  readonly #charged: Taken[] = [];

  constructor(kind: WindowKind, period: ServicePeriod) {
    this.period = period;
    this.#kind = kind;
    this.#countedMs = LENGTH_MS[period] * (kind === 'sliding-counter' ? 2 : 1);
    this.#window = openWindow(kind, Infinity, period);
  }

  get limit(): number {
    return this.#window.limit;
  }

  set limit(limit: number) {
    this.#window.limit = limit;
  }

  /** When `units`, at most the limit, fit, seen from `at`; `at` itself: now. */
  fitsAt(units: number, at: number): number {
    return fits(this.#window, units, at) ? at : Math.max(at + 1, this.#window.fitsAt(units, at));
  }

  charge(units: number, at: number): void {
    this.#window.charge(units, at);
    this.#charged.push({ at, units });
  }

  /** Whether the requests that come next still fit if `units` are charged at `at`. */
  leaves(coming: Iterable<Taken>, units: number, at: number): boolean {
    let trial: ServiceWindow | undefined;
    for (const next of coming) {
      if (next.at > at + this.#countedMs) return true;
      if (!trial) {
        trial = openWindow(this.#kind, this.limit, this.period);
        for (const charge of this.#stateAt(at)) trial.charge(charge.units, charge.at);
        trial.charge(units, at);
      }
      if (!fits(trial, next.units, next.at)) return false;
      trial.charge(next.units, next.at);
    }
    return true;
  }

  /** Charges that leave an empty window in the state that this one has at `at`. */
  #stateAt(at: number): readonly Taken[] {
    const units = this.#window.used(at);
    if (this.#kind === 'leaky' || this.#kind === 'aligned') return [{ at, units }];
    if (this.#kind === 'first-request')
      return units > 0 ? [{ at: this.#window.resetAt(at) - this.#countedMs, units }] : [];
    let from = this.#charged.length;
    while ((this.#charged[from - 1]?.at ?? -Infinity) > at - this.#countedMs) from--;
    return this.#charged.slice(from);
  }
}

function fits(window: ServiceWindow, units: number, at: number): boolean {
  return window.used(at) + units <= window.limit + TOLERANCE;
}
