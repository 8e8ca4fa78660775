import {
  type Client,
  type ClientOptions,
  type Clock,
  createClient,
  isQuotaExhausted,
  isServiceError,
  type QuotaSnapshot,
} from '../../index.ts';
import { exhaustion } from '../error-message.ts';
import { type QuotaReading, readingOf } from './reading.ts';
import type { Exhaustion } from './report.ts';

/** Longest wait for quota: enough for the next second, but not for longer windows, because the reading is needed now. */
const MAX_WAIT_MS = 2_000;

/** The result of one reading. */
export interface QuotaResult {
  readonly reading: QuotaReading;
  /** Set if nothing was sent, or the request was refused, because the quota is exhausted. */
  readonly exhaustion: (Exhaustion & { readonly sentence: string }) | undefined;
}

/** Reads the quota repeatedly with one client. */
export interface QuotaReader {
  /** Sends a request, unless the quota is known to be exhausted. */
  read(signal: AbortSignal): Promise<QuotaResult>;
  /** The present estimate, without a request. */
  cached(): QuotaReading;
  close(): Promise<void>;
}

/** Creates a reader whose one client remembers the quota, so that no request is sent that the service would refuse. */
export function quotaReader(options: ClientOptions, clock: Clock): QuotaReader {
  let snapshot: QuotaSnapshot | undefined;
  let status: number | undefined;
  const client = createClient({
    ...options,
    maxWaitMs: MAX_WAIT_MS,
    onEvent(event) {
      options.onEvent?.(event);
      if (event.type !== 'answered') return;
      // A refusal fails the call, but its headers state the quota as well.
      snapshot = event.quota;
      status = event.status;
    },
  });
  const cached = (): QuotaReading => readingOf(client.quota(), snapshot, status, clock.wall());
  return {
    cached,
    close: async () => void (await client.close()),
    async read(signal) {
      try {
        await readHeaders(client, signal);
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

/** Requests headers, whatever their status. Not by `headersOnly`, which would send a request although the quota is exhausted. */
async function readHeaders(client: Client, signal: AbortSignal, method: 'HEAD' | 'GET' = 'HEAD'): Promise<void> {
  try {
    await client.request(method, '/extended/v1/info', { signal });
  } catch (error) {
    if (!isServiceError(error)) throw error;
    if (method === 'HEAD' && (error.status === 405 || error.status === 501)) await readHeaders(client, signal, 'GET');
  }
}
