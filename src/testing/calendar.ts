/** A period that the service limits. */
export type ServicePeriod = 'second' | 'minute' | 'hour' | 'day' | 'month';

/** Every period, shortest first. */
export const SERVICE_PERIODS: readonly ServicePeriod[] = ['second', 'minute', 'hour', 'day', 'month'];

/** Milliseconds in a period that does not begin with the calendar. For a month that is 30 days, as gateways have it. */
export const LENGTH_MS: Readonly<Record<ServicePeriod, number>> = {
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  month: 30 * 86_400_000,
};

/** Tells which stretch of the UTC calendar an instant lies in. It remembers the last, because most questions are about it. */
export class ServiceCalendar {
  start = 0;
  end = 0;
  readonly #period: ServicePeriod;

  constructor(period: ServicePeriod) {
    this.#period = period;
  }

  /** Makes `start` and `end` those of the stretch that holds `at`, in milliseconds since the Unix epoch. */
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
