import type { AttemptCounts } from '../http/retry-policy.ts';
import { EachEndpoint } from '../quota/limits/each-endpoint.ts';

/** An endpoint, as its calls find it. */
interface Endpoint {
  /** When a call was served last, in monotonic milliseconds; -Infinity: none ever was. */
  servedAt: number;
  /** How many calls under way have failed at least once. */
  failing: number;
}

/** The calls under way whose requests fail, by endpoint: where several do and none is served, the endpoint fails and not the call. */
export class FailingCalls {
  readonly #endpoints = new EachEndpoint((): Endpoint => ({ servedAt: -Infinity, failing: 0 }));

  /**
   * Whether the next request of a call only probes its endpoint: the call fails, others of the endpoint, too, and none was served since. No endpoint that never
   * served is probed, because its address may be wrong.
   */
  isProbe(endpoint: string, { failingSince }: AttemptCounts): boolean {
    if (failingSince === undefined) return false;
    const { servedAt, failing } = this.#endpoints.of(endpoint);
    return failing > 1 && servedAt > -Infinity && servedAt < failingSince;
  }

  /** A call has failed for the first time, and goes on. */
  begin(endpoint: string): void {
    this.#endpoints.of(endpoint).failing++;
  }

  /** A call that had failed has ended. */
  end(endpoint: string): void {
    const own = this.#endpoints.of(endpoint);
    own.failing = Math.max(0, own.failing - 1);
  }

  /** A call was served. */
  onServed(endpoint: string, now: number): void {
    this.#endpoints.of(endpoint).servedAt = now;
  }
}
