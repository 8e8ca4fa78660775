import type { Charge, Limit, Reason } from '../admission.ts';
import { endOf, type Period, startOf } from '../time/periods.ts';
import type { ServerClock } from '../time/server-clock.ts';
import type { InFlight } from '../usage/in-flight.ts';
import type { NamedWindow } from './named-window.ts';

/** The quota that is reserved for calls of a higher priority than bulk work. */
export interface BulkReservePolicy {
  /** The reserve is for calls above this priority; those up to it are bulk work. */
  readonly forPriorityAbove: number;
  /** The share of each window that bulk work must leave, from 0 up to but not including 1. */
  readonly share: Readonly<Partial<Record<Period, number>>>;
  /** Until this instant of the service's clock, in milliseconds since the Unix epoch, bulk work spends the month evenly. */
  readonly spreadMonthUntil: number | undefined;
}

/** Sums of costs that are no whole numbers may miss a bound by this much, in units. */
const ROUNDING = 1e-6;

/**
 * As a limit: bulk work leaves a part of each window to calls of higher priority, and uses the month no faster than evenly until
 * a date, usage by other consumers included. Calls of higher priority are not held back.
 *
 * Without a clock of the service there is no telling how far the month has gone, and nothing is spread.
 */
export class BulkReserve implements Limit {
  readonly #policy: BulkReservePolicy;
  readonly #windows: Iterable<NamedWindow>;
  readonly #flights: InFlight;
  readonly #clock: ServerClock;

  constructor(policy: BulkReservePolicy, windows: Iterable<NamedWindow>, flights: InFlight, clock: ServerClock) {
    this.#policy = policy;
    this.#windows = windows;
    this.#flights = flights;
    this.#clock = clock;
  }

  earliest(charge: Charge, now: number): number {
    const at = this.#binding(charge, this.#flights.units, now).at;
    return at < Number.POSITIVE_INFINITY ? at : Math.max(now, this.#flights.nextAge());
  }

  isFirm(charge: Charge, now: number): boolean {
    return this.#binding(charge, 0, now).at > now;
  }

  explain(charge: Charge, now: number): Reason {
    const { window, why } = this.#binding(charge, this.#flights.units, now);
    const what: Reason = { kind: 'reserve', why };
    if (!window) return what;
    return { ...what, window: window.period, limit: window.limit, headroom: window.headroom(now) };
  }

  /** When the charge fits beside the units held, and which rule delays it. */
  #binding(charge: Charge, held: number, now: number): Binding {
    let binding: Binding = { at: now, why: 'nothing is reserved' };
    if (charge.priority > this.#policy.forPriorityAbove || charge.units === 0) return binding;
    for (const window of this.#windows) {
      const { period } = window;
      const rules = [this.#reserved(window, charge, held, now)];
      if (period === 'month') rules.push(this.#spread(window, charge, held, now));
      for (const rule of rules) if (rule && rule.at > binding.at) binding = rule;
    }
    return binding;
  }

  /** A part of the window is reserved from bulk work. A charge larger than the rest goes alone. */
  #reserved(window: NamedWindow, { units }: Charge, held: number, now: number): Binding | undefined {
    const { forPriorityAbove, share } = this.#policy;
    const part = share[window.period] ?? 0;
    if (part <= 0) return undefined;
    const { period, limit } = window;
    const kept = `${Math.round(part * 1e4) / 1e2} % of the ${period} of ${limit} units`;
    const why = `${kept} are reserved for calls of a priority above ${forPriorityAbove}`;
    return { at: window.fitsBelow(limit * (1 - part), Math.min(units, limit), held, now), window, why };
  }

  /** Until the date, no more of bulk work's part of the month may be gone than of the time. */
  #spread(window: NamedWindow, { units }: Charge, held: number, now: number): Binding | undefined {
    if (!this.#clock.known || this.#policy.spreadMonthUntil === undefined) return undefined;
    // Where the next month may have begun it is taken to begin, because nothing of that may be gone yet.
    const start = startOf('month', this.#clock.most(now));
    const time = Math.max(start, this.#clock.least(now));
    const until = Math.min(this.#policy.spreadMonthUntil, endOf('month', start));
    if (time >= until) return undefined;
    const part = window.limit * (1 - (this.#policy.share.month ?? 0));
    const gone = window.spent(now) + held + units;
    const allowed = (part * (time - start)) / (until - start);
    const why = `bulk work spends the month of ${window.limit} units evenly until ${new Date(until).toISOString()}`;
    if (gone <= allowed + ROUNDING) return undefined;
    const due = Math.min(until, start + ((until - start) * gone) / part);
    return { at: this.#clock.surely(due), window, why };
  }
}

/** One rule's answer. */
interface Binding {
  readonly at: number;
  readonly window?: NamedWindow;
  readonly why: string;
}
