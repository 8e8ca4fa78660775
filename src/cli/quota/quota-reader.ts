import type { ClientOptions } from '../../index.ts';
import { createClient, isQuotaExhausted, type QuotaSnapshot } from '../../index.ts';
import type { World } from '../environment.ts';
import { exhaustion } from '../error-message.ts';
import { type Reading, readingOf } from './reading.ts';
import type { Exhaustion } from './report.ts';

/** A second is worth waiting for, and no longer window is: who looks wants to know now. */
const MAX_WAIT_MS = 2_000;

/** What one look found. */
export interface Sight {
  readonly reading: Reading;
  /** Set where nothing was sent, or what was sent was refused, because the quota is out. */
  readonly exhaustion: (Exhaustion & { readonly sentence: string }) | undefined;
}

/** Looks at the quota, again and again with what it learned before. */
export interface LookOut {
  /** Asks the service, unless the quota is known to be out. */
  look(signal: AbortSignal): Promise<Sight>;
  /** What is known by now, without asking. */
  glance(): Reading;
  close(): Promise<void>;
}

/** Keeps one client over all looks, so that none is sent when the service would have to refuse it. */
export function lookOut(options: ClientOptions, { fetch, clock }: World): LookOut {
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
  const glance = (): Reading => readingOf(client.quota(), snapshot, status, clock.wall());
  return {
    glance,
    close: () => client.close(),
    async look(signal) {
      try {
        await client.getInfo({ headersOnly: true, signal });
        return { reading: glance(), exhaustion: undefined };
      } catch (error) {
        if (!isQuotaExhausted(error)) throw error;
        const sentence = exhaustion(error, clock.wall());
        return {
          reading: glance(),
          exhaustion: { why: error.why, retryAt: error.retryAt.getTime(), sentence },
        };
      }
    },
  };
}
