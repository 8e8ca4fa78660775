import type { ClientEvent, QuotaSnapshot } from 'stacks-quota';
import { type CalendarWindow, PERIODS } from './shortest.ts';

/** What the events of a client add up to. */
export class Tally {
  /** Requests sent. */
  requests = 0;
  /** Of them, those that the service refused because of a limit. */
  limited = 0;
  /** The windows as they stood before the first request, as far as its answer told. */
  windows: readonly CalendarWindow[] | undefined;
  #standstill: { readonly why: string; readonly until: number } | undefined;
  /** The service's clock is ahead of ours by no less and no more than this: a `date` is cut to the second. */
  #least = Number.NEGATIVE_INFINITY;
  #most = Number.POSITIVE_INFINITY;

  hear(event: ClientEvent): void {
    if (event.type === 'sent') this.requests++;
    if (event.type === 'limited') this.limited++;
    if (event.type === 'waiting') this.#standstill = { why: event.reason.why, until: event.until.getTime() };
    if (event.type === 'answered') this.#learn(event.quota, event.tookMs);
  }

  /** Why nothing goes just now. */
  get why(): string | undefined {
    return this.#standstill && this.#standstill.until > Date.now() ? this.#standstill.why : undefined;
  }

  /** The service's time at an instant of our wall clock; our own time while no `date` came. */
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
