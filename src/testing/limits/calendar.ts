/** The period of a limit. */
export type ServicePeriod = 'second' | 'minute' | 'hour' | 'day' | 'month';

/** Every period, shortest first. */
export const SERVICE_PERIODS: readonly ServicePeriod[] = ['second', 'minute', 'hour', 'day', 'month'];

/** Length in milliseconds of a period that is not calendar-aligned. A month is 30 days, as in gateways. */
export const LENGTH_MS: Readonly<Record<ServicePeriod, number>> = {
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  month: 30 * 86_400_000,
};

/** Finds the UTC calendar window that contains an instant. It caches the last one, which most lookups hit. */
export class ServiceCalendar {
  start = 0;
  end = 0;
  readonly #period: ServicePeriod;

  constructor(period: ServicePeriod) {
    this.#period = period;
  }

  /** Sets `start` and `end` to the window that contains `at`, in milliseconds since the Unix epoch. */
  seek(at: number): this {
    if (at >= this.start && at < this.end) return this;
    if (this.#period === 'month') {
      const day = new Date(at);
      this.start = Date.UTC(day.getUTCFullYear(), day.getUTCMonth());
      this.end = Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1);
    } else {
      const length = LENGTH_MS[this.#period];
      this.start = Math.floor(at / length) * length;
      this.end = this.start + length;
    }
    return this;
  }
}
