import { LENGTH_MS, SERVICE_PERIODS, type ServicePeriod } from '../../src/testing/limits/calendar.ts';
import { type Counting, Ledger, type ServiceLimits } from '../../src/testing/limits/ledger.ts';

/** Units that a consumer was served, by the service's clock. */
export interface Taken {
  readonly at: number;
  readonly units: number;
}

/** A window counts what was charged so many of its lengths ago at most. */
const COUNTED = 2;

/**
 * The windows of the service, less what other consumers take of them, known beforehand: units fit where every later request of the others that
 * the same window may count fits, too.
 */
export class LeftOver {
  readonly #counting: Counting;
  readonly #ledgers: ReadonlyMap<ServicePeriod, Ledger>;
  readonly #taken: readonly Taken[];
  /** How many of them are charged. */
  #passed = 0;
  /** All that was charged, in order, if others take anything. */
  readonly #charged: Taken[] = [];
  #limits: ServiceLimits = {};

  constructor(counting: Counting, taken: readonly Taken[]) {
    this.#counting = counting;
    this.#ledgers = new Map(SERVICE_PERIODS.map((period) => [period, new Ledger(counting)]));
    this.#taken = taken;
  }

  /** Sets the limits. Usage is kept. */
  limit(limits: ServiceLimits): void {
    if (limits === this.#limits) return;
    this.#limits = limits;
    for (const [period, ledger] of this.#ledgers) ledger.limit({ [period]: limits[period] });
  }

  /** When `units` fit, seen from `at`; `at` itself: now. Where the others need the room: when they take more. */
  admitsAt(units: number, at: number): number {
    let latest = at;
    for (const period of this.#limited) latest = Math.max(latest, this.#ledgerOf(period).admitsAt(units, at));
    if (latest > at || this.#limited.every((period) => this.#leavesOthers(period, units, at))) return latest;
    return this.nextTakenAt;
  }

  charge(units: number, at: number): void {
    for (const period of this.#limited) this.#ledgerOf(period).charge(units, at);
    if (this.#taken.length > 0) this.#charged.push({ at, units });
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

  /** Whether all fit that the others take after `at` in a window that may count `units` charged then. */
  #leavesOthers(period: ServicePeriod, units: number, at: number): boolean {
    const until = at + LENGTH_MS[period];
    if (this.nextTakenAt > until) return true;
    const ledger = new Ledger(this.#counting).limit({ [period]: this.#limits[period] });
    let from = this.#charged.length;
    while ((this.#charged[from - 1]?.at ?? -Infinity) > at - COUNTED * LENGTH_MS[period]) from--;
    for (const charged of this.#charged.slice(from)) ledger.charge(charged.units, charged.at);
    ledger.charge(units, at);
    for (let next = this.#passed; (this.#taken[next]?.at ?? Infinity) <= until; next++) {
      const taken = this.#taken[next] as Taken;
      if (ledger.admitsAt(taken.units, taken.at) > taken.at) return false;
      ledger.charge(taken.units, taken.at);
    }
    return true;
  }

  #ledgerOf(period: ServicePeriod): Ledger {
    return this.#ledgers.get(period) as Ledger;
  }

  get #limited(): ServicePeriod[] {
    return SERVICE_PERIODS.filter((period) => this.#limits[period] !== undefined);
  }
}
