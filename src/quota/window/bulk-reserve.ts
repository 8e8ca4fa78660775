import { type Charge, type Hold, holdUntil, type Limit, type Reason, unitsOf } from '../admission.ts';
import { endOf, type Period, startOf } from '../time/periods.ts';
import type { ServerClock } from '../time/server-clock.ts';
import type { InFlight } from '../usage/in-flight.ts';
import type { NamedWindow } from './named-window.ts';

/** The quota that is reserved for calls of a higher priority than bulk work. */
export interface BulkReservePolicy {
  /** The reserve is for calls above this priority; those up to it are bulk work. */
  readonly forPriorityAbove: number;
  /** The share of each window that bulk work must leave, from 0 up to but not including 1. */
  readonly share: Readonly<Partial<Record<Period, number | undefined>>>;
  /** Until this instant of the service's clock, in milliseconds since the Unix epoch, bulk work spends the month evenly. */
  readonly spreadMonthUntil: number | undefined;
}

/**
 * Bulk work leaves a part of each window to calls of higher priority, which are not held back, and uses the month no faster than evenly until
 * a date, usage by other consumers included. It is a limit and no `Reserve` of the window, because those add up: together with the learned reserve for
 * higher priorities the same calls would have units kept for them twice. So it also holds where a share grants the units of a window, and however
 * long a call has waited.
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

  check(charge: Charge, now: number): Hold | undefined {
    if (charge.priority > this.#policy.forPriorityAbove || charge.units === 0) return undefined;
    const binding = this.#binding(charge, this.#flights.units, now);
    if (!binding) return undefined;
    const until = binding.at < Infinity ? binding.at : this.#flights.nextAge();
    if (until <= now) return undefined;
    const isFirm = this.#binding(charge, 0, now) !== undefined;
    return holdUntil(until, () => explain(binding, now), { isFirm, yieldsToPriority: true });
  }

  /** When the charge fits beside the units held, and which rule delays it; undefined: it fits now. */
  #binding(charge: Charge, held: number, now: number): Binding | undefined {
    let binding: Binding | undefined;
    for (const window of this.#windows) {
      for (const rule of [this.#reserved(window, charge, held, now), this.#spread(window, charge, held, now)])
        if (rule && rule.at > (binding?.at ?? now)) binding = rule;
    }
    return binding;
  }

  /** A part of the window is reserved from bulk work. A charge larger than the rest goes alone. */
  #reserved(window: NamedWindow, charge: Charge, held: number, now: number): Binding | undefined {
    const { forPriorityAbove, share } = this.#policy;
    const part = share[window.period] ?? 0;
    if (part <= 0) return undefined;
    const { period, limit } = window;
    const units = unitsOf(charge, limit);
    const at = window.capacity.earliest(units, held, Math.max(units, limit * (1 - part)), now);
    const kept = (): string => `${Math.round(part * 1e4) / 1e2} % of the ${period} of ${limit} units`;
    return { at, window, why: () => `${kept()} are reserved for calls of a priority above ${forPriorityAbove}` };
  }

  /** Until the date, no more of bulk work's part of the month may be gone than of the time, which only a clock of the service tells. */
  #spread(window: NamedWindow, { units }: Charge, held: number, now: number): Binding | undefined {
    const { spreadMonthUntil, share } = this.#policy;
    if (window.period !== 'month' || !this.#clock.known || spreadMonthUntil === undefined) return undefined;
    // Where the next month may have begun it is taken to begin, because nothing of that may be gone yet.
    const start = startOf('month', this.#clock.most(now));
    const until = Math.min(spreadMonthUntil, endOf('month', start));
    const part = window.limit * (1 - (share.month ?? 0));
    const gone = window.capacity.spent(now) + held + units;
    const due = Math.min(until, start + ((until - start) * gone) / part);
    const what = `bulk work spends the month of ${window.limit} units evenly`;
    return { at: this.#clock.surely(due), window, why: () => `${what} until ${new Date(until).toISOString()}` };
  }
}

/** One rule's answer. */
interface Binding {
  /** The earliest instant for the charge; `now` or earlier: at once. */
  readonly at: number;
  readonly window: NamedWindow;
  /** The rule, for people. */
  readonly why: () => string;
}

function explain({ window, why }: Binding, now: number): Reason {
  return { kind: 'reserve', why: why(), window: window.period, limit: window.limit, headroom: window.headroom(now) };
}
