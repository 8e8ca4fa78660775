import type { ClientEvent, QuotaSnapshot } from 'stacks-quota';
import { type CalendarWindow, PERIODS } from './shortest.ts';

/** Totals of a client's events. */
export class Tally {
  /** Number of requests sent. */
  requests = 0;
  /** Number of requests that the service refused because of a limit. */
  limited = 0;
  /** The windows before the first request, by its response. */
  windows: readonly CalendarWindow[] | undefined;
  #standstill: { readonly why: string; readonly until: number } | undefined;
  /** Bounds of the lead of the service's clock over this machine's: `date` is truncated to the second. */
  #least = -Infinity;
  #most = Infinity;

  record(event: ClientEvent): void {
    if (event.type === 'sent') this.requests++;
    if (event.type === 'limited') this.limited++;
    if (event.type === 'waiting') this.#standstill = { why: event.reason.why, until: event.until.getTime() };
    if (event.type === 'answered') this.#learn(event.quota, event.tookMs);
  }

  /** Why nothing can be sent now. */
  get why(): string | undefined {
    return this.#standstill && this.#standstill.until > Date.now() ? this.#standstill.why : undefined;
  }

  /** The service's time at an instant of this machine's wall clock; that instant itself before the first `date`. */
  serviceTime(at: number): number {
    return Number.isFinite(this.#least) ? at + (this.#least + this.#most) / 2 : at;
  }

  #learn({ date, receivedAt, stacks }: QuotaSnapshot, tookMs: number): void {
    this.windows ??= PERIODS.flatMap((period) => {
      const { limit, remaining } = stacks[period] ?? {};
      if (limit === undefined || remaining === undefined) return [];
      return [{ period, limit, left: remaining + (stacks.cost ?? 1) }];
    });
    if (date === undefined) return;
    this.#least = Math.max(this.#least, date - receivedAt);
    this.#most = Math.min(this.#most, date + 1_000 - (receivedAt - tookMs));
  }
}
