import type { Client, ClientEvent, QuotaSnapshot } from '../../index.ts';
import { PERIODS, periodMsOf } from '../../quota/time/periods.ts';
import { type QuotaReading, readingOf } from '../quota/reading.ts';

/** Progress of a job. */
export interface Progress {
  readonly total: number;
  /** Number of fetched accounts. */
  readonly done: number;
  readonly failed: number;
  readonly inFlight: number;
  /** Number of answered requests, and of those refused because of a limit. */
  readonly requests: number;
  readonly limited: number;
  readonly reading: QuotaReading;
  /** Estimated time for the rest by the windows, in milliseconds; undefined while unknown. */
  readonly etaMs: number | undefined;
  /** Why the queue stands still, and until when by this machine's wall clock; undefined while it moves. */
  readonly standstill: { readonly why: string; readonly until: number } | undefined;
}

/** Computes the progress of a job from its client's events. */
export class Tally {
  readonly #total: number;
  readonly #isWalk: boolean;
  done = 0;
  failed = 0;
  #requests = 0;
  #limited = 0;
  #units = 0;
  #snapshot: QuotaSnapshot | undefined;
  #standstill: Progress['standstill'];

  /**
   * @param total - number of accounts.
   * @param isWalk - whether an account may need more than one request.
   */
  constructor(total: number, isWalk: boolean) {
    this.#total = total;
    this.#isWalk = isWalk;
  }

  hear(event: ClientEvent): void {
    if (event.type === 'waiting') this.#standstill = { why: event.reason.why, until: event.until.getTime() };
    if (event.type === 'sent') this.#standstill = undefined;
    if (event.type === 'limited') this.#limited++;
    if (event.type !== 'answered') return;
    this.#requests++;
    this.#units += event.quota.stacks.cost ?? 1;
    this.#snapshot = event.quota;
  }

  /** @param now - this machine's wall clock. */
  progress(client: Pick<Client, 'quota'>, now: number): Progress {
    const { done, failed } = this;
    const state = client.quota();
    const reading = readingOf(state, this.#snapshot, undefined, now);
    return {
      total: this.#total,
      done,
      failed,
      inFlight: state.inFlight,
      requests: this.#requests,
      limited: this.#limited,
      reading,
      etaMs: this.#etaMs(reading),
      standstill: this.#standstill,
    };
  }

  #etaMs(reading: QuotaReading): number | undefined {
    const over = this.done + this.failed;
    if (over === 0 || over >= this.#total) return undefined;
    const requestsEach = this.#isWalk ? this.#requests / over : 1;
    const unitsEach = this.#requests > 0 ? this.#units / this.#requests : 1;
    return etaMs(reading, unitsEach * requestsEach * (this.#total - over));
  }
}

/** Time that the windows need for `units`, if responses take no time and there are no other consumers. */
export function etaMs({ windows, at }: QuotaReading, units: number): number {
  const waits = windows.map(({ window, limit, remaining, endsAt }) => {
    const period = PERIODS.find((one) => one === window);
    if (units <= remaining || limit <= 0 || period === undefined) return 0;
    const untilNext = Math.max(0, (endsAt ?? at) - at);
    return untilNext + (Math.ceil((units - remaining) / limit) - 1) * periodMsOf(period);
  });
  return Math.max(0, ...waits);
}
