import type { Client, ClientEvent, QuotaSnapshot } from '../../index.ts';
import { PERIODS, periodMsOf } from '../../quota/time/periods.ts';
import { type QuotaReading, readingOf } from '../quota/reading.ts';

/** How far a job is. */
export interface Progress {
  readonly total: number;
  /** Accounts that were fetched. */
  readonly done: number;
  readonly failed: number;
  readonly inFlight: number;
  /** Requests that were answered, of which so many were refused because of a limit. */
  readonly requests: number;
  readonly limited: number;
  readonly reading: QuotaReading;
  /** How long the windows will take for what is left, in milliseconds, as far as that can be reckoned. */
  readonly etaMs: number | undefined;
  /** Why the line stands still, and until when by this machine's wall clock; undefined while it moves. */
  readonly standstill: { readonly why: string; readonly until: number } | undefined;
}

/** Keeps count of a job by what its client tells. */
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
   * @param total - how many accounts there are.
   * @param isWalk - whether an account may take more than one request.
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

/** How long the windows take for so many units, if answers take no time and nobody else spends any. */
export function etaMs({ windows, at }: QuotaReading, units: number): number {
  const waits = windows.map(({ window, limit, remaining, endsAt }) => {
    const period = PERIODS.find((one) => one === window);
    if (units <= remaining || limit <= 0 || period === undefined) return 0;
    const untilNext = Math.max(0, (endsAt ?? at) - at);
    return untilNext + (Math.ceil((units - remaining) / limit) - 1) * periodMsOf(period);
  });
  return Math.max(0, ...waits);
}
