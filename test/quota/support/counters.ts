/** The periods that section 8 of the interface names. */
export type NamedPeriod = 'second' | 'minute' | 'month';

/** How the service counts one of its limits. Instants are by the service's clock, in milliseconds since the Unix epoch. */
export interface Counter {
  /** Counts units at an instant. */
  add(units: number, at: number): void;
  /** Units in the window as it is at an instant. */
  used(at: number): number;
  /** The next instant at which units leave that window. */
  relief(at: number): number;
  /** The most that any window ever held. */
  peak(): number;
}

/** The two shapes of a window that these tests know. */
export type Shape = 'aligned' | 'sliding-log';

export function counterOf(shape: Shape, period: NamedPeriod): Counter {
  return shape === 'aligned' ? new CalendarCounter(period) : new LogCounter(LENGTH_MS[period]);
}

const LENGTH_MS = { second: 1_000, minute: 60_000, month: 31 * 86_400_000 };

/** Counts per second, minute or month of the UTC calendar. */
class CalendarCounter implements Counter {
  readonly #period: NamedPeriod;
  readonly #used = new Map<number, number>();

  constructor(period: NamedPeriod) {
    this.#period = period;
  }

  add(units: number, at: number): void {
    this.#used.set(this.relief(at), this.used(at) + units);
  }

  used(at: number): number {
    return this.#used.get(this.relief(at)) ?? 0;
  }

  relief(at: number): number {
    const day = new Date(at);
    if (this.#period === 'month') return Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 1);
    const length = LENGTH_MS[this.#period];
    return at - (at % length) + length;
  }

  peak(): number {
    return Math.max(0, ...this.#used.values());
  }
}

/** Counts whatever is younger than the period. */
class LogCounter implements Counter {
  readonly #length: number;
  readonly #entries: { at: number; units: number }[] = [];

  constructor(length: number) {
    this.#length = length;
  }

  add(units: number, at: number): void {
    const place = this.#entries.findLastIndex((entry) => entry.at <= at);
    this.#entries.splice(place + 1, 0, { at, units });
  }

  used(at: number): number {
    return this.#entries.slice(this.#oldest(at)).reduce((used, { units }) => used + units, 0);
  }

  relief(at: number): number {
    return (this.#entries[this.#oldest(at)]?.at ?? at) + this.#length;
  }

  peak(): number {
    let [peak, used, oldest] = [0, 0, 0];
    for (const { at, units } of this.#entries) {
      used += units;
      for (; (this.#entries[oldest]?.at ?? at) <= at - this.#length; oldest++)
        used -= this.#entries[oldest]?.units ?? 0;
      peak = Math.max(peak, used);
    }
    return peak;
  }

  #oldest(at: number): number {
    return this.#entries.findLastIndex((entry) => entry.at <= at - this.#length) + 1;
  }
}
