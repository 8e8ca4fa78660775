import type { ClientOptions } from '../../index.ts';
import { createClient, isQuotaExhausted, type QuotaSnapshot } from '../../index.ts';
import type { Environment } from '../environment.ts';
import { exhaustion } from '../error-message.ts';
import { type QuotaReading, readingOf } from './reading.ts';
import type { Exhaustion } from './report.ts';

/** Waits out a full second, but no longer window: the reading is wanted now. */
const MAX_WAIT_MS = 2_000;

/** What one look found. */
export interface QuotaSight {
  readonly reading: QuotaReading;
  /** Set where nothing was sent, or what was sent was refused, because the quota is out. */
  readonly exhaustion: (Exhaustion & { readonly sentence: string }) | undefined;
}

/** Looks at the quota, again and again with what it learned before. */
export interface QuotaReader {
  /** Asks the service, unless the quota is known to be out. */
  read(signal: AbortSignal): Promise<QuotaSight>;
  /** What is known by now, without asking. */
  cached(): QuotaReading;
  close(): Promise<void>;
}

/** Keeps one client over all looks, so that none is sent when the service would have to refuse it. */
export function quotaReader(options: ClientOptions, { fetch, clock }: Environment): QuotaReader {
  let snapshot: QuotaSnapshot | undefined;
  let status: number | undefined;
  const client = createClient({
    ...options,
    fetch,
    clock,
    maxWaitMs: MAX_WAIT_MS,
    onEvent(event) {
      if (event.type !== 'answered') return;
      // A refusal is no result of the call, but its headers say as much.
      snapshot = event.quota;
      status = event.status;
    },
  });
  const cached = (): QuotaReading => readingOf(client.quota(), snapshot, status, clock.wall());
  return {
    cached,
    close: () => client.close(),
    async read(signal) {
      try {
        await client.getInfo({ headersOnly: true, signal });
        return { reading: cached(), exhaustion: undefined };
      } catch (error) {
        if (!isQuotaExhausted(error)) throw error;
        const sentence = exhaustion(error, clock.wall());
        return {
          reading: cached(),
          exhaustion: { why: error.why, retryAt: error.retryAt.getTime(), sentence },
        };
      }
    },
  };
}
