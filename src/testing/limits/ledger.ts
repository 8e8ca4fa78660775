import { SERVICE_PERIODS, type ServicePeriod } from './calendar.ts';
import { openWindow, type WindowKind } from './windows/kinds.ts';
import type { ServiceWindow } from './windows/window.ts';

/** Units per period. An omitted period has no limit. */
export type ServiceLimits = { readonly [P in ServicePeriod]?: number };

/** The counting rules of the service. */
export interface Counting {
  readonly kindOf: (period: ServicePeriod) => WindowKind;
  readonly charge: 'before' | 'after';
}

/** The state of one window, for the headers. */
export interface WindowUsage {
  readonly period: ServicePeriod;
  readonly limit: number;
  readonly remaining: number;
  readonly resetAt: number;
}

/** Rounding errors of windows that refill continuously, in units. */
const TOLERANCE = 1e-6;

/** The windows of one identity on one node, shortest first. */
export class Ledger {
  readonly #counting: Counting;
  readonly #windows = new Map<ServicePeriod, ServiceWindow>();
  #limits: ServiceLimits = {};

  constructor(counting: Counting) {
    this.#counting = counting;
  }

  /** Sets the limits. Usage is kept. */
  limit(limits: ServiceLimits): this {
    if (limits === this.#limits) return this;
    this.#limits = limits;
    const before = new Map(this.#windows);
    this.#windows.clear();
    for (const period of SERVICE_PERIODS) {
      const limit = limits[period];
      if (limit === undefined) continue;
      const window = before.get(period) ?? openWindow(this.#counting.kindOf(period), limit, period);
      window.limit = limit;
      this.#windows.set(period, window);
    }
    return this;
  }

  /** When a request of `units` is admitted, seen from `at`; `at` itself: now. A request that costs nothing is always admitted. */
  admitsAt(units: number, at: number): number {
    let admitted = at;
    if (units <= 0) return admitted;
    for (const window of this.#windows.values()) {
      const used = window.used(at);
      const full =
        this.#counting.charge === 'before' ? used + units > window.limit + TOLERANCE : used > window.limit - TOLERANCE;
      if (!full) continue;
      const needed = this.#counting.charge === 'before' ? units : 1;
      const fits = needed > window.limit ? window.resetAt(at) : window.fitsAt(needed, at);
      admitted = Math.max(admitted, at + 1, fits);
    }
    return admitted;
  }

  /** Books units for a request that arrived at `at`. One that costs nothing opens no window, and no window ends for it. */
  charge(units: number, at: number): void {
    if (units <= 0) return;
    for (const window of this.#windows.values()) window.charge(units, at);
  }

  /** The state of each window at `at`, less `pending` units that are not booked yet. */
  readings(pending: number, at: number): WindowUsage[] {
    const readings: WindowUsage[] = [];
    for (const [period, window] of this.#windows) {
      const remaining = Math.max(0, Math.floor(window.limit - window.used(at) - pending + TOLERANCE));
      readings.push({ period, limit: window.limit, remaining, resetAt: window.resetAt(at) });
    }
    return readings;
  }
}
