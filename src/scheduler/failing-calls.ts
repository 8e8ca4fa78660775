import type { AttemptCounts } from '../http/retry-policy.ts';
import { keepLast } from '../keep-last.ts';

/** So many endpoints are remembered. */
const MOST_ENDPOINTS = 64;

/** An endpoint, as its calls find it. */
interface Endpoint {
  /** When a call was served last, in monotonic milliseconds; -Infinity: none ever was. */
  servedAt: number;
  /** How many calls under way have failed at least once. */
  failing: number;
}

/** The calls under way whose requests fail, by endpoint: where several do and none is served, the endpoint fails and not the call. */
export class FailingCalls {
  readonly #endpoints = new Map<string, Endpoint>();

  /**
   * Whether the next request of a call only probes its endpoint: the call fails, others of the endpoint, too, and none was served since. No endpoint that never
   * served is probed, because its address may be wrong.
   */
  isProbe(endpoint: string, { failingSince }: AttemptCounts): boolean {
    if (failingSince === undefined) return false;
    const { servedAt, failing } = this.#of(endpoint);
    return failing > 1 && servedAt > -Infinity && servedAt < failingSince;
  }

  /** A call has failed for the first time, and goes on. */
  begin(endpoint: string): void {
    this.#of(endpoint).failing++;
  }

  /** A call that had failed has ended. */
  end(endpoint: string): void {
    const own = this.#of(endpoint);
    own.failing = Math.max(0, own.failing - 1);
  }

  /** A call was served. */
  onServed(endpoint: string, now: number): void {
    this.#of(endpoint).servedAt = now;
  }

  #of(endpoint: string): Endpoint {
    const known = this.#endpoints.get(endpoint);
    if (known) return known;
    const own: Endpoint = { servedAt: -Infinity, failing: 0 };
    this.#endpoints.set(endpoint, own);
    keepLast(this.#endpoints, MOST_ENDPOINTS);
    return own;
  }
}
