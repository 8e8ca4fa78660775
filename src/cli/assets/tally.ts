import type { BulkProgress, Client, ClientEvent, QuotaSnapshot, Reason } from '../../index.ts';
import { type QuotaReading, readingOf } from '../quota/reading.ts';

/** A pause of the whole queue. */
interface Standstill {
  readonly why: string;
  readonly until: number;
  /** Whether requests fail, and quota is not the cause. */
  readonly isOutage: boolean;
}

/** Progress of a job. */
export interface Progress {
  readonly total: number;
  /** Number of fetched accounts. */
  readonly done: number;
  readonly failed: number;
  readonly inFlight: number;
  /** Number of requests sent, and of those refused because of a limit. */
  readonly requests: number;
  readonly limited: number;
  readonly reading: QuotaReading;
  /** Estimated time for the rest by the quota, in milliseconds; undefined while unknown. */
  readonly etaMs: number | undefined;
  /** Why the queue stands still, and until when by this machine's wall clock; undefined while it moves. */
  readonly standstill: Standstill | undefined;
}

/** Follows a job by the events of its client. */
export class Tally {
  #requests = 0;
  #limited = 0;
  #snapshot: QuotaSnapshot | undefined;
  #standstill: Standstill | undefined;
  /** Where the last request went. */
  #origin = '';

  /** Counts an event of the client. */
  record(event: ClientEvent): void {
    // Between the pauses of an outage one request probes the service.
    const isProbing = event.type === 'waiting' && event.reason.kind === 'half-open' && this.#standstill?.isOutage;
    if (event.type === 'waiting' && !isProbing) this.#standstill = this.#standstillOf(event.reason, event.until);
    if (event.type === 'sent') {
      this.#requests++;
      this.#origin = new URL(event.url).origin;
      // During an outage a request is only a probe: the outage ends with an answer.
      if (!this.#standstill?.isOutage) this.#standstill = undefined;
    }
    if (event.type === 'limited') this.#limited++;
    if (event.type !== 'answered') return;
    if (this.#standstill?.isOutage) this.#standstill = undefined;
    this.#snapshot = event.quota;
  }

  #standstillOf({ kind, why }: Reason, until: Date): Standstill {
    const isOutage = kind === 'outage';
    return { why: isOutage ? `${why} at ${this.#origin}` : why, until: until.getTime(), isOutage };
  }

  /** @param now - this machine's wall clock. */
  progress(client: Pick<Client, 'quota'>, { done, failed, total = 0, etaMs }: BulkProgress, now: number): Progress {
    const state = client.quota();
    return {
      total,
      done: done - failed,
      failed,
      inFlight: state.inFlight,
      requests: this.#requests,
      limited: this.#limited,
      reading: readingOf(state, this.#snapshot, undefined, now),
      etaMs,
      standstill: this.#standstill,
    };
  }
}
