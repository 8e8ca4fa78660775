import { LENGTH_MS, SERVICE_PERIODS, type ServicePeriod } from '../../src/testing/limits/calendar.ts';
import { type Counting, Ledger, type ServiceLimits } from '../../src/testing/limits/ledger.ts';

/** Units that a consumer was served, by the service's clock. */
export interface Taken {
  readonly at: number;
  readonly units: number;
}

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

  constructor(counting: Counting, taken: readonly Taken[]) {
    this.#windows = SERVICE_PERIODS.map((period) => new TrueWindow(counting, period));
    this.#taken = taken;
  }

  /** Sets the limits. Usage is kept. */
  limit(limits: ServiceLimits): void {
    if (limits === this.#limits) return;
    this.#limits = limits;
    for (const { period, ledger } of this.#windows) ledger.limit({ [period]: limits[period] });
  }

  /** When `units` fit, seen from `at`; `at` itself: now. Where they would take the room of others: when these come next. */
  admitsAt(units: number, at: number): number {
    const admittedAt = this.#limited.reduce((latest, { ledger }) => Math.max(latest, ledger.admitsAt(units, at)), at);
    if (admittedAt > at || this.#limited.every((window) => this.#isLeft(window, units, at))) return admittedAt;
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

  /** Whether all fits that the others will take if `units` are charged at `at`. */
  #isLeft(window: TrueWindow, units: number, at: number): boolean {
    const until = at + window.countedMs;
    if (this.nextTakenAt > until) return true;
    const trial = window.copyAt(at);
    trial.charge(units, at);
    let place = this.#passed;
    for (let next = this.#taken[place]; next && next.at <= until; next = this.#taken[++place]) {
      if (trial.admitsAt(next.units, next.at) > next.at) return false;
      trial.charge(next.units, next.at);
    }
    return true;
  }

  get #limited(): readonly TrueWindow[] {
    return this.#windows.filter(({ period }) => this.#limits[period] !== undefined);
  }
}

/** A window of the service. */
class TrueWindow {
  readonly period: ServicePeriod;
  readonly ledger: Ledger;
  /** For so long a charge is counted: in an estimate from two counters also in the second of them. */
  readonly countedMs: number;
  readonly #counting: Counting;
  readonly #charged: Taken[] = [];

  constructor(counting: Counting, period: ServicePeriod) {
    this.period = period;
    this.ledger = new Ledger(counting);
    this.countedMs = LENGTH_MS[period] * (counting.kindOf(period) === 'sliding-counter' ? 2 : 1);
    this.#counting = counting;
  }

  charge(units: number, at: number): void {
    this.ledger.charge(units, at);
    this.#charged.push({ at, units });
  }

  /** Another ledger in the state that this one has at `at`, when it is not full. */
  copyAt(at: number): Ledger {
    const copy = new Ledger(this.#counting);
    for (const { period, limit, remaining, resetAt } of this.ledger.readings(0, at)) {
      copy.limit({ [period]: limit });
      const used = limit - remaining;
      const kind = this.#counting.kindOf(period);
      if (kind === 'aligned') copy.charge(used, at);
      else if (kind === 'first-request') copy.charge(used, resetAt - this.countedMs);
      // A bucket is empty again at its reset.
      else if (kind === 'leaky') copy.charge((limit * (resetAt - at)) / this.countedMs, at);
      else for (const charged of this.#countedAt(at)) copy.charge(charged.units, charged.at);
    }
    return copy;
  }

  #countedAt(at: number): readonly Taken[] {
    let from = this.#charged.length;
    while ((this.#charged[from - 1]?.at ?? -Infinity) > at - this.countedMs) from--;
    return this.#charged.slice(from);
  }
}
